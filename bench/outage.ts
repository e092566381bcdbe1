import { setTimeout as sleep } from 'node:timers/promises';
import { memoryOf } from '../src/intake/memory.ts';
import { row, table } from './report.ts';
import { stormDeclines } from './storm-declines.ts';
import { BYTES_IN_MB, compare, count, FIRST_TRANSACTION, quarters, start } from './waiting.ts';
import { onTheirWay, type Surroundings, startSurroundings, takeAll, unposted, until } from './worker.ts';

const TICK_MS = 200;
const LOOK_MS = 2000;
const CATCH_UP_MS = 10 * 60_000;

/**
 * A steady stream of declines in one channel, while the card service answers nothing and Slack takes a message a second.
 *
 * @param minutes how long the outage and the stream last.
 * @returns false if a decline cannot be read in the channel afterwards, or twice.
 */
export async function benchOutage(events: number, minutes: number): Promise<boolean> {
  const around = await startSurroundings();
  const { redis, sandbox } = around;
  try {
    sandbox.faults.add({ path: /./, kind: 'hang', times: Number.POSITIVE_INFINITY });
    const worker = await start(around, 'worker');
    const isOver = { yes: false };
    const watching = watch(around, worker, isOver);
    await stream(around, events, minutes * 60_000);
    const endedAt = performance.now();
    await until(async () => (await onTheirWay(redis)) + (await unposted(redis)) === 0, CATCH_UP_MS);
    const behindS = (performance.now() - endedAt) / 1000;
    isOver.yes = true;
    const { waiting, memory, redisMemory } = await watching;
    const cpuMs = worker.cpuMs();
    await worker.stop();
    const { lost, twice, messages } = await compare(around, events);
    const inMb = (bytes: readonly number[]): string => bytes.map((of) => count(of / BYTES_IN_MB)).join(', ');
    table(
      `${count(events)} declines in ${minutes} minutes, the card service down, Slack at a message a second`,
      [''],
      [
        row('messages', [count(messages)]),
        row('posted after the last decline, s', [behindS.toFixed(1)]),
        row('most events that waited, each quarter', [waiting.map(count).join(', ')]),
        row('most memory of the worker, each quarter, MB', [inMb(memory)]),
        row('most memory of Redis, each quarter, MB', [inMb(redisMemory)]),
        row('worker, ms of processor time per decline', [(cpuMs / events).toFixed(2)]),
        row('cannot be read in the channel; can be read twice', [`${count(lost)}; ${count(twice)}`]),
      ],
    );
    return lost + twice === 0;
  } finally {
    await around.stop();
  }
}

/** Hands in all declines at an even pace. */
async function stream({ intake, acctIds }: Surroundings, events: number, lengthMs: number): Promise<void> {
  const startedAt = performance.now();
  for (let sent = 0; sent < events; await sleep(TICK_MS)) {
    const due = Math.min(events, Math.ceil((events * (performance.now() - startedAt)) / lengthMs));
    const declines = stormDeclines(due - sent, acctIds, FIRST_TRANSACTION, sent);
    await takeAll(
      intake,
      declines.map(({ body }) => body),
    );
    sent = due;
  }
}

async function watch(
  { redis }: Surroundings,
  worker: { memoryBytes(): number },
  isOver: { readonly yes: boolean },
): Promise<{ waiting: number[]; memory: number[]; redisMemory: number[] }> {
  const [waiting, memory, redisMemory]: [number[], number[], number[]] = [[], [], []];
  while (!isOver.yes) {
    waiting.push((await onTheirWay(redis)) + (await unposted(redis)));
    memory.push(worker.memoryBytes());
    redisMemory.push((await memoryOf(redis)).used);
    await sleep(LOOK_MS);
  }
  return { waiting: quarters(waiting), memory: quarters(memory), redisMemory: quarters(redisMemory) };
}
