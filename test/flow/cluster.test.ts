import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../local/port.ts';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { startCluster } from '../../local/redis-cluster.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { useDeclines } from '../support/declines.ts';
import { channels, people } from '../support/people.ts';
import { holderOf, type RunningCardbell, startCardbell } from '../support/running-cardbell.ts';
import { settled, until } from '../support/until.ts';

/** Follows a purchase to Slack, and a click to the card service and the record. */
async function goesThrough({ take, sandbox, waitFor, press, writes, adminUrl, logs }: RunningCardbell): Promise<void> {
  // Alerts show ids until the directory has loaded the names.
  await until(() => logs().some((line) => line.includes('directory listed')), 'the directory has loaded the names');
  const account = take('ACTIVE');
  sandbox.purchase({ AcctId: account.AcctId, Amount: 99_999 });
  const alert = await waitFor(channels.declines, new RegExp(holderOf(account)));
  await press(people.olga, alert, actionId.blockCard);
  await until(
    () => writes().some(({ path, status }) => path.endsWith(`/${account.AcctId}`) && status === 200),
    'blocked',
  );
  await waitFor(channels.audit, /blocked/);
  await waitFor(channels.status, new RegExp(holderOf(account)));
  await until(
    async () => /cardbell_health_read\S* 1/.test(await (await fetch(`${adminUrl}/metrics`)).text()),
    'the health metrics are exported',
  );
}

/** Log lines that a key in the wrong slot or a broken connection would cause. */
const opsIssues = ({ logs }: RunningCardbell): string[] =>
  logs().filter((line) => /CROSSSLOT|MOVED|same slot|"level":(50|60)/.test(line));

describe('on Redis Cluster', () => {
  let cluster: Awaited<ReturnType<typeof startCluster>>;
  let cardbell: RunningCardbell;
  const declines = useDeclines(() => cardbell);
  beforeAll(async () => {
    cluster = await startCluster();
    cardbell = await startCardbell({ webs: 2, workers: 2, env: { REDIS_URL: cluster.url }, prepare: () => {} });
  });
  afterAll(async () => {
    await cardbell?.stop();
    await cluster?.stop();
  });

  it('works with three nodes, two web processes and two workers', async () => {
    await goesThrough(cardbell);
    expect(opsIssues(cardbell)).toEqual([]);
  });

  it('backfills events missed during an outage', async () => {
    const { sandbox, webs, startWeb, take, waitFor } = cardbell;
    const account = take('ACTIVE');
    sandbox.outage(true);
    for (const web of webs) web.kill('SIGKILL');
    await Promise.all(webs.map(({ exit }) => exit));
    sandbox.purchase({ AcctId: account.AcctId, Amount: 99_999 });
    await startWeb();

    const alert = await waitFor(channels.declines, new RegExp(holderOf(account)));

    expect(JSON.stringify(alert)).toMatch(/late/i);
    expect(opsIssues(cardbell)).toEqual([]);
  });

  it('keeps working while keys move between servers: uses up no attempts and shows each decline once', async () => {
    const before = await declines.shown();
    const sent = declines.declines(60);
    const taking = Promise.all(
      sent.map(async ({ body }, index) => {
        await settled(index * 50);
        // The card service retries for an hour after a 503.
        await until(async () => (await cardbell.deliver({ kind: 'decline', body })) === 200, 'the webhook is accepted');
      }),
    );
    for (const tag of ['in', 'queue', 'state', 'audit', `out:${channels.declines}`])
      await cluster.moveSlot(`{cardbell:${tag}}`);
    await taking;
    await until(
      async () => (await declines.shown()).length >= before.length + sent.length,
      'all declines are shown',
      60_000,
    );

    expect(await declines.shown()).toEqual(
      [...before, ...sent.map(({ amountCents }) => amountCents)].toSorted((a, b) => a - b),
    );
    expect(cardbell.logs().filter((line) => /job failed|non local key|"level":60/.test(line))).toEqual([]);
  });
});

describe('over TLS to Redis', () => {
  const certificate = 'test/fixtures/tls/cert.pem';
  let redis: LocalRedis;
  let cardbell: RunningCardbell;
  beforeAll(async () => {
    const port = await freePort();
    const files = ['--tls-cert-file', certificate, '--tls-key-file', 'test/fixtures/tls/key.pem'];
    const folders = files.map((file) => (file.startsWith('test/') ? `${process.cwd()}/${file}` : file));
    redis = await startRedis({ extraArgs: ['--tls-port', String(port), ...folders, '--tls-auth-clients', 'no'] });
    cardbell = await startCardbell({
      env: { REDIS_URL: `rediss://localhost:${port}`, NODE_EXTRA_CA_CERTS: certificate },
      prepare: () => {},
    });
  });
  afterAll(async () => {
    await cardbell?.stop();
    await redis?.stop();
  });

  it('works with a private certificate authority', async () => {
    await goesThrough(cardbell);
    expect(opsIssues(cardbell)).toEqual([]);
  });
});
