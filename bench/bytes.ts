import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { allKeys } from '../test/support/kept-keys.ts';
import { row, table } from './report.ts';
import { stormDeclines } from './storm-declines.ts';
import { startWorker } from './worker.ts';

const TOGETHER = 500;
const ALONE = 40;
/** Longer than entries wait for others to share a message. */
const APART_MS = 1300;
const PIPELINE = 500;
const DAY_SECONDS = 24 * 3600;
/** Events per day for the printed estimate of final memory. */
const A_DAY = 100_000;

/** Kinds that hold a bounded number of entries. */
const bounded: ReadonlySet<string> = new Set([
  'state:declines',
  'queue:alerts:events',
  'queue:alerts:id',
  'queue:bursts:events',
  'queue:outbox:events',
]);

/**
 * What an event leaves in Redis, by kind of key: for declines that are all different, in shared messages and in one
 * message each.
 */
export async function benchBytes(events: number): Promise<void> {
  const worker = await startWorker();
  const { redis, acctIds, handle } = worker;
  const bodies = stormDeclines(2 * TOGETHER + events + ALONE, acctIds).map(({ body }) => body);
  // One-time data, and full lists of accounts, must exist before measuring.
  await handle(bodies.splice(0, 2 * TOGETHER));
  const before = await bytesByKind(redis);
  for (let left = events; left > 0; left -= TOGETHER) await handle(bodies.splice(0, Math.min(TOGETHER, left)));
  const together = await bytesByKind(redis);
  for (const body of bodies.splice(0, ALONE)) {
    await handle([body]);
    await sleep(APART_MS);
  }
  const alone = await bytesByKind(redis);
  await worker.stop();
  const kinds = [...alone.bytes.keys()]
    .filter((kind) => !bounded.has(kind) && !kind.endsWith(':stalled-check'))
    .map((kind) => ({
      kind,
      days: Math.round((alone.seconds.get(kind) ?? 0) / DAY_SECONDS),
      shared: grown(kind, before, together) / events,
      single: grown(kind, together, alone) / ALONE,
    }));
  const rows = kinds
    .filter(({ shared, single }) => Math.round(shared) !== 0 || Math.round(single) !== 0)
    .toSorted((a, b) => b.shared * b.days - a.shared * a.days)
    .map(({ kind, days, shared, single }) => row(kind, [String(days), shared.toFixed(0), single.toFixed(0)]));
  const sum = (of: 'shared' | 'single') => kinds.reduce((all, one) => all + one[of], 0).toFixed(0);
  table(
    'Bytes in Redis of one decline',
    ['kept, days', 'many to a message', 'one to a message'],
    [...rows, row('all', ['', sum('shared'), sum('single')])],
  );
  const byteDays = kinds.reduce((all, { shared, days }) => all + shared * days, 0);
  const gigabytes = ((byteDays * A_DAY) / 1e9).toFixed(2);
  const monthly = (byteDays / 30).toFixed(0);
  process.stdout.write(
    `\n  On average over 30 days ${monthly} bytes each: ${A_DAY.toLocaleString('en-US')} a day level off at ${gigabytes} GB.\n`,
  );
}

interface Kept {
  readonly bytes: ReadonlyMap<string, number>;
  /** Number of keys of each kind. */
  readonly keys: ReadonlyMap<string, number>;
  /** The longest time to live of each kind. */
  readonly seconds: ReadonlyMap<string, number>;
}

const grown = (kind: string, before: Kept, after: Kept): number =>
  (after.bytes.get(kind) ?? 0) - (before.bytes.get(kind) ?? 0);

/** Redis' memory for each kind of key, including its share of the key table. */
export async function bytesByKind(redis: Redis): Promise<Kept> {
  const bytes = new Map<string, number>();
  const keys = new Map<string, number>();
  const seconds = new Map<string, number>();
  const all = await allKeys(redis);
  for (let from = 0; from < all.length; from += PIPELINE) {
    const chunk = all.slice(from, from + PIPELINE);
    const reading = redis.pipeline();
    for (const key of chunk) reading.call('MEMORY', 'USAGE', key, 'SAMPLES', 0).ttl(key);
    const answers = (await reading.exec()) ?? [];
    for (const [at, key] of chunk.entries()) {
      const kind = kindOf(key);
      keys.set(kind, (keys.get(kind) ?? 0) + 1);
      bytes.set(kind, (bytes.get(kind) ?? 0) + Number(answers[2 * at]?.[1] ?? 0));
      seconds.set(kind, Math.max(seconds.get(kind) ?? -1, Number(answers[2 * at + 1]?.[1] ?? 0)));
    }
  }
  return { bytes, keys, seconds };
}

/** The name of a key without the parts that distinguish it from others of its kind. */
function kindOf(key: string): string {
  const [, space = '', rest = ''] = /^\{cardbell:([^}:]+)[^}]*\}:(.*)$/.exec(key) ?? [];
  // Some ids of 16 characters have no digits.
  const words = rest.split(':').filter((word) => /^[a-z][a-z-]+$/.test(word) && !/^[a-z]{16}$/.test(word));
  return [space, ...words].join(':');
}
