import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { defineScript, readScript } from '../core/redis-script.ts';

/** Zones differ by quarters of an hour at the least: so every zone's day is made of whole buckets. */
const BUCKET_MS = 15 * 60_000;

/** Two weeks beside one another, with room for a digest that comes late. */
const KEPT_SECONDS = 35 * 24 * 3600;

/** What is counted of one decline. */
export interface Counted {
  readonly eventId: string;
  /** When it happened, UTC ISO 8601. */
  readonly at: string;
  readonly cents: number;
  /** Its code, and the words for it. */
  readonly reason: { readonly code: string; readonly title: string };
  readonly merchant: string;
  /** Null: the card is in no group. */
  readonly group: string | null;
}

/** Sums over a stretch of time, the most first. */
export interface Tally {
  readonly count: number;
  readonly cents: number;
  readonly reasons: readonly { readonly code: string; readonly name: string; readonly count: number }[];
  readonly merchants: readonly { readonly name: string; readonly count: number }[];
  readonly groups: readonly { readonly name: string; readonly count: number }[];
}

export interface Tallies {
  /** Counts a decline, once however often it is asked to. */
  count(decline: Counted): Promise<void>;
  /** @param fromMs first moment that counts; @param toMs first that does not. Whole quarters of an hour. */
  sum(fromMs: number, toMs: number): Promise<Tally>;
}

const countSource = readScript(new URL('./count-decline.lua', import.meta.url));

/** What was declined, counted by the quarter of an hour: small, without cards or holders. Kept for five weeks. */
export function createTallies(redis: Redis | Cluster, now: () => number = Date.now): Tallies {
  const script = defineScript(redis, countSource);
  const listKey = stateKey('tally');
  const keyOf = (start: number): string => stateKey(`tally:${start}`);

  return {
    async count({ eventId, at, cents, reason, merchant, group }) {
      const atMs = Date.parse(at);
      const start = atMs - (atMs % BUCKET_MS);
      const oldest = now() - KEPT_SECONDS * 1000;
      if (!(start > oldest)) return;
      const fields: (string | number)[] = ['count', 1, 'cents', cents];
      fields.push(field('reason', reason.code, reason.title), 1, field('merchant', merchant), 1);
      if (group !== null) fields.push(field('group', group), 1);
      await script.run(
        [keyOf(start), `${keyOf(start)}:events`, listKey],
        [eventId, start, KEPT_SECONDS, oldest, ...fields],
      );
    },

    async sum(fromMs, toMs) {
      const starts = await redis.zrangebyscore(listKey, fromMs, `(${toMs}`);
      const sums = new Map<string, number>();
      const buckets = await Promise.all(starts.map((start) => redis.hgetall(keyOf(Number(start)))));
      for (const bucket of buckets)
        for (const [name, number] of Object.entries(bucket)) sums.set(name, (sums.get(name) ?? 0) + Number(number));

      const rows = [...sums]
        .filter(([name]) => name.startsWith('['))
        .map(([name, count]) => ({ parts: JSON.parse(name) as string[], count }))
        .toSorted((one, other) => other.count - one.count || one.parts.join().localeCompare(other.parts.join()));
      const of = (kind: string) =>
        rows.filter(({ parts }) => parts[0] === kind).map(({ parts, count }) => ({ name: parts.at(-1) ?? '', count }));
      return {
        count: sums.get('count') ?? 0,
        cents: sums.get('cents') ?? 0,
        reasons: rows
          .filter(({ parts }) => parts[0] === 'reason')
          .map(({ parts, count }) => ({ code: parts[1] ?? '', name: parts[2] ?? '', count })),
        merchants: of('merchant'),
        groups: of('group'),
      };
    },
  };
}

function field(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}
