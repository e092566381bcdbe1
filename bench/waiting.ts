import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../local/port.ts';
import { closeQueues, openQueues } from '../src/core/queues.ts';
import { inboxKeys } from '../src/intake/intake.ts';
import { memoryOf } from '../src/intake/memory.ts';
import { countEvents } from '../src/ops/health.ts';
import { toStoredEvent } from '../src/webhooks/kind.ts';
import { answers, type Child, startChild } from './child.ts';
import { median, row, table } from './report.ts';
import { SHARED_SECRET } from './sample.ts';
import { stormDeclines } from './storm-declines.ts';
import { type Surroundings, startSurroundings } from './worker.ts';

/** So many are stored at once. */
const TOGETHER = 2000;
const FIRST_TRANSACTION = 88_000_000;
const STARTS = 3;
/** How long the worker is watched, and how often. */
const WATCHED_MS = 60_000;
const LOOK_MS = 250;
const BYTES_IN_MB = 1_048_576;

/** What only the web process needs, and the doctor besides what the worker needs. */
const webOnly = {
  HOST: '127.0.0.1',
  SLACK_SIGNING_SECRET: 'bench-signing-secret',
  WEBHOOK_SHARED_SECRET: SHARED_SECRET,
};

/** How a Cardbell starts and works while so many events wait in the inbox, beside one with an empty inbox. */
export async function benchWaiting(events: number): Promise<void> {
  const around = await startSurroundings();
  const { redis } = around;
  try {
    const empty = { web: await startedInMs(around, 'web'), worker: await startedInMs(around, 'worker') };
    const { used } = await memoryOf(redis);
    const storedPerSecond = await fill(around, events);
    const waiting = await redis.xlen(inboxKeys.webhooks);
    const bytesEach = ((await memoryOf(redis)).used - used) / waiting;
    const doctor = await runDoctor(around);
    const full = { web: await startedInMs(around, 'web'), worker: await startedInMs(around, 'worker') };
    const { perSecond, most, inQueues } = await watchWorker(around);
    const count = (value: number): string => Math.round(value).toLocaleString('en-US');
    table(
      `${count(waiting)} events wait`,
      ['none waits', 'they wait'],
      [
        row('web: start to ready, ms', [count(empty.web), count(full.web)]),
        row('worker: start to ready, ms', [count(empty.worker), count(full.worker)]),
        row('the whole doctor, ms', ['', count(doctor.ms)]),
        row('bytes in Redis of one, with what is remembered of it', ['', count(bytesEach)]),
        row('stored in a second', ['', count(storedPerSecond)]),
        row(`handed on in a second, over ${WATCHED_MS / 1000} s`, ['', count(perSecond)]),
        row('most memory of the worker, first and second half, MB', [
          '',
          most.map((of) => count(of / BYTES_IN_MB)).join(' and '),
        ]),
        row('most events in the queues', ['', count(inQueues)]),
      ],
    );
    process.stdout.write(`\n${doctor.lines.join('\n')}\n`);
  } finally {
    await around.stop();
  }
}

/** @returns how many events were stored in a second. */
async function fill({ intake, acctIds }: Surroundings, events: number): Promise<number> {
  const startedAt = performance.now();
  const facts = { zone: 'America/New_York', version: '2.0.1.3', receivedAt: new Date().toISOString() };
  for (let from = 0; from < events; from += TOGETHER) {
    const bodies = stormDeclines(Math.min(TOGETHER, events - from), acctIds, FIRST_TRANSACTION, from);
    const stored = bodies.map(({ body }) => toStoredEvent(JSON.parse(body), 'decline', facts));
    await Promise.all(stored.map((event) => intake.take({ type: 'event', event })));
  }
  return (events * 1000) / (performance.now() - startedAt);
}

/** Starts a process and waits until it says that it is ready. */
async function start({ env }: Surroundings, name: 'web' | 'worker'): Promise<Child> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const its = name === 'web' ? { ...webOnly, PORT: String(port) } : {};
  const all = { ...env, ...its, ADMIN_PORT: String(adminPort) };
  return await startChild(`src/${name}.js`, all, () => answers(`http://127.0.0.1:${adminPort}/readyz`));
}

/** The median of several starts. */
async function startedInMs(around: Surroundings, name: 'web' | 'worker'): Promise<number> {
  const took: number[] = [];
  for (let times = 0; times < STARTS; times += 1) {
    const child = await start(around, name);
    took.push(child.startedInMs);
    await child.stop();
  }
  return median(took);
}

/** Lets a worker work for a while, and looks at its memory. */
async function watchWorker(around: Surroundings) {
  const { redis } = around;
  const queues = openQueues(redis, 1, { onlyLook: true });
  const before = await redis.xlen(inboxKeys.webhooks);
  const child = await start(around, 'worker');
  const startedAt = performance.now();
  const [memory, inQueues]: [number[], number[]] = [[], []];
  while (performance.now() - startedAt < WATCHED_MS) {
    await sleep(LOOK_MS);
    memory.push(child.memoryBytes());
    inQueues.push(await countEvents(queues, ['waiting', 'active', 'delayed']));
  }
  const handedOn = before - (await redis.xlen(inboxKeys.webhooks));
  const perSecond = (handedOn * 1000) / (performance.now() - startedAt);
  await child.stop();
  await closeQueues(queues);
  const half = memory.length / 2;
  return {
    perSecond,
    inQueues: Math.max(...inQueues),
    /** The most memory that it had in the first half of the time, and in the second. */
    most: [Math.max(...memory.slice(0, half)), Math.max(...memory.slice(half))] as const,
  };
}

async function runDoctor(around: Surroundings): Promise<{ readonly ms: number; readonly lines: readonly string[] }> {
  const web = await start(around, 'web');
  const program = fileURLToPath(new URL('../bin/doctor.js', import.meta.url));
  const env = { PATH: process.env.PATH ?? '', ...around.env, ...webOnly, PORT: '1' };
  const startedAt = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env }).catch(
    // It ends with 1 where it finds something to do, such as no web process at this address.
    (ended: { readonly stdout: string }) => ended,
  );
  const ms = performance.now() - startedAt;
  await web.stop();
  return { ms, lines: stdout.split('\n').filter((line) => /wait|posted within|will use/.test(line)) };
}
