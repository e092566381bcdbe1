import { countAlerts } from '../../src/alerts/alert-store.ts';
import { outboxKey } from '../../src/core/keys.ts';
import { closeQueues, openQueues, type Queues } from '../../src/core/queues.ts';
import { type RedisClient, serversOf } from '../../src/core/redis.ts';
import { shardsOf } from '../../src/core/shards.ts';
import { memoryOf } from '../../src/intake/memory.ts';
import { countEvents, readInbox } from '../../src/ops/health.ts';
import { BATCH_MAX } from '../../src/outbox/flush-outbox.ts';
import { channelsKey } from '../../src/outbox/outbox-store.ts';
import { defaultThrottle } from '../../src/outbox/send-message.ts';
import { countOf } from '../../templates/core/blocks.ts';
import { type Memory, predictDrain, predictMemory, type Waits, WORKER_PER_SECOND } from './predict.ts';
import type { Report } from './report.ts';

const CHANNELS_NAMED = 3;

interface Options {
  readonly shards: number;
  /** `REDIS_FULL_PERCENT` as a fraction. */
  readonly fullAt: number;
  readonly hasWorker: boolean;
  readonly inTime: <T>(work: Promise<T>) => Promise<T>;
}

/** How much waits, how long until it is posted, and how much memory Redis will need for it. */
export async function checkWaiting(redis: RedisClient, { shards, fullAt, hasWorker, inTime }: Options, report: Report) {
  const queues = openQueues(redis, shards, { onlyLook: true });
  const waits = await inTime(readWaits(redis, queues)).catch(() => null);
  await closeQueues(queues);
  if (waits === null) {
    report.note('how much waits cannot be told: Redis does not let this user read it, or did not answer in time');
    return;
  }
  report.ok(wordsOfWaits(waits));
  report.ok(`${hasWorker ? '' : 'once a worker runs, '}${wordsOfDrain(waits)}`);
  const memory = await inTime(readMemory(redis)).catch(() => null);
  tellMemory(waits, memory, fullAt, report);
}

async function readWaits(redis: RedisClient, queues: Queues): Promise<Waits> {
  const [inbox, inQueues, channels, alerts] = await Promise.all([
    readInbox(redis, queues.shards),
    Promise.all(shardsOf(queues.shards).map((shard) => countEvents(queues, ['waiting', 'active', 'delayed'], shard))),
    redis.smembers(channelsKey),
    countAlerts(redis),
  ]);
  const outboxes = await Promise.all(
    channels.map(async (channel) => [channel, await redis.zcard(outboxKey(channel, 'queue'))] as const),
  );
  return {
    inbox: inbox.entries,
    queues: inQueues.reduce((sum, events) => sum + events, 0),
    outboxes: new Map(outboxes.filter(([, entries]) => entries > 0)),
    ...alerts,
  };
}

/** Across all nodes. No limit if any of them has none. */
async function readMemory(redis: RedisClient): Promise<Memory> {
  const each = await Promise.all(serversOf(redis).map(memoryOf));
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  return {
    used: sum(each.map(({ used }) => used)),
    max: each.some(({ max }) => max === 0) ? 0 : sum(each.map(({ max }) => max)),
  };
}

const count = (value: number): string => value.toLocaleString('en-US');
const megabytes = (bytes: number): string => `${count(Math.round(bytes / 1_048_576))} MB`;

function duration(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7200 ? countOf(Math.ceil(seconds / 60), 'minute') : countOf(Math.ceil(seconds / 3600), 'hour');
}

function wordsOfWaits({ inbox, queues, outboxes }: Waits): string {
  const fullest = [...outboxes].toSorted(([, a], [, b]) => b - a);
  if (inbox + queues === 0 && fullest.length === 0) return 'no event waits';
  const named = fullest.slice(0, CHANNELS_NAMED).map(([channel, entries]) => `${count(entries)} for ${channel}`);
  const others = fullest.length - named.length;
  const rest = others > 0 ? `, and some for ${countOf(others, 'more channel')}` : '';
  const outbox = named.length === 0 ? 'alerts in outboxes: none' : `alerts in outboxes: ${named.join(', ')}${rest}`;
  return `webhooks and requests in the inbox: ${count(inbox)}, events in the queues: ${count(queues)}, ${outbox}`;
}

function wordsOfDrain(waits: Waits): string {
  const { fullest, shortestMs, longestMs } = predictDrain(waits, {
    batchMax: BATCH_MAX,
    postMs: defaultThrottle.postMs,
  });
  if (fullest === 0) return 'what waits is posted at once';
  return (
    `what waits is posted within ${duration(shortestMs)} where up to ${BATCH_MAX} alerts share a message, and within ` +
    `${duration(longestMs)} where each needs its own: Slack takes one message a second in a channel, one worker ` +
    `handles about ${count(WORKER_PER_SECOND)} events a second, and the fullest channel gets at most ${count(fullest)}`
  );
}

export function tellMemory(waits: Waits, memory: Memory | null, fullAt: number, report: Report): void {
  const predicted = memory === null ? null : predictMemory(waits, memory, fullAt);
  if (predicted === null) {
    report.note('how much memory will be needed cannot be told: Redis does not tell how much it uses');
    return;
  }
  const { stored, level, limit, isTooMuch } = predicted;
  const rate =
    waits.lastDay === 0
      ? 'no event came in the last 24 hours, so where it levels off cannot be told'
      : `at today's rate (events in the last 24 hours: ${count(waits.lastDay)}) it levels off at ${megabytes(level)} after 30 days`;
  const what = `will use ${megabytes(stored)} when all that waits is stored; ${rate}`;
  const share = `${Math.round(fullAt * 100)} % of maxmemory (REDIS_FULL_PERCENT)`;
  if (limit === null) report.note(`${what}; without maxmemory it has no limit to be compared with`);
  else if (!isTooMuch) report.ok(`${what}; webhooks are refused above ${megabytes(limit)}, ${share}`);
  else
    report.fix(
      `${what}: more than ${megabytes(limit)}, ${share}, above which webhooks are refused`,
      'raise maxmemory before it is reached',
    );
}
