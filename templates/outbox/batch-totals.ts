import { serviceClock } from '../../src/core/installation.ts';
import { formatCents } from '../../src/core/money.ts';
import { dateAfter, dateToken } from '../../src/slack/mrkdwn.ts';
import type { BatchRow } from './batch-row.ts';

/** How much some alerts come to, and when they happened. */
export function totals(rows: readonly BatchRow[]): string {
  const times = rows.map(({ at }) => at).toSorted();
  const [first = '', last = ''] = [times[0], times.at(-1)];
  const isOneDay = serviceClock(first, true).split(',')[0] === serviceClock(last, true).split(',')[0];
  const isOneMinute = serviceClock(first, true) === serviceClock(last, true);
  const amounts = sums(rows).map(([amount, words]) => `*${amount}* ${words}`);
  const since = amounts.length === 0 ? dateToken(first) : `${amounts.join(', ')}${dateAfter(',', first)}`;
  return isOneMinute ? since : `${since} ${isOneDay ? dateAfter('to', last, '{time}') : dateAfter('to', last)}`;
}

/**
 * How much they come to: `$84.10`, `in all`. What was spent, settled and given back is not added up: that can be the same
 * money.
 */
export function sums(rows: readonly BatchRow[]): [amount: string, words: string][] {
  const cents = new Map<string, number>();
  for (const row of rows) {
    if (row.cents === null || row.cents === 0) continue;
    const words = row.kind === 'decline' ? 'declined' : row.what.toLowerCase();
    cents.set(words, (cents.get(words) ?? 0) + row.cents);
  }
  return [...cents].map(([words, sum]) => [formatCents(sum), cents.size === 1 ? 'in all' : words]);
}
