import { readFileSync } from 'node:fs';

/** One row of the table in SECURITY.md. */
export interface KeptKeys {
  readonly key: string;
  /** Longest time to live; null when keys of this family end by themselves, or never. */
  readonly seconds: number | null;
  fits(key: string): boolean;
}

const units: Readonly<Record<string, number>> = { second: 1, minute: 60, hour: 3600, day: 86_400 };

/** What SECURITY.md says about keys in Redis; the narrower families first. */
export function keptKeys(): KeptKeys[] {
  const rows = [...readFileSync('SECURITY.md', 'utf8').matchAll(/^\| `(\{cardbell:[^`]+)` \|[^|]+\| ([^|]+) \|$/gm)];
  return rows
    .map(([, key = '', kept = '']) => {
      const [, count, unit = ''] = /^(\d+) (second|minute|hour|day)s?$/.exec(kept) ?? [];
      if (count === undefined && !kept.startsWith('until')) throw new Error(`${key}: kept how long? ${kept}`);
      const pattern = new RegExp(`^${key.replaceAll(/[{}]/g, '\\$&').replaceAll('*', '.*')}$`);
      const seconds = count === undefined ? null : Number(count) * (units[unit] ?? 0);
      return { key, seconds, fits: (other: string) => pattern.test(other) };
    })
    .toSorted((one, other) => other.key.length - one.key.length);
}
