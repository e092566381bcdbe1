import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createRecordStore, recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { firstWithin } from '../core/time-window.ts';
import type { Span } from './schedule-store.ts';
import {
  added,
  BUCKET_TTL_SECONDS,
  mergeRows,
  noSums,
  Sums,
  type Tallies,
  TallyRow,
  wholeQuarter,
} from './tally-store.ts';

/** What the digests of a schedule have shown so far: the sums of this span when the last of them was made. */
const Shown = z.strictObject({ fromMs: z.int(), toMs: z.int(), ...Sums.shape });
export type Shown = z.infer<typeof Shown>;

const StoredSpan = z.strictObject({ fromMs: z.int(), toMs: z.int() });

/** What a channel's digest is about. */
const Covered = z.strictObject({
  period: StoredSpan,
  /** Whether the period is exactly a day, a week or a month. */
  isExact: z.boolean(),
  /** What it is compared with. */
  before: StoredSpan,
});
export type Covered = z.infer<typeof Covered>;

const Counted = z.strictObject({
  /** The declines of the digest's own period. */
  declines: z.array(TallyRow),
  /** What earlier digests would show by now, and did not. */
  late: Sums,
  /** What all digests have shown once this one is sent. */
  shown: Shown,
  /** Kept with the counts, because the schedule may be replaced before the digest is made again. */
  covered: Covered.optional(),
});
/** What a digest counts. */
export type Counted = z.infer<typeof Counted>;

export type ShownDeclines = ReturnType<typeof createShownDeclines>;

/** A digest that is about to count. */
interface Counting {
  readonly id: string;
  /** Whose digests show each decline once, such as a channel and a kind. */
  readonly schedule: string;
  readonly period: Span;
  readonly keptMs: number;
  readonly covered?: Covered;
}

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
  /** @returns what was kept first. */
  async function keepCounted(id: string, counted: Counted, keptMs: number): Promise<Counted> {
    const first = await firstWithin(redis, keptMs, keyOf(id), format.write(counted));
    return format.readOrNull(first) ?? counted;
  }

  return {
    keepCounted,
    /** What the digests of a schedule have shown; null before the first one. */
    lastShown: (schedule: string): Promise<Shown | null> => shown.get(schedule),
    /** What a digest counts. The first answer for an id stays: a digest that is made again must not count anew. */
    async count(tallies: Pick<Tallies, 'sum'>, { id, schedule, period, keptMs, covered }: Counting): Promise<Counted> {
      const counted = await countDeclines(tallies, { period, last: await shown.get(schedule) });
      return await keepCounted(id, { ...counted, covered }, keptMs);
    },
    /** What a digest has counted; null when it has not. */
    counted: async (id: string): Promise<Counted | null> => format.readOrNull(await redis.get(keyOf(id))),
    /** Call this once the digest is sent. */
    setShown: (schedule: string, { shown: what }: Counted): Promise<void> => shown.put(schedule, what),
  };
}

/** An event may return for this long after it happened: as long as the tallies remember that they counted it. */
const LATE_MS = 15 * 24 * 3_600_000;

interface Digested extends Pick<Counting, 'period'> {
  /** What the schedule's digests have shown; null before the first one. */
  readonly last: Pick<Shown, 'toMs'> | null;
}

/**
 * What a digest covers: its period, from the end of the last digest. That is longer ago if a digest was not sent, and less
 * long ago if the time of the digests was changed.
 *
 * @param sinceMs since when the schedule owes digests, by whatever times.
 */
export function coveredSpan({ period, last, sinceMs }: Digested & { readonly sinceMs: number }): Span {
  // A first digest that was not sent is owed. Longer ago, digests were sent, and their record is lost.
  const isLost = last === null && sinceMs < period.fromMs - LATE_MS;
  const owedFromMs = isLost ? period.fromMs : Math.min(period.fromMs, wholeQuarter(sinceMs));
  return { fromMs: Math.min(period.toMs, Math.max(owedFromMs, last?.toMs ?? owedFromMs)), toMs: period.toMs };
}

/** Reads what a digest counts: the declines of the span it covers, and what earlier spans have gained since. */
export async function countDeclines(
  { sum }: Pick<Tallies, 'sum'>,
  { period, last }: Pick<Counting, 'period'> & { readonly last: Shown | null },
): Promise<Counted> {
  const nothing = { fromMs: period.fromMs, toMs: period.fromMs, ...noSums };
  // In a gap between the two the digest was off, which ended what it owed.
  const before = last === null || last.toMs < period.fromMs ? nothing : last;
  const fromMs = Math.max(before.fromMs, Math.min(period.fromMs, period.toMs - LATE_MS));
  const toMs = Math.max(before.toMs, period.toMs);
  // Each part is read only once: a decline that is counted meanwhile is either in all sums or in none.
  const edges = [before.fromMs, before.toMs, fromMs, period.fromMs, period.toMs];
  const sorted = edges.toSorted((one, other) => one - other);
  const parts = await Promise.all(
    sorted.slice(1).map(async (end, index) => {
      const start = sorted[index] ?? end;
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
