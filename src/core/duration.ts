const HOUR_MS = 3_600_000;

const units: readonly (readonly [RegExp, number])[] = [
  [/^(m|min|mins|minute|minutes)$/, HOUR_MS / 60],
  [/^(h|hr|hrs|hour|hours)$/, HOUR_MS],
  [/^(d|day|days)$/, 24 * HOUR_MS],
  [/^(w|wk|wks|week|weeks)$/, 7 * 24 * HOUR_MS],
];

const DURATION_MAX_MS = 366 * 24 * HOUR_MS;

/**
 * Reads a duration at the beginning of `words`: `4h`, `90m`, `2 days`, `1.5 hours`.
 *
 * @returns milliseconds and how many words it took; null when there is none, or it is longer than a year.
 */
export function readDuration(words: readonly string[]): { ms: number; words: number } | null {
  const [first = '', second = ''] = words;
  const together = /^(\d{1,5}(?:\.\d{1,2})?)([a-z]+)$/i.exec(first);
  if (together !== null) return toMs(together[1], together[2], 1);
  return /^\d{1,5}(?:\.\d{1,2})?$/.test(first) ? toMs(first, second, 2) : null;
}

function toMs(
  amount: string | undefined,
  unit: string | undefined,
  words: number,
): { ms: number; words: number } | null {
  const found = units.find(([pattern]) => pattern.test((unit ?? '').toLowerCase()));
  if (found === undefined) return null;
  const ms = Math.round(Number(amount) * found[1]);
  return ms > 0 && ms <= DURATION_MAX_MS ? { ms, words } : null;
}

/** `4 hours`, `90 minutes`, `2 days`: the largest unit that needs no fraction. */
export function formatDuration(ms: number): string {
  const names = [
    ['week', 7 * 24 * HOUR_MS],
    ['day', 24 * HOUR_MS],
    ['hour', HOUR_MS],
    ['minute', HOUR_MS / 60],
  ] as const;
  const [name, size] = names.find(([, unit]) => ms >= unit && ms % unit === 0) ?? ['minute', HOUR_MS / 60];
  const count = Math.max(1, Math.round(ms / size));
  return `${count} ${name}${count === 1 ? '' : 's'}`;
}
