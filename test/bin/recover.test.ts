import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { listen } from '../../local/port.ts';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { startSandbox } from '../../sandbox/server.ts';
import { transactionKinds } from '../../src/core/event.ts';
import { webKeys } from '../../src/core/keys.ts';
import { createWorkers } from '../../src/ops/health.ts';
import { createRecoveries } from '../../src/recovery/recovery-store.ts';
import { createNoteArrival } from '../../src/recovery/sent-kinds.ts';
import { createQuarantineStore, quarantine } from '../../src/webhooks/quarantine.ts';

let redis: LocalRedis;
let store: Redis;
const servers: Server[] = [];

beforeEach(async () => {
  redis = await startRedis();
  store = new Redis(redis.url);
  await store.set(webKeys.since, Date.now());
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  store.disconnect();
  await redis.stop();
});

/** A server that answers every request the same. @returns its address */
async function answering(status: number, body: object): Promise<string> {
  const server = createServer((_request, response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  });
  servers.push(server);
  return `http://127.0.0.1:${await listen(server)}`;
}

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function recover(more: Record<string, string>, ...args: string[]): Promise<Ended> {
  const env = {
    PATH: process.env.PATH,
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: 'xoxb-1',
    ALERTS_CHANNEL: 'C0ALERTS',
    CARD_API_TOKEN: 'api-token-0123456789',
    ...more,
  };
  return await new Promise((resolve) => {
    execFile(process.execPath, ['dist/bin/recover.js', '--since', '2h', ...args], { env }, (error, out, err) =>
      resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });
}

it('recover --dry-run with a refused token stores nothing, and says that nothing was changed', async () => {
  const api = await answering(401, { Message: 'Authorization has been denied for this request.' });

  const ended = await recover({ CARD_API_URL: `${api}/v4` }, '--dry-run');

  expect(ended).toMatchObject({ code: 1, out: '', err: expect.stringContaining('Nothing was changed.') });
  expect(ended.err).not.toContain('kept');
  expect(await store.keys('*')).toEqual([webKeys.since]);
});

it.each([[], ['--dry-run']])(
  'recover %j refuses a Redis that no Cardbell has used: nothing would post the events',
  async (...args) => {
    await store.flushall();

    const ended = await recover({ CARD_API_URL: 'http://127.0.0.1:1/v4' }, ...args);

    expect(ended).toMatchObject({ code: 1, out: '' });
    expect(ended.err).toMatch(
      /^This Redis has no data of Cardbell: correct REDIS_URL [^\n]*\nNothing was changed\.\n$/,
    );
    expect(await store.keys('*')).toEqual([]);
  },
);

it('recover goes on if a worker uses this Redis, although no web process has started yet', async () => {
  await store.del(webKeys.since);
  await createWorkers(store).beat('w1', { isCardApiAway: false });
  const sandbox = await startService();

  const ended = await recover({ CARD_API_URL: sandbox.url, SLACK_API_URL: 'http://127.0.0.1:1/api/' });
  await sandbox.stop();

  expect(ended).toMatchObject({ code: 0, err: '' });
});

it('recover that found nothing needs no worker', async () => {
  const sandbox = await startService();
  const times = ['--since', '2m', '--until', '1m'];

  const ended = await recover({ CARD_API_URL: sandbox.url, SLACK_API_URL: 'http://127.0.0.1:1/api/' }, ...times);
  await sandbox.stop();

  expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('; 0 recovered.'), err: '' });
});

it('recover that gets no answer names the command that continues: with the times of this gap, not "2h" ago', async () => {
  const api = await answering(401, { Message: 'Authorization has been denied for this request.' });
  const service = { CARD_API_URL: `${api}/v4`, SLACK_API_URL: 'http://127.0.0.1:1/api/' };

  const ended = await recover(service);
  const [, from = '', to = ''] = /npm run recover -- --since (\S+) --until (\S+)\n/.exec(ended.err) ?? [];
  const continued = await recover(service, '--since', from, '--until', to);

  expect(ended).toMatchObject({ code: 1, err: expect.stringContaining('Everything fetched so far is kept.') });
  expect(Date.parse(to) - Date.parse(from)).toBe(2 * 3_600_000);
  expect(continued.err).toContain(`--since ${from} --until ${to}\n`);
});

it.each(['500d', '2024-01-01'])(
  'recover --since %s names the time about which the card service can be asked',
  async (since) => {
    const ended = await recover({ CARD_API_URL: 'http://127.0.0.1:1/v4' }, '--since', since);

    expect(ended).toMatchObject({
      code: 64,
      err: expect.stringContaining(`--since ${since}: The card service can be asked about the last 12 months only.\n`),
    });
  },
);

/** The card service, whose webhooks reach nobody. */
const startService = () =>
  startSandbox({
    token: 'api-token-0123456789',
    secret: 'SHARED-0123456789',
    redisUrl: redis.url,
    webhooks: 'http://127.0.0.1:1',
  });

it('recover needs no answer of Slack: a worker posts the result once Slack answers. It goes on record', async () => {
  const sandbox = await startService();

  const ended = await recover({ CARD_API_URL: sandbox.url, SLACK_API_URL: 'http://127.0.0.1:1/api/' });
  await sandbox.stop();

  expect(ended).toMatchObject({ code: 0, out: expect.stringContaining('recovered') });
  const records = await store.lrange('{cardbell:audit}:chain', 0, -1);
  expect(records.map((line) => JSON.parse(line).record)).toEqual([
    expect.objectContaining({
      event: 'asked',
      verb: 'recover',
      actor: null,
      detail: expect.stringMatching(/^what was missed between 2\S+Z and 2\S+Z, at a terminal$/),
    }),
  ]);
});

it('recover counts the same with and without --dry-run, also what is in quarantine', async () => {
  const sandbox = await startService();
  const noteArrival = createNoteArrival(createRecoveries(store), () => new Date());
  for (const kind of transactionKinds) await noteArrival({ kind });
  const { AcctId } = sandbox.accounts().find(({ CardList }) => CardList[0]?.CardStatus === 'ACTIVE') ?? { AcctId: 0 };
  const { NetworkTransactionId } = sandbox.purchase({ AcctId, Amount: 99_999 });
  sandbox.purchase({ AcctId, Amount: 88_888 });
  const body = { Data: { NetworkTransactionId, NetworkType: 'Auth', TransactionAmount: 'lots' } };
  const facts = { path: 'decline', issues: ['TransactionAmount: expected'], version: undefined };
  await createQuarantineStore(store).keep(quarantine(body, { ...facts, receivedAt: new Date().toISOString() }));

  const counted = await recover({ CARD_API_URL: sandbox.url }, '--dry-run');
  const ended = await recover({ CARD_API_URL: sandbox.url, SLACK_API_URL: 'http://127.0.0.1:1/api/' });
  await sandbox.stop();

  const [, missed, found] = /^(\d+) of (\d+) events .* were missed\. /.exec(counted.out) ?? [];
  expect(missed).toBe(found);
  expect(counted.out).toContain('. Nothing was changed.');
  for (const { out } of [counted, ended]) expect(out).toContain('Shipments and virtual card orders cannot be fetched');
  expect(ended.out).toContain(`${missed} of ${found} events that may have been due between `);
  expect(ended.out).toContain(`; ${found} recovered.`);
  expect(ended.err).toBe('No worker runs: start one, it posts what was recovered.\n');
});
