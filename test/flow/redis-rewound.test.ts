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
  // Recovery asks for every account.
  env: { CARD_API_ASSUMPTIONS: JSON.stringify({ callsPerMinute: 6000, detailCallsPerMinute: 6000 }) },
});
const { declines, take, shown } = useDeclines(cardbell);
let again: LocalRedis | undefined;
afterAll(async () => {
  await again?.stop();
});

/** Redis loses everything that happens in `meanwhile`, as after a failover, a power failure or a slow disk. */
async function losing(meanwhile: () => Promise<void>, restart = async (): Promise<void> => {}): Promise<void> {
  const { redis } = cardbell();
  const running = again ?? redis;
  const files = join(redis.folder, 'appendonlydir');
  // What was written until now is on disk after the next sync.
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

it('events that were acknowledged and lost before a worker saw them are shown once', async () => {
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
  await until(async () => (await gaps()).length > gapsBefore, 'the time that was lost is a gap');
  await quiet(cardbell());
  expect(await shown()).toEqual(expected);
}, 120_000);

const canSlowSyncs = spawnSync('strace', ['-V']).status === 0;

/** Each sync of the disk by this Redis takes so long from now on. */
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
  'events that were acknowledged while a sync of the disk took four seconds, before Redis was killed, are shown once',
  async () => {
    const { redis, store, workers } = cardbell();
    const running = again ?? redis;
    const sent = declines(40);
    const expected = [...(await shown()), ...sent.map(({ amountCents }) => amountCents)];
    const isSyncing = async (): Promise<boolean> =>
      (await store.info('persistence')).includes('aof_pending_bio_fsync:1');
    workers[0]?.kill('SIGSTOP');
    await slowSyncs(running.pid, 4);

    await until(async () => !(await isSyncing()), 'no sync is under way');
    await store.set('written', 'by the test');
    await until(isSyncing, 'a sync has begun');
    await take(sent);
    await running.kill();
    // It holds its writes back for two seconds: on a machine with time for it, all 40 are gone.
    again = await startRedis({ port: redis.port, folder: redis.folder });
    workers[0]?.kill('SIGCONT');

    await until(async () => (await shown()).length >= expected.length, 'all are shown', 60_000);
    await quiet(cardbell());
    expect(await shown()).toEqual(expected);
  },
  120_000,
);

it('alerts that were posted in the time that was lost are not posted again', async () => {
  const [worker] = cardbell().workers;
  const expected = await shown();
  const sent = declines(30);
  // What comes back is a Redis in which they still wait.
  worker?.kill('SIGSTOP');
  await take(sent);

  await losing(async () => {
    worker?.kill('SIGCONT');
    await quiet(cardbell());
  });
  // Afterwards everything goes on as always.
  const later = declines(5);
  await take(later);
  await until(async () => (await shown()).length >= expected.length + 35, 'all are shown', 60_000);
  await quiet(cardbell());

  const amounts = [...sent, ...later].map(({ amountCents }) => amountCents);
  expect(await shown()).toEqual([...expected, ...amounts]);
}, 120_000);

it('a block that was made in the time that was lost is on record, and is not made again', async () => {
  const { store, deliver, waitFor, press, take: takeAccount, account, writes } = cardbell();
  const { AcctId } = takeAccount('ACTIVE');
  await deliver(sampleWebhook('decline.rule.mcc', { AcctId, MerchantName: 'Lost Corner' }));
  const alert = await waitFor(channels.declines, /Lost Corner/);
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
  expect(events.every(({ actor }) => actor?.userId === people.olga)).toBe(true);
  expect(writes().slice(before)).toHaveLength(1);
}, 120_000);

it('what people set and took away in the time that was lost stays so, and nothing of it is done again', async () => {
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
  const links = createLinks(store);
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
  await quiet(cardbell());

  expect((await links.ofAccount(linked.AcctId))?.userId).toBe(hugo);
  expect(await links.ofAccount(unlinked.AcctId), 'the link does not come back').toBeNull();
  expect(await createMutes(store).inForce(), 'the mute does not come back').toEqual([]);
  expect((await createSubscriptions(store).all()).map(({ filter }) => filter)).toEqual([
    'settlements and over $5,000.00',
  ]);
  expect(await createRequests(store, null).requestsOf(muted.AcctId)).toMatchObject([{ state: 'approved' }]);
  const done = (await auditOf(store)).slice(before).filter(({ event }) => event === 'done');
  expect(done.map(({ verb }) => verb).toSorted()).toEqual(['limit', 'link', 'subscribe', 'unlink', 'unmute']);
}, 180_000);

it('when every process dies with Redis, what was posted is found in the channel, and a change that no record knows is on record as discovered', async () => {
  const { store, sandbox, texts, waitFor, press, take: takeAccount, account, webs, workers } = cardbell();
  const { startWeb, startWorker, command, waitTold } = cardbell();
  const { AcctId } = takeAccount('ACTIVE');
  // Only a card whose status was seen before can be found to have changed.
  await command(people.olga, `show ${AcctId}`);
  await waitTold(people.olga, /Active/i);
  const posted = (): string[] => texts(channels.declines).filter((text) => text.includes('88,888'));
  const discovered = async (): Promise<string[]> =>
    (await store.lrange('{cardbell:audit}:chain', 0, -1)).filter((line) => line.includes('"discovered"'));

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
