import type { Repeats, TransactionAlert } from '../../src/alerts/alert.ts';
import { formatCents } from '../../src/core/money.ts';
import type { View } from '../core/view.ts';

/** What a message stands for besides its own event; null where it stands for that alone. */
export function repeatsIn({ repeats }: TransactionAlert, { channel }: View): Repeats | null {
  const here = channel === undefined ? undefined : repeats[channel];
  // Moved to another channel because its own could not be posted to: what was counted there is what there is.
  const counted =
    here ??
    Object.values(repeats)
      .toSorted((a, b) => a.count - b.count)
      .at(-1);
  return counted === undefined || counted.count < 2 ? null : counted;
}

/** Repeats of a blocked card may be at any merchant: what is true of the first is not true of all. */
export function isAnywhere({ remedy }: TransactionAlert, repeats: Repeats | null): boolean {
  return remedy?.kind === 'unblock' && repeats !== null;
}

/** `$84.10`; `$12.00 to $84.10` where the tries were for different amounts. */
export function amountTried({ event }: TransactionAlert, repeats: Repeats | null): string {
  if (repeats === null || repeats.minCents === repeats.maxCents) return formatCents(event.amountCents);
  return `${formatCents(repeats.minCents)} to ${formatCents(repeats.maxCents)}`;
}
