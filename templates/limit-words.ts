import type { LimitPeriod, Remedy, TransactionAlert } from '../src/alert/alert.ts';
import { windowEnd } from '../src/alert/limit-window.ts';
import { formatCents } from '../src/alert/money.ts';
import { dateAfter } from '../src/slack/mrkdwn.ts';
import { outside } from './parts.ts';

type Raise = Extract<Remedy, { kind: 'raise_limit' }>;

/** Sorts after every time. */
const NEVER = '9999';

/** Further windows shown beside the one that binds most. */
const ALSO_MAX = 4;

/**
 * Which limit stopped a purchase, by how much, when it opens again, and which others would have stopped it too:
 * `$49.00 over the daily limit of $400.00; $35.10 was left. It opens again tomorrow at 12:00 AM.`
 *
 * @returns mrkdwn lines; empty when the numbers are not known.
 */
export function limitLines({ event, remedy }: TransactionAlert): string {
  if (remedy?.kind !== 'raise_limit' || remedy.currentCents === null) return '';
  const { period, currentCents, remainingCents, alsoBinding } = remedy;
  const limit = `the ${limitName(remedy, period)} of ${formatCents(currentCents)}`;
  const opens = opensAgain(period, event.occurredAt);
  if (remainingCents === null) return `More than what is left of ${limit}.${opens}`;
  const missing = event.amountCents - remainingCents;
  // Read a moment after the decline: something may have been given back meanwhile.
  if (missing <= 0) return `${formatCents(remainingCents)} of ${limit} is left: enough for this purchase by now.`;
  const line = `*${formatCents(missing)} over ${limit}*; ${left(remainingCents)} was left.${opens}`;
  const also = alsoBinding.slice(0, ALSO_MAX).map((other) => {
    const otherLeft = other.remainingCents === null ? 'too little' : left(other.remainingCents);
    return `${other.period} (${otherLeft} was left${until(other.period, event.occurredAt)})`;
  });
  return also.length === 0 ? line : `${line}\nAlso too small: ${also.join(', ')}.`;
}

/** The smallest raise with which this purchase would have passed, of every window that must be raised. */
export function smallestRaise(remedy: Raise): string {
  const raises = [remedy, ...remedy.alsoBinding].flatMap(({ period, suggestedCents }) =>
    suggestedCents === null ? [] : [`the ${limitName(remedy, period)} to at least ${formatCents(suggestedCents)}`],
  );
  return raises.length <= 1 ? raises.join('') : `${raises.slice(0, -1).join(', ')} and ${raises.at(-1)}`;
}

/** What the holder could pay within the limit, and when the whole limit is there again. */
export function holderWays({ event, remedy }: TransactionAlert): string {
  if (remedy?.kind !== 'raise_limit' || remedy.remainingCents === null) return '';
  const leftNow = Math.min(
    remedy.remainingCents,
    ...remedy.alsoBinding.map(({ remainingCents }) => remainingCents ?? Number.POSITIVE_INFINITY),
  );
  const periods = [remedy.period, ...remedy.alsoBinding.map(({ period }) => period)];
  // The window that ends last decides; a lifetime limit ends never.
  const ends = periods.map((period) => windowEnd(period, event.occurredAt) ?? NEVER);
  const opens = ends.reduce((last, end) => (end > last ? end : last));
  const ways = [
    'ask for a higher limit',
    leftNow > 0 ? `pay ${formatCents(leftNow)} or less` : '',
    opens === NEVER ? '' : `wait ${dateAfter('until', opens)}`,
  ].filter(Boolean);
  const [first = '', ...others] = ways;
  const text = others.length === 0 ? first : `${[first, ...others.slice(0, -1)].join(', ')}, or ${others.at(-1)}`;
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

function limitName({ category }: Raise, period: LimitPeriod): string {
  return `${period} limit${category === null ? '' : ` for ${outside(category.name, 60)}`}`;
}

function left(cents: number): string {
  return cents > 0 ? formatCents(cents) : 'nothing';
}

function opensAgain(period: LimitPeriod, occurredAt: string): string {
  const end = windowEnd(period, occurredAt);
  return end === null ? ' It never starts anew.' : ` It opens ${dateAfter('again', end)}.`;
}

function until(period: LimitPeriod, occurredAt: string): string {
  const end = windowEnd(period, occurredAt);
  return end === null ? '' : `, opens ${dateAfter('again', end)}`;
}
