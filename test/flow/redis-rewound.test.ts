import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterAll, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { createRequests } from '../../src/approvals/request-store.ts';
import { createLinks } from '../../src/holders/link-store.ts';
import { createSubscriptions } from '../../src/routing/channel-rules-store.ts';
import { createMutes } from '../../src/routing/mute-store.ts';
import { useDeclines } from '../support/declines.ts';
import { channels, people } from '../support/people.ts';
import { quiet } from '../support/quiet.ts';
import { atOnce, useCardbell } from '../support/running-cardbell.ts';
import { sampleWebhook } from '../support/sample-webhook.ts';
import { until } from '../support/until.ts';

const cardbell = useCardbell({
  pace: atOnce,
  // Recovery queries every account.
  env: { CARD_API_ASSUMPTIONS: JSON.stringify({ callsPerMinute: 6000, detailCallsPerMinute: 6000 }) },
});
const { declines, take, shown } = useDeclines(cardbell);
let again: LocalRedis | undefined;
afterAll(async () => {
  await again?.stop();
});

/** Makes Redis lose everything that happens in `meanwhile`, as in a failover, a power failure or with a slow disk. */
async function losing(meanwhile: () => Promise<void>, restart = async (): Promise<void> => {}): Promise<void> {
  const { redis } = cardbell();
  const running = again ?? redis;
  const files = join(redis.folder, 'appendonlydir');
  // Everything written so far is on disk after the next sync.
  await new Promise((resolve) => setTimeout(resolve, 1500));
  await cp(files, `${files}-older`, { recursive: true });
  await meanwhile();
  await running.kill();
  await rm(files, { recursive: true });
  await cp(`${files}-older`, files, { recursive: true });
  await rm(`${files}-older`, { recursive: true });
  again = await startRedis({ port: redis.port, folder: redis.folder });
  await restart();
  await until(async () => (await fetch(`${cardbell().url}/readyz`)).status === 200, 'web is ready again');
}

const auditOf = async (store: Redis): Promise<{ event: string; verb: string }[]> =>
  (await store.lrange('{cardbell:audit}:chain', 0, -1)).map((line) => JSON.parse(line).record);
const gaps = (): Promise<string[]> => cardbell().store.zrange('{cardbell:in}:web-gaps', '0', '-1');

it('shows events once that were acknowledged and lost before a worker saw them', async () => {
  const { workers } = cardbell();
  const sent = declines(40);
  const expected = [...(await shown()), ...sent.map(({ amountCents }) => amountCents)];
  const gapsBefore = (await gaps()).length;

  await losing(async () => {
    workers[0]?.kill('SIGSTOP');
    await take(sent);
  });
  workers[0]?.kill('SIGCONT');

  await until(async () => (await shown()).length >= expected.length, 'all are shown', 60_000);
  await until(async () => (await gaps()).length > gapsBefore, 'the lost time is recorded as a gap');
  await quiet(cardbell());
  expect(await shown()).toEqual(expected);
}, 120_000);

const canSlowSyncs = spawnSync('strace', ['-V']).status === 0;

/** Makes each disk sync of this Redis take this long from now on. */
async function slowSyncs(pid: number, seconds: number): Promise<void> {
  const calls = 'fsync,fdatasync';
  const inject = `inject=${calls}:delay_enter=${seconds * 1_000_000}`;
  const strace = spawn('strace', ['-f', '-p', String(pid), '-e', `trace=${calls}`, '-e', inject], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [first] = await once(strace.stderr, 'data');
  expect(String(first)).toContain('attached');
  strace.stderr.resume();
}

it.runIf(canSlowSyncs)(
  'shows events once that were acknowledged during a four-second disk sync before Redis was killed',
  async () => {
    const { redis, store, workers } = cardbell();
    const running = again ?? redis;
    const sent = declines(40);
    const expected = [...(await shown()), ...sent.map(({ amountCents }) => amountCents)];
    const isSyncing = async (): Promise<boolean> =>
      (await store.info('persistence')).includes('aof_pending_bio_fsync:1');
    workers[0]?.kill('SIGSTOP');
    await slowSyncs(running.pid, 4);

    await until(async () => !(await isSyncing()), 'no sync is running');
    await store.set('written', 'by the test');
    await until(isSyncing, 'a sync has begun');
    await take(sent);
    await running.kill();
    // Redis delays its writes for two seconds, so all 40 are lost unless the machine is too slow.
    again = await startRedis({ port: redis.port, folder: redis.folder });
    workers[0]?.kill('SIGCONT');

    await until(async () => (await shown()).length >= expected.length, 'all are shown', 60_000);
    await quiet(cardbell());
    expect(await shown()).toEqual(expected);
  },
  120_000,
);

it('does not repost alerts that were posted in the lost time', async () => {
  const [worker] = cardbell().workers;
  const expected = await shown();
  const sent = declines(30);
  // The restored Redis still has them waiting.
  worker?.kill('SIGSTOP');
  await take(sent);

  await losing(async () => {
    worker?.kill('SIGCONT');
    await quiet(cardbell());
  });
  // Afterwards everything works as usual.
  const later = declines(5);
  await take(later);
  await until(async () => (await shown()).length >= expected.length + 35, 'all are shown', 60_000);
  await quiet(cardbell());

  const amounts = [...sent, ...later].map(({ amountCents }) => amountCents);
  expect(await shown()).toEqual([...expected, ...amounts]);
}, 120_000);

it('records a block made in the lost time, and does not block again', async () => {
  const { store, deliver, waitFor, press, take: takeAccount, account, writes } = cardbell();
  const { AcctId } = takeAccount('ACTIVE');
  await deliver(sampleWebhook('decline.rule.mcc', { AcctId, MerchantName: `Lost Corner ${AcctId}` }));
  const alert = await waitFor(channels.declines, new RegExp(`Lost Corner ${AcctId}`));
  await quiet(cardbell());
  const before = writes().length;

  await losing(async () => {
    await press(people.olga, alert, 'block_card');
    await until(() => account(AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'the card is blocked');
    await quiet(cardbell());
  });
  await quiet(cardbell());

  const chain = await store.lrange('{cardbell:audit}:chain', 0, -1);
  const events = chain.map((line) => JSON.parse(line).record).filter((record) => record.acctId === AcctId);
  expect(events.map(({ event }) => event)).toEqual(expect.arrayContaining(['asked', 'sent', 'done']));
  expect(events.filter(({ actor }) => actor?.userId !== people.olga)).toEqual([]);
  expect(writes().slice(before)).toHaveLength(1);
}, 120_000);

it('keeps what people set and removed in the lost time, and repeats nothing', async () => {
  const { store, deliver, waitFor, waitTold, press, take: takeAccount, command } = cardbell();
  const [linked, unlinked, muted] = [takeAccount('ACTIVE'), takeAccount('ACTIVE'), takeAccount('ACTIVE')];
  const { ana, olga, hugo } = people;
  await command(ana, `link ${unlinked.AcctId} @hugo`);
  await waitTold(ana, /linked/i);
  await command(olga, `mute ${muted.AcctId} 1h`);
  await waitTold(olga, /is muted until/);
  await deliver(sampleWebhook('decline.rule.velocity', { AcctId: linked.AcctId, MerchantName: 'Lost Request' }));
  await waitFor(channels.declines, /Lost Request/);
  await command(ana, `limit ${muted.AcctId} daily 200`);
  await waitTold(ana, /Limit changed.*200/);
  await quiet(cardbell());
  const links = createLinks(store, () => new Date());
  const before = (await auditOf(store)).length;

  await losing(async () => {
    await command(ana, `link ${linked.AcctId} @hugo`);
    await command(ana, `unlink ${unlinked.AcctId}`);
    await command(olga, `unmute ${muted.AcctId}`);
    await command(ana, 'subscribe settlements over 5000');
    await command(ana, `limit ${muted.AcctId} daily 1600`);
    const request = await waitFor(channels.approvals, /1,600/);
    await quiet(cardbell());
    await press(people.ben, request, 'decide_request_approve');
    await until(
      async () =>
        (await createRequests(store, null).requestsOf(muted.AcctId)).some(({ state }) => state === 'approved'),
      'the request is approved',
    );
    await quiet(cardbell());
  });
  // Until the worker has noticed the loss, nothing is under way.
  await until(async () => (await links.ofAccount(linked.AcctId)) !== null, 'the worker has repeated what was lost');
  await quiet(cardbell());

  expect((await links.ofAccount(linked.AcctId))?.userId).toBe(hugo);
  expect(await links.ofAccount(unlinked.AcctId), 'the link does not come back').toBeNull();
  expect(await createMutes(store, () => new Date()).inForce(), 'the mute does not come back').toEqual([]);
  expect((await createSubscriptions(store).all()).map(({ filter }) => filter)).toEqual(['settlements over $5,000.00']);
  expect(await createRequests(store, null).requestsOf(muted.AcctId)).toMatchObject([{ state: 'approved' }]);
  const done = (await auditOf(store)).slice(before).filter(({ event }) => event === 'done');
  expect(done.map(({ verb }) => verb).toSorted()).toEqual(['limit', 'link', 'subscribe', 'unlink', 'unmute']);
}, 180_000);

it('finds posted alerts in the channel and records an unknown change as discovered when every process dies with Redis', async () => {
  const { store, sandbox, texts, waitFor, press, take: takeAccount, account, webs, workers } = cardbell();
  const { startWeb, startWorker, command, waitTold } = cardbell();
  const { AcctId } = takeAccount('ACTIVE');
  // A change is only detected for a card whose earlier status is known.
  await command(people.olga, `show ${AcctId}`);
  await waitTold(people.olga, /Active/i);
  const posted = (): string[] => texts(channels.declines).filter((text) => text.includes('88,888'));
  const discovered = async (): Promise<string[]> =>
    (await store.lrange('{cardbell:audit}:chain', 0, -1)).filter(
      (line) => line.includes('"discovered"') && line.includes(`"acctId":${AcctId}`),
    );

  await losing(
    async () => {
      sandbox.purchase({ AcctId, Amount: 88_888 });
      await press(people.olga, await waitFor(channels.declines, /88,888/), 'block_card');
      await until(() => account(AcctId).CardList[0]?.CardStatus === 'BLOCKED', 'the card is blocked');
      await quiet(cardbell());
      for (const child of [...webs, ...workers]) child.kill('SIGKILL');
    },
    async () => void (await Promise.all([startWeb(), startWorker()])),
  );
  await until(async () => (await discovered()).length > 0, 'the block is on record', 90_000);
  await quiet(cardbell());

  expect(posted()).toHaveLength(1);
  expect((await discovered()).map((line) => JSON.parse(line).record)).toMatchObject([
    { acctId: AcctId, actor: null, before: 'active', after: 'blocked' },
  ]);
}, 180_000);
