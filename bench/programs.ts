import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createIntake } from '../src/intake/intake.ts';
import { startChild } from './child.ts';
import { percentile, row, table } from './report.ts';
import { type StormDecline, stormDeclines } from './storm-declines.ts';
import { eventOf, onTheirWay, startSurroundings, unposted, until } from './worker.ts';

const BURST = 10_000;
const TOGETHER = 500;
/** Longer than a channel waits between two messages. */
const EVERY_MS = 2300;
const PROBES = 8;
const LOOK_MS = 4;
const OTHER_CHANNEL = 'C0OTHER';
const DEAD_TOKEN = 'a-token-that-the-service-refuses';

/**
 * How long an event of one card program takes to be posted: alone, while another program has a burst, and while that
 * program's token is also refused. At production pace.
 */
export async function benchPrograms(): Promise<void> {
  const busy = await measure([{}]);
  const dead = await measure([{ CARD_API_TOKEN: DEAD_TOKEN }]);
  const apart = await measure([{ PROGRAM: 'first' }, { PROGRAM: 'other' }]);
  const cells = (ms: readonly number[]): string[] => [0.5, 0.9].map((share) => percentile(ms, share).toFixed(0));
  table(
    'From a webhook in the inbox of a quiet program to its message, ms',
    ['median', 'p90', 'of the burst left'],
    [
      row('alone', [...cells(busy.alone), '']),
      row(`while another program has ${BURST.toLocaleString('en-US')} declines`, [...cells(busy.beside), busy.left]),
      row('the same, and its token is refused', [...cells(dead.beside), dead.left]),
      row('the same, each program with a worker process of its own', [...cells(apart.beside), apart.left]),
    ],
  );
}

/** @param workers additional settings of each worker process. */
async function measure(workers: readonly Readonly<Record<string, string>>[]) {
  const around = await startSurroundings([OTHER_CHANNEL]);
  const { redis, workspace, intake, acctIds, env } = around;
  const ofOther = new Redis(env['REDIS_URL'] ?? '', { keyPrefix: 'other:' });
  const otherIntake = createIntake(ofOther);
  await ofOther.ping();
  const others = {
    PROGRAMS: 'other',
    OTHER_CARD_API_URL: env['CARD_API_URL'] ?? '',
    OTHER_CARD_API_TOKEN: env['CARD_API_TOKEN'] ?? '',
    OTHER_ALERTS_CHANNEL: OTHER_CHANNEL,
  };
  const children = await Promise.all(
    workers.map((more) => startChild('src/worker.js', { ...env, ...others, ...more }, async () => true)),
  );
  const probes = stormDeclines(2 * PROBES + 1, acctIds);
  /** One after the other, each when Slack accepts the next message. */
  async function probe(declines: readonly StormDecline[]): Promise<number[]> {
    const took: number[] = [];
    for (const { body } of declines) {
      const before = workspace.messages(OTHER_CHANNEL).length;
      const startedAt = performance.now();
      await otherIntake.take({ type: 'event', event: eventOf(body) });
      while (workspace.messages(OTHER_CHANNEL).length === before) await sleep(LOOK_MS);
      took.push(performance.now() - startedAt);
      await sleep(Math.max(0, startedAt + EVERY_MS - performance.now()));
    }
    return took;
  }
  // The first one loads code and opens connections.
  await probe(probes.splice(0, 1));
  const alone = await probe(probes.splice(0, PROBES));
  const burst = stormDeclines(BURST, acctIds).map(({ body }) => eventOf(body));
  for (let from = 0; from < BURST; from += TOGETHER)
    await Promise.all(burst.slice(from, from + TOGETHER).map((event) => intake.take({ type: 'event', event })));
  const left = async (): Promise<string> =>
    ((await onTheirWay(redis)) + (await unposted(redis))).toLocaleString('en-US');
  const atFirst = await left();
  const beside = await probe(probes.splice(0, PROBES));
  const atLast = await left();
  await until(async () => (await onTheirWay(redis)) + (await unposted(redis)) === 0);
  await Promise.all(children.map((child) => child.stop()));
  ofOther.disconnect();
  await around.stop();
  return { alone, beside, left: `${atFirst} to ${atLast}` };
}
