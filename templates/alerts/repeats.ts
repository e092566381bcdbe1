import type { Alert, Repeats, TransactionAlert } from '../../src/alerts/alert.ts';
import { repeatPaid } from '../../src/alerts/repeat-paid.ts';
import { serviceTime } from '../../src/core/installation.ts';
import { locationLine } from '../../src/core/merchant-category.ts';
import { formatCents } from '../../src/core/money.ts';
import { countOf, escapeUntrusted } from '../core/blocks.ts';
import type { View } from '../core/view.ts';

/** The repeats that a message represents besides its own event; null when there are none. */
export function repeatsIn({ repeats }: TransactionAlert, { channel }: View): Repeats | null {
  const here = channel === undefined ? undefined : repeats[channel];
  // The message was moved because its own channel could not be posted to: uses the count of that channel.
  const counted =
    here ??
    Object.values(repeats)
      .toSorted((a, b) => a.count - b.count)
      .at(-1);
  return counted === undefined || counted.count < 2 ? null : counted;
}

/** When the purchase was tried first. */
export function firstTriedAt(alert: TransactionAlert, view: View): string {
  return repeatsIn(alert, view)?.firstAt ?? alert.event.occurredAt;
}

/** Repeats of a blocked card may be at any merchant, so facts of the first need not apply to all. */
export function isAnywhere({ remedy }: TransactionAlert, repeats: Repeats | null): boolean {
  return remedy?.kind === 'unblock' && repeats !== null;
}

/** The alert without a claim that everything is paid, where its message may count declines of other purchases, too. */
export function paidAmong<A extends Alert>(alert: A, view: View): A {
  if (alert.kind !== 'transaction') return alert;
  if (!isAnywhere(alert, repeatsIn(alert, view))) return alert;
  const outcomes = alert.outcomes.map((one) => (one.verb === 'paid' ? repeatPaid(one, alert.event) : one));
  return { ...alert, outcomes };
}

/** What a message says of the tries that it represents: how many, for how much, and where. */
export function triedWords(alert: TransactionAlert, view: View) {
  const { merchant, occurredAt } = alert.event;
  const repeats = repeatsIn(alert, view);
  const isOfSeveral = isAnywhere(alert, repeats);
  const at = isOfSeveral ? ', first at' : ' at';
  // An earlier try may have arrived later. Its merchant is not known.
  const isLater = isOfSeveral && Date.parse(repeats?.firstAt ?? '') < Date.parse(occurredAt);
  const nameRaw = isLater ? '' : merchant.name.trim();
  const name = escapeUntrusted(nameRaw, 80);
  const place = isOfSeveral ? '' : escapeUntrusted(locationLine(merchant), 80);
  return {
    repeats,
    isOfSeveral,
    /** ` 3 times`; empty for a single decline. */
    times: repeats === null ? '' : ` ${countOf(repeats.count, 'time')}`,
    amount: amountTried(alert, repeats),
    /** ` at Corner Diner`; empty where no merchant is named, or where that of the first of several tries is not known. */
    at: nameRaw && `${at} ${name}`,
    atRaw: nameRaw && `${at} ${nameRaw}`,
    place,
    /** The merchant and its place, a line each. */
    shop: [name, place].filter(Boolean).join('\n'),
  };
}

/** `$84.10`; `$12.00 to $84.10` when the attempts had different amounts. */
function amountTried({ event }: TransactionAlert, repeats: Repeats | null): string {
  if (repeats === null || repeats.minCents === repeats.maxCents) return formatCents(event.amountCents);
  return `${formatCents(repeats.minCents)} to ${formatCents(repeats.maxCents)}`;
}

/** ` Last tried on Nov 20, 2026, 9:31 AM ET.`; empty for a single decline. */
export function lastTry(repeats: Repeats | null): string {
  return repeats === null ? '' : ` Last tried on ${escapeUntrusted(serviceTime(repeats.lastAt), 60)}.`;
}
