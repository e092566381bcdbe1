import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { defineScript, readScript } from '../core/redis-script.ts';

/** Time zones are whole quarter hours apart, so a day in any zone consists of whole buckets. */
const BUCKET_MS = 15 * 60_000;

/** Two weeks to compare, with room for a digest that comes late. */
const BUCKET_TTL_SECONDS = 35 * 24 * 3600;

/** What is counted for one decline. */
export interface Counted {
  readonly eventId: string;
  /** When it happened, UTC ISO 8601. */
  readonly at: string;
  readonly cents: number;
  /** The decline code, and its title in words. */
  readonly reason: { readonly code: string; readonly title: string };
  readonly merchant: string;
  /** Null when the card is in no group. */
  readonly group: string | null;
}

/** Sums over a period, highest count first. */
export interface Tally {
  readonly count: number;
  readonly cents: number;
  readonly reasons: readonly { readonly code: string; readonly name: string; readonly count: number }[];
  readonly merchants: readonly { readonly name: string; readonly count: number }[];
  readonly groups: readonly { readonly name: string; readonly count: number }[];
}

export type Tallies = ReturnType<typeof createTallies>;

const countSource = readScript(new URL('./count-decline.lua', import.meta.url));

/** Declines counted by the quarter hour, without cards or holders. Kept for five weeks. */
export function createTallies(redis: Redis | Cluster, now: () => number = Date.now) {
  const script = defineScript(redis, countSource);
  const listKey = stateKey('tally');
  const keyOf = (start: number): string => stateKey(`tally:${start}`);

  return {
    /** Counts a decline once, however often it is called. */
    async count({ eventId, at, cents, reason, merchant, group }: Counted): Promise<void> {
      const atMs = Date.parse(at);
      const start = atMs - (atMs % BUCKET_MS);
      const oldest = now() - BUCKET_TTL_SECONDS * 1000;
      if (!(start > oldest)) return;
      const fields: (string | number)[] = ['count', 1, 'cents', cents];
      fields.push(field('reason', reason.code, reason.title), 1, field('merchant', merchant), 1);
      if (group !== null) fields.push(field('group', group), 1);
      await script.run(
        [keyOf(start), `${keyOf(start)}:events`, listKey],
        [eventId, start, BUCKET_TTL_SECONDS, oldest, ...fields],
      );
    },

    /** @param fromMs inclusive, @param toMs exclusive; both whole quarter hours. */
    async sum(fromMs: number, toMs: number): Promise<Tally> {
      const starts = await redis.zrangebyscore(listKey, fromMs, `(${toMs}`);
      const sums = new Map<string, number>();
      const buckets = await Promise.all(starts.map((start) => redis.hgetall(keyOf(Number(start)))));
      for (const bucket of buckets)
        for (const [name, number] of Object.entries(bucket)) sums.set(name, (sums.get(name) ?? 0) + Number(number));

      const rows = [...sums]
        .filter(([name]) => name.startsWith('['))
        .map(([name, count]) => ({ parts: JSON.parse(name) as string[], count }))
        .toSorted((a, b) => b.count - a.count || a.parts.join().localeCompare(b.parts.join()));
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
