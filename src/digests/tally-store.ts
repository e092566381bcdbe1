import { purchaseKey } from '../alerts/aggregation-group-store.ts';
import { batched } from '../core/batched.ts';
import type { TransactionEvent } from '../core/event.ts';
import { stateKey, webKeys } from '../core/keys.ts';
import { merchantName } from '../core/merchant-name.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';

/** Time zones are whole quarter hours apart, so a day in any zone consists of whole buckets. */
const BUCKET_MS = 15 * 60_000;

/**
 * Declines are counted per quarter hour, so periods start and end at one: for a digest at 09:05, at 09:00. Otherwise no
 * digest would include events from 09:05 to 09:15.
 */
export function wholeQuarter(ms: number): number {
  return ms - (ms % BUCKET_MS);
}

/** On the last day of a month, the two months before it can still be compared; plus room for a late digest. */
export const BUCKET_TTL_SECONDS = 100 * 24 * 3600;

/** As long as the same event may return: a failed job is kept for 14 days. */
const COUNTED_TTL_SECONDS = 15 * 24 * 3600;

/** Attempts at one purchase follow the first of them within a day: see {@link purchaseKey}. */
export const ATTEMPTS_MS = 24 * 3_600_000;
/** An attempt may arrive late. */
const FIRST_ATTEMPT_TTL_SECONDS = 3 * 24 * 3600;

/** A declined attempt. */
interface Counted {
  readonly event: TransactionEvent;
  /** The decline code, and its title in words. */
  readonly reason: { readonly code: string; readonly title: string };
  /** Null when the card is in no group. */
  readonly group: string | null;
}

/** What is written of an attempt. */
function attemptOf({ event, reason, group }: Counted) {
  const atMs = Date.parse(event.occurredAt);
  const shop = merchantName(event.merchant.name);
  return {
    eventId: event.id,
    cents: event.amountCents,
    /** Of its quarter hour (ms). */
    start: wholeQuarter(atMs),
    atMs,
    purchase: purchaseKey(event),
    about: JSON.stringify([reason.code, reason.title, shop.name.slice(0, 80), group]),
  };
}

/** A purchase is one decline however often it was tried, and its dollars count once. */
export interface Sums {
  readonly count: number;
  readonly attempts: number;
  readonly cents: number;
}

/** The declines of one reason and group at one merchant. */
export interface TallyRow extends Sums {
  readonly code: string;
  readonly reason: string;
  readonly merchant: string;
  /** Null for cards that are in no group. */
  readonly group: string | null;
}

export type Tallies = ReturnType<typeof createTallies>;

const countSource = readScript(new URL('./count-decline.lua', import.meta.url));

/** Declines counted per quarter hour, without cards or holders. Kept long enough to compare two months. */
export function createTallies(redis: RedisClient, now: () => Date) {
  const script = defineScript(redis, countSource);
  const listKey = stateKey('tally');
  const keyOf = (start: number): string => stateKey(`tally:${start}`);
  const oldest = (): number => now().getTime() - BUCKET_TTL_SECONDS * 1000;
  const countAll = batched(async (all: readonly ReturnType<typeof attemptOf>[]) => {
    const starts = [...new Set(all.map(({ start }) => start))];
    const buckets = starts.flatMap((start) => [keyOf(start), `${keyOf(start)}:events`]);
    const firsts = all.map(({ purchase }) => stateKey(`tally-first:${purchase}`));
    const lasts = [BUCKET_TTL_SECONDS, oldest(), ATTEMPTS_MS, FIRST_ATTEMPT_TTL_SECONDS, COUNTED_TTL_SECONDS];
    const numbers = new Map(starts.map((start, index) => [start, index + 1]));
    const args = all.map(
      ({ eventId, start, atMs, about, cents }) => `${eventId} ${numbers.get(start)} ${atMs} ${cents} ${about}`,
    );
    await script.run([listKey, ...buckets, ...firsts], [...lasts, starts.length, ...starts, ...args]);
    return all.map(() => null);
  });

  return {
    /** Idempotent. */
    async count(counted: Counted): Promise<void> {
      const attempt = attemptOf(counted);
      if (attempt.start > oldest()) await countAll(attempt);
    },

    /**
     * One row per reason, merchant and group, largest first. Spelling variants of a merchant share a row.
     *
     * @param fromMs inclusive, @param toMs exclusive; both at quarter hours.
     */
    async sum(fromMs: number, toMs: number): Promise<TallyRow[]> {
      const starts = await redis.zrangebyscore(listKey, fromMs, `(${toMs}`);
      const buckets = await Promise.all(starts.map((start) => redis.hgetall(keyOf(Number(start)))));
      return sumBy(buckets.flatMap(rowsIn), (row) => [row.code, row.reason, merchantName(row.merchant).key, row.group]);
    },

    /** Since when declines are counted (ms). What was before is not zero, but unknown. */
    async countedSinceMs(): Promise<number> {
      return Math.max(oldest(), Number((await redis.get(webKeys.since)) ?? 0));
    },
  };
}

function rowsIn(bucket: Readonly<Record<string, string>>): TallyRow[] {
  return Object.entries(bucket).map(([about, sums]) => {
    const [code, reason, merchant, group] = JSON.parse(about) as [string, string, string, string | null];
    const [count = 0, attempts = 0, cents = 0] = sums.split(' ').map(Number);
    return { code, reason, merchant, group, count, attempts, cents };
  });
}

/** Sums the rows of each key, largest first. The descriptive fields are those of the first row. */
export function sumBy<Row extends Sums>(rows: readonly Row[], keyOf: (row: Row) => unknown): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify(keyOf(row));
    const before = sums.get(key);
    sums.set(key, before === undefined ? row : { ...before, ...added(before, row) });
  }
  return [...sums]
    .toSorted(([a, one], [b, other]) => other.count - one.count || other.cents - one.cents || a.localeCompare(b))
    .map(([, row]) => row);
}

export const noSums: Sums = { count: 0, attempts: 0, cents: 0 };

export function added(one: Sums, other: Sums): Sums {
  return {
    count: one.count + other.count,
    attempts: one.attempts + other.attempts,
    cents: one.cents + other.cents,
  };
}
