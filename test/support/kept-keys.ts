import { readFileSync } from 'node:fs';
import type { Redis } from 'ioredis';

/** One row of the table in SECURITY.md. */
export interface KeptKeys {
  readonly key: string;
  /** Longest time to live, or null for keys without a fixed one. */
  readonly seconds: number | null;
  /** Longest lifetime of an entry in a set scored by time, or null for other keys. */
  readonly entrySeconds: number | null;
  fits(key: string): boolean;
}

const units: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86_400 };

/** The table of Redis keys in SECURITY.md, most specific patterns first. */
export function keptKeys(): KeptKeys[] {
  const rows = readFileSync('SECURITY.md', 'utf8').match(/^\| `\{cardbell:.*$/gm) ?? [];
  return rows
    .map((row) => {
      const [, key, kept] = /^\| `(\{cardbell:[^`]+)` \|[^|]+\| ([^|]+) \|$/.exec(row) ?? [];
      if (key === undefined || kept === undefined) throw new Error(`a row needs one key and its lifetime: ${row}`);
      const [, count, unit = ''] = /^(\d+) (second|minute|hour|day)s?$/.exec(kept) ?? [];
      if (count === undefined && !kept.startsWith('until')) throw new Error(`${key}: kept how long? ${kept}`);
      // In other shards the key has the shard as a prefix.
      const text = key.replaceAll(/[{}]/g, '\\$&').replaceAll('*', '.*');
      const pattern = new RegExp(`^${text.replace(/^\\\{cardbell:(in|queue)/, '\\{cardbell(?::\\d\\d\\w+)?:$1')}$`);
      const seconds = count === undefined ? null : Number(count) * (units[unit] ?? 0);
      const [, entryCount, entryUnit = ''] = /^until (?:they are )?(a|\d+) (day)s? old, cut/.exec(kept) ?? [];
      const entrySeconds =
        entryCount === undefined ? null : (entryCount === 'a' ? 1 : Number(entryCount)) * (units[entryUnit] ?? 0);
      return { key, seconds, entrySeconds, fits: (other: string) => pattern.test(other) };
    })
    .toSorted((one, other) => other.key.length - one.key.length);
}

const PIPELINE = 500;
/** Sets are trimmed only when an entry is added, so their entries may be this much older. */
const CUT_LATE_MS = 86_400_000;
/** Only scores above this are times (ms). */
const TIME_MS = 1e12;

/** All Cardbell keys in a Redis, without duplicates. */
export async function allKeys(redis: Redis): Promise<string[]> {
  const keys = new Set<string>();
  for await (const page of redis.scanStream({ count: 1000, match: '{cardbell*' }))
    for (const key of page as string[]) keys.add(key);
  return [...keys];
}

/**
 * Finds keys in a Redis that SECURITY.md does not list, or that are kept longer than stated there.
 *
 * @param nowMs the time by the clock of that Redis.
 */
export async function notAsSaid(redis: Redis, nowMs = Date.now()): Promise<string[]> {
  const rows = keptKeys();
  const keys = await allKeys(redis);
  const wrong: string[] = [];
  for (let from = 0; from < keys.length; from += PIPELINE) {
    const chunk = keys.slice(from, from + PIPELINE);
    const reading = redis.pipeline();
    for (const key of chunk) reading.pttl(key).type(key);
    const answers = (await reading.exec()) ?? [];
    for (const [at, key] of chunk.entries()) {
      const row = rows.find(({ fits }) => fits(key));
      const left = Number(answers[2 * at]?.[1]);
      if (row === undefined) wrong.push(`${key} is not in SECURITY.md`);
      // -2 means that the key has expired since.
      else if (row.seconds !== null && left === -1) wrong.push(`${key} never ends`);
      else if (row.seconds !== null && left > row.seconds * 1000) wrong.push(`${key} lives for ${left} ms`);
      else if (answers[2 * at + 1]?.[1] === 'zset') {
        const days = row.entrySeconds ?? row.seconds;
        const [, first = '0'] = await redis.zrange(key, '0', '0', 'WITHSCORES');
        const isTooOld = days !== null && nowMs - Number(first) > days * 1000 + CUT_LATE_MS;
        if (Number(first) > TIME_MS && isTooOld)
          wrong.push(`${key} has an entry of ${new Date(Number(first)).toISOString()}`);
      }
    }
  }
  return wrong;
}
