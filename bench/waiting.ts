import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../local/port.ts';
import { closeQueues, openQueues } from '../src/core/queues.ts';
import { inboxKeys } from '../src/intake/intake.ts';
import { memoryOf } from '../src/intake/memory.ts';
import { countEvents } from '../src/ops/health.ts';
import { readableAmounts } from '../test/support/readable.ts';
import { answers, type Child, startChild, webOnly } from './child.ts';
import { median, row, table } from './report.ts';
import { CHANNEL } from './sample.ts';
import { stormDeclines } from './storm-declines.ts';
import { onTheirWay, type Surroundings, startSurroundings, takeAll, unposted } from './worker.ts';

/** Number of events stored at once. */
const TOGETHER = 2000;
export const FIRST_TRANSACTION = 88_000_000;
const STARTS = 3;
const LOOK_MS = 500;
/** If nothing moves for this long, it never will. */
const STANDSTILL_MS = 120_000;
export const BYTES_IN_MB = 1_048_576;

/**
 * How Cardbell starts and works while this many events wait in the inbox, compared with an empty inbox.
 *
 * @returns false when an event cannot be read in the channel afterwards, or appears twice.
 */
export async function benchWaiting(events: number): Promise<boolean> {
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
    const { seconds, inQueues, memory, redisMemory } = await drain(around);
    const { lost, twice, messages } = await compare(around, events);
    const inMb = (bytes: readonly number[]): string => bytes.map((of) => count(of / BYTES_IN_MB)).join(', ');
    table(
      `${count(waiting)} events wait`,
      ['none waits', 'they wait'],
      [
        row('web: start to ready, ms', [count(empty.web), count(full.web)]),
        row('worker: start to ready, ms', [count(empty.worker), count(full.worker)]),
        row('the whole doctor, ms', ['', count(doctor.ms)]),
        row('bytes in Redis of one, with what is remembered of it', ['', count(bytesEach)]),
        row('stored in a second', ['', count(storedPerSecond)]),
        row('all posted after, s', ['', count(seconds)]),
        row('messages', ['', count(messages)]),
        row('posted in a second', ['', count(waiting / seconds)]),
        row('most memory of the worker, each quarter of that time, MB', ['', inMb(memory)]),
        row('most memory of Redis, MB', ['', inMb(redisMemory)]),
        row('cannot be read in the channel; can be read twice', ['', `${count(lost)}; ${count(twice)}`]),
        row('most events in the queues', ['', count(inQueues)]),
      ],
    );
    process.stdout.write(`\n${doctor.lines.join('\n')}\n`);
    return lost + twice === 0;
  } finally {
    await around.stop();
  }
}

export const count = (value: number): string => Math.round(value).toLocaleString('en-US');

/** @returns how many events were stored per second. */
async function fill({ intake, acctIds }: Surroundings, events: number): Promise<number> {
  const startedAt = performance.now();
  for (let from = 0; from < events; from += TOGETHER) {
    const declines = stormDeclines(Math.min(TOGETHER, events - from), acctIds, FIRST_TRANSACTION, from);
    await takeAll(
      intake,
      declines.map(({ body }) => body),
    );
  }
  return (events * 1000) / (performance.now() - startedAt);
}

/** Starts a process and waits until it reports that it is ready. */
export async function start({ env }: Surroundings, name: 'web' | 'worker'): Promise<Child> {
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

/**
 * Lets a worker post all events, while Slack accepts one message per second and the card service never answers.
 *
 * @throws Error when nothing moves any more.
 */
async function drain(around: Surroundings): Promise<Drained> {
  const { redis, sandbox } = around;
  sandbox.faults.add({ path: /./, kind: 'hang', times: Number.POSITIVE_INFINITY });
  const queues = openQueues(redis, 1, { onlyLook: true });
  const child = await start(around, 'worker');
  const startedAt = performance.now();
  const [memory, redisMemory, inQueues]: [number[], number[], number[]] = [[], [], []];
  let [left, since] = [Number.POSITIVE_INFINITY, startedAt];
  while (left > 0) {
    await sleep(LOOK_MS);
    const now = (await onTheirWay(redis)) + (await unposted(redis));
    if (now !== left) [left, since] = [now, performance.now()];
    if (performance.now() - since > STANDSTILL_MS) throw new Error(`${left} are left, and none of them moves`);
    memory.push(child.memoryBytes());
    redisMemory.push((await memoryOf(redis)).used);
    inQueues.push(await countEvents(queues, ['waiting', 'active', 'delayed']));
  }
  const seconds = (performance.now() - startedAt) / 1000;
  await child.stop();
  await closeQueues(queues);
  return { seconds, inQueues: Math.max(...inQueues), memory: quarters(memory), redisMemory: quarters(redisMemory) };
}

interface Drained {
  readonly seconds: number;
  /** Most events in the queues at any check. */
  readonly inQueues: number;
  /** Most bytes in each quarter of the time. */
  readonly memory: readonly number[];
  readonly redisMemory: readonly number[];
}

export function quarters(values: readonly number[]): number[] {
  return [0, 1, 2, 3].map((index) => {
    const [from, to] = [index, index + 1].map((of) => Math.floor((of * values.length) / 4));
    return values.slice(from, to).reduce((most, value) => Math.max(most, value), 0);
  });
}

/** How many of the declines cannot be read in the channel, and how many appear more than once. */
export async function compare({ workspace }: Surroundings, events: number) {
  const times = new Map<number, number>();
  for (const message of workspace.messages(CHANNEL))
    for (const cents of await readableAmounts(workspace, [message])) times.set(cents, (times.get(cents) ?? 0) + 1);
  const all = stormDeclines(events, [1]).map(({ amountCents }) => amountCents);
  return {
    lost: all.filter((cents) => !times.has(cents)).length,
    twice: [...times.values()].filter((number) => number > 1).length,
    messages: workspace.messages(CHANNEL).length,
  };
}

async function runDoctor(around: Surroundings): Promise<{ readonly ms: number; readonly lines: readonly string[] }> {
  const web = await start(around, 'web');
  const program = fileURLToPath(new URL('../bin/doctor.js', import.meta.url));
  // The doctor needs the variables of both processes.
  const env = { PATH: process.env.PATH ?? '', ...around.env, ...webOnly, PORT: '1' };
  const startedAt = performance.now();
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env }).catch(
    // Exits with 1 when it finds something to do, such as no web process at this address.
    (ended: { readonly stdout: string }) => ended,
  );
  const ms = performance.now() - startedAt;
  await web.stop();
  return { ms, lines: stdout.split('\n').filter((line) => /wait|posted within|will use/.test(line)) };
}
