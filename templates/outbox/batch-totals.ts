import { formatCents } from '../../src/core/money.ts';
import { dateToken, easternClock } from '../../src/slack/mrkdwn.ts';
import type { BatchRow } from './batch-row.ts';

/** How much some alerts come to, and when they happened. */
export function totals(rows: readonly BatchRow[]): string {
  const times = rows.map(({ at }) => at).toSorted();
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const isOneDay = easternClock(first, true).split(',')[0] === easternClock(last, true).split(',')[0];
  const isOneMinute = easternClock(first, true) === easternClock(last, true);
  const when = isOneMinute
    ? dateToken(first)
    : `${dateToken(first)} to ${isOneDay ? dateToken(last, '{time}') : dateToken(last)}`;
  const cents = sumOf(rows);
  return [cents > 0 ? `*${formatCents(cents)}* in all` : '', when].filter(Boolean).join(', ');
}

export function sumOf(rows: readonly BatchRow[]): number {
  return rows.reduce((cents, row) => cents + (row.cents ?? 0), 0);
}
