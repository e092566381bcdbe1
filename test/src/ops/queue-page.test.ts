import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { createLog } from '../../../src/core/log.ts';
import { closeQueues, openQueues, type Queues } from '../../../src/core/queues.ts';
import { connectPatient, type RedisClient } from '../../../src/core/redis.ts';
import { createQueuePage } from '../../../src/ops/queue-page.ts';

const PASSWORD = 'a password of the people who run it';
const log = createLog({ level: 'silent', process: 'test' });
let local: LocalRedis;
let redis: RedisClient;
let queues: Queues;

beforeAll(async () => {
  local = await startRedis();
  const tls = { ca: undefined, isInsecure: false };
  redis = connectPatient({ urls: [local.url], sentinel: null, tls, log, name: 'test' });
  queues = openQueues(redis);
});

afterAll(async () => {
  await closeQueues(queues);
  await local.stop();
});

const basic = (password: string, user = 'ops'): Record<string, string> => ({
  authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});

/** Serves the page the way the admin port does. */
async function serve(isWritable = false, now?: () => number, shown = queues) {
  const page: RequestListener = createQueuePage(shown, { password: PASSWORD, isWritable }, now);
  const server = createServer(page).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return async (path: string, headers: Record<string, string> = basic(PASSWORD), method = 'GET') =>
    await fetch(`http://127.0.0.1:${port}/queues${path}`, { method, headers });
}

async function failedJob(): Promise<string> {
  const job = await queues.alerts.add('deliver-alert', {
    id: 'evt_0h3k7m2p9q4r8s5t',
    kind: 'decline',
    acctId: 1_000_004,
    holder: 'Sam Rivera',
    merchant: { name: 'Corner Diner' },
    actor: { userId: 'U1', name: 'sam' },
    verb: 'a long sentence that somebody typed',
  });
  return String(job.id);
}

it('requires the password, with any user name', async () => {
  const ask = await serve();
  for (const headers of [
    {},
    basic('wrong'),
    basic(''),
    basic(`${PASSWORD}x`),
    { authorization: `Bearer ${PASSWORD}` },
  ]) {
    for (const path of ['', '/', '/api/queues', '/static/favicon.ico']) {
      const response = await ask(path, headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toBe('Basic realm="Cardbell"');
      expect(await response.text()).not.toContain('alerts');
    }
    // Resets the limit on wrong passwords.
    await ask('/', basic(PASSWORD));
  }
  expect((await ask('/', basic(PASSWORD, 'anybody'))).status).toBe(200);
});

it('serves the page with its scripts', async () => {
  const ask = await serve();
  const response = await ask('/');
  expect(response.headers.get('content-type')).toContain('text/html');
  expect(response.headers.get('x-frame-options')).toBe('DENY');
  const html = await response.text();
  expect(html).toContain('<base href="/queues/"');
  const script = /src="(static\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
  expect((await ask(`/${script}`)).status).toBe(200);
});

it("shows only the ids in a job's data, and no names, amounts or text", async () => {
  const id = await failedJob();
  const ask = await serve();
  for (const path of ['/api/queues?activeQueue=alerts&status=latest', `/api/queues/alerts/${id}`]) {
    const text = await (await ask(path)).text();
    expect(text).toContain('evt_0h3k7m2p9q4r8s5t');
    expect(text).toContain('"userId":"U1"');
    expect(text).not.toMatch(/Rivera|Diner|sentence|"sam"/);
  }
});

it('is read-only unless writing is enabled', async () => {
  const id = await failedJob();
  const ask = await serve();
  for (const path of [`/api/queues/alerts/${id}/clean`, '/api/queues/pause', '/api/queues/alerts/empty']) {
    expect((await ask(path, basic(PASSWORD), 'PUT')).status).toBe(405);
  }
  expect(await queues.alerts.getJob(id)).toBeDefined();
  expect(await queues.alerts.isPaused()).toBe(false);
});

it('when enabled, can run a job now, but cannot remove jobs, which would go unaudited, or add jobs', async () => {
  const other = await failedJob();
  const { id: delayed } = await queues.alerts.add('deliver-alert', {}, { delay: 3_600_000 });
  const ask = await serve(true);
  expect((await ask(`/api/queues/alerts/${delayed}/promote`, basic(PASSWORD), 'PUT')).status).toBeLessThan(300);
  expect(await (await queues.alerts.getJob(String(delayed)))?.getState()).toBe('waiting');

  for (const [method, path] of [
    ['PUT', `alerts/${other}/clean`],
    ['PUT', 'alerts/clean/failed'],
    ['PUT', 'alerts/clean/wait'],
    ['PUT', 'alerts/empty'],
    ['PUT', 'alerts/obliterate'],
    ['PUT', 'pause'],
    ['POST', 'alerts/add'],
    ['PATCH', `alerts/${other}/update-data`],
  ] as const)
    expect((await ask(`/api/queues/${path}`, basic(PASSWORD), method)).status).toBe(405);
  expect(await queues.alerts.getJob(other)).toBeDefined();
});

it('rejects retries that another site triggers in a browser', async () => {
  const id = String((await queues.alerts.add('deliver-alert', {}, { delay: 3_600_000 })).id);
  const ask = await serve(true);
  for (const origin of ['https://evil.example', 'null'])
    expect((await ask(`/api/queues/alerts/${id}/promote`, { ...basic(PASSWORD), origin }, 'PUT')).status).toBe(405);
  expect(await (await queues.alerts.getJob(id))?.getState()).toBe('delayed');
});

it('locks out even the right password for a minute after ten wrong ones', async () => {
  let at = 0;
  const ask = await serve(false, () => at);
  for (let tries = 0; tries < 10; tries++) expect((await ask('/', basic(`guess ${tries}`))).status).toBe(401);
  const refused = await ask('/');
  expect(refused.status).toBe(429);
  expect(refused.headers.get('retry-after')).toBe('60');
  at = 60_000;
  expect((await ask('/')).status).toBe(200);
});

it("lists every shard's queues under separate names, and runs a waiting job in one of them", async () => {
  const sharded = openQueues(redis, 16);
  onTestFinished(async () => await closeQueues(sharded));
  const job = await sharded.of('alerts', 'evt_one').add('deliver-alert', {}, { jobId: 'evt_one', delay: 3_600_000 });
  const { shard } = sharded.all.find(({ queue }) => queue === sharded.of('alerts', 'evt_one')) ?? { shard: 0 };
  const ask = await serve(true, undefined, sharded);

  const { queues: listed } = (await (await ask('/api/queues')).json()) as { queues: { name: string }[] };
  expect(listed.map(({ name }) => name).filter((name) => name.endsWith('alerts'))).toEqual([
    'alerts',
    ...Array.from({ length: 15 }, (_, index) => `shard-${index + 1}-alerts`),
  ]);
  expect(shard).toBeGreaterThan(0);
  expect(
    (await ask(`/api/queues/shard-${shard}-alerts/${job.id}/promote`, basic(PASSWORD), 'PUT')).status,
  ).toBeLessThan(300);
  expect(await job.getState()).toBe('waiting');
});
