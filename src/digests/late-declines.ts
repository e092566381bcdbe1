import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createRecordStore, recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Span } from './schedule-store.ts';
import { added, BUCKET_TTL_SECONDS, mergeRows, noSums, type Sums, type Tallies } from './tally-store.ts';

const sums = { count: z.int(), attempts: z.int(), cents: z.int() };

/** What the digests of a schedule have shown so far: the sums of this span when the last of them was made. */
const Shown = z.strictObject({ fromMs: z.int(), toMs: z.int(), ...sums });
export type Shown = z.infer<typeof Shown>;

const Row = z.strictObject({
  code: z.string(),
  reason: z.string(),
  merchant: z.string(),
  group: z.string().nullable(),
  ...sums,
});

const Counted = z.strictObject({
  /** The declines of the digest's own period. */
  declines: z.array(Row),
  /** What was added to earlier periods after the last digest. */
  late: z.strictObject(sums),
  /** What all digests have shown once this one is sent. */
  shown: Shown,
});
/** What a digest counts. */
export type Counted = z.infer<typeof Counted>;

export type ShownDeclines = ReturnType<typeof createShownDeclines>;

/** What digests counted, so that the next one can tell what arrived after the last. */
export function createShownDeclines(redis: RedisClient) {
  const format = recordFormat(Counted);
  const keyOf = (id: string): string => stateKey(`digest-counted:${id}`);
  const shown = createRecordStore({
    redis,
    schema: Shown,
    keyOf: (schedule: string) => stateKey(`digest-shown:${schedule}`),
    ttlSeconds: BUCKET_TTL_SECONDS,
  });
  return {
    /** @param schedule its channel and kind. Null when it had no digest yet. */
    shownBy: shown.get,
    setShown: (schedule: string, what: Shown): Promise<void> => shown.put(schedule, what),
    /** Keeps what a digest counts. @returns what was kept first: a digest that is made again must not count anew. */
    async keepCounted(id: string, counted: Counted, keptMs: number): Promise<Counted> {
      await redis.set(keyOf(id), format.write(counted), 'PX', keptMs, 'NX');
      return format.readOrNull(await redis.get(keyOf(id))) ?? counted;
    },
  };
}

/** An event may return for this long after it happened: as long as the tallies remember that they counted it. */
const LATE_MS = 15 * 24 * 3_600_000;

/**
 * Reads what a digest counts: the declines of its period, and what earlier periods have gained since the last digest.
 *
 * @param last what the schedule's digests have shown; null before the first one.
 */
export async function countDeclines({ sum }: Pick<Tallies, 'sum'>, period: Span, last: Shown | null): Promise<Counted> {
  const before = last ?? { fromMs: period.fromMs, toMs: period.fromMs, ...noSums };
  const fromMs = Math.max(before.fromMs, Math.min(period.fromMs, period.toMs - LATE_MS));
  const toMs = Math.max(before.toMs, period.toMs);
  // Each part is read only once: a decline that is counted meanwhile is either in all sums or in none.
  const edges = [before.fromMs, before.toMs, fromMs, period.fromMs, period.toMs].toSorted((one, other) => one - other);
  const parts = await Promise.all(
    edges.slice(1).map(async (end, index) => {
      const start = edges[index] ?? end;
      return { start, end, rows: await sum(start, end) };
    }),
  );
  const rowsIn = (from: number, to: number) =>
    parts.filter(({ start, end }) => start >= from && end <= to).flatMap(({ rows }) => rows);
  const late = gained(before, rowsIn(before.fromMs, before.toMs).reduce(added, noSums));
  const shown = { fromMs, toMs, ...rowsIn(fromMs, toMs).reduce(added, noSums) };
  return { declines: mergeRows(rowsIn(period.fromMs, period.toMs)), late, shown };
}

/** Nothing is ever uncounted, but Redis may have lost counts. */
function gained(before: Sums, now: Sums): Sums {
  return {
    count: Math.max(0, now.count - before.count),
    attempts: Math.max(0, now.attempts - before.attempts),
    cents: Math.max(0, now.cents - before.cents),
  };
}
