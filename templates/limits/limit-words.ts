import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { LimitRule, LimitWindow } from '../../src/card-api/rule.ts';
import { mayShow } from '../../src/core/channel-visibility.ts';
import { declineCode, lackingCents } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { formatCents } from '../../src/core/money.ts';
import { hasReset, windowEnd } from '../../src/limits/limit-window.ts';
import { exceededLimit, type LimitRaise, limitsToRaise, mayNeedMore } from '../../src/limits/remedy-change.ts';
import { limitName } from '../../src/limits/rule-words.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted } from '../core/blocks.ts';
import { seenAt, type View } from '../core/view.ts';
import { areAsked, stillNeeded } from './also-needed-words.ts';

/** Sorts after every time. */
const NEVER = '9999';

/** How many further limits are shown besides the tightest. */
const ALSO_MAX = 4;

/** When it is read: a limit may have reset by then. */
type Seen = Pick<View, 'now'>;

/**
 * Which limit stopped a purchase, by how much, when it resets, and which others would also have stopped it: `$49.00
 * over the daily limit of $400.00; $35.10 was left. Resets tomorrow at 12:00 AM.`
 *
 * @returns mrkdwn lines; empty when the numbers are unknown.
 */
export function limitLines(alert: TransactionAlert, view: Seen): string {
  const { event } = alert;
  const first = causeOf(alert);
  const also = alsoTooSmallOf(alert, first, view);
  if (first === null) return also;
  const { rule, from, remainingCents } = first;
  if (from === null) return '';
  const limit = `the ${nameOf(rule)} of ${formatCents(from)}`;
  const opens = opensAgain(first, alert, view);
  const more = also === '' ? '' : `\n${also}`;
  if (remainingCents === null) return `More than what was left of ${limit}.${opens}${more}`;
  const missing = neededBy(alert) - remainingCents;
  // Read a moment after the decline, so some amount may have been released since.
  if (missing <= 0) return `${formatCents(remainingCents)} of ${limit} is left now: enough for this purchase.`;
  const isOfOne = rule.period === 'transaction';
  if (!isOfOne && alert.isKnownLater)
    return `More than what was left of ${limit}; ${leftWords(remainingCents, alert)}.${opens}${more}`;
  const wasLeft = isOfOne ? '' : `; ${leftWords(remainingCents, alert)}`;
  return `${sumOf(event)}*${formatCents(missing)} over ${limit}*${wasLeft}.${opens}${more}`;
}

/** The same in one line: `Over the daily limit: $34.10 more than the $50.00 left. Resets tomorrow at 12:00 AM.` */
export function limitLine(alert: TransactionAlert, view: Seen): string {
  const { event } = alert;
  const first = causeOf(alert);
  if (first === null || first.from === null) return '';
  const { rule, from, remainingCents } = first;
  const over = `*Over the ${nameOf(rule)}`;
  const resets = opensAgain(first, alert, view);
  const also = alsoTooSmallOf(alert, first, view);
  const more = also === '' ? '' : ` ${also}`;
  if (remainingCents === null) return `${over} of ${formatCents(from)}.*${resets}${more}`;
  const missing = neededBy(alert) - remainingCents;
  // Read a moment after the decline, so some amount may have been released since.
  if (missing <= 0) return `${over}*, but ${formatCents(remainingCents)} is left now: enough for this purchase.`;
  const isLater = alert.isKnownLater === true;
  const room =
    rule.period === 'transaction'
      ? `the ${formatCents(from)} allowed`
      : `the ${formatCents(remainingCents)} ${isLater ? 'that is left now' : 'left'}`;
  const what =
    remainingCents > 0
      ? `${sumOf(event)}${formatCents(missing)} more than ${room}`
      : `nothing is left ${isLater ? 'now ' : ''}of ${formatCents(from)}`;
  return `${over}:* ${what}.${resets}${more}`;
}

/** `Also too small: weekly ($10.00 was left).` Empty: no other limit is. @param first what the purchase was over. */
function alsoTooSmallOf(alert: TransactionAlert, first: LimitRaise | null, view: Seen): string {
  const others = stoppingOf(alert.remedy).filter((limit) => limit !== first);
  if (others.length === 0) return '';
  const isOfOne = first !== null && others.every((other) => other.rule.category?.id === first.rule.category?.id);
  const more = others.length - ALSO_MAX;
  const named = others.slice(0, ALSO_MAX).map((other) => alsoTooSmall(other, isOfOne, alert, view));
  return `Also too small: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** The limit that the purchase was over. Null: unknown. */
function causeOf({ event, remedy }: TransactionAlert): LimitRaise | null {
  return exceededLimit(remedy, { isOfCategory: declineCode(event.decline) === 'decline.rule.velocity.mcc' });
}

/** The limits that stopped the purchase, tightest first. */
function stoppingOf(remedy: TransactionAlert['remedy']): LimitRaise[] {
  return limitsToRaise(remedy).filter(({ isAdjustedToo }) => !isAdjustedToo);
}

function alsoTooSmall(limit: LimitRaise, isOfOne: boolean, alert: TransactionAlert, view: Seen): string {
  const { period, category } = limit.rule;
  const { remainingCents } = limit;
  if (period === 'transaction') {
    const name = isOfOne ? 'single purchase' : nameOf(limit.rule);
    return `${name}${remainingCents === null ? '' : ` (${formatCents(remainingCents)} at most)`}`;
  }
  const anew = leftAnew(limit, alert, view);
  const rest = remainingCents === null ? 'too little was left' : leftWords(remainingCents, alert);
  const name = isOfOne ? `${period} limit` : `${category === null ? 'overall ' : ''}${nameOf(limit.rule)}`;
  return `${name} (${anew === null ? rest : `${left(anew)} is left now`}${until(limit, alert, view)})`;
}

/** The smallest raise that lets this purchase pass, for every limit that must be raised. Empty: none must be any more. */
export function smallestRaise(alert: TransactionAlert, view: Seen): string {
  return joinWithAnd(
    limitsToRaise(alert.remedy).flatMap((limit) => {
      const { rule, to } = limit;
      if (to === null || isEnoughNow(limit, alert, view)) return [];
      // What was spent before the reset no longer counts.
      if (isReset(rule.period, alert, view) && leftAnew(limit, alert, view) === null)
        return [`the ${nameOf(rule)} to at least ${formatCents(neededBy(alert))}`];
      const more = mayNeedMore(limit) ? ' (more if the card has spent above its limit)' : '';
      return [`the ${nameOf(rule)} to at least ${formatCents(to)}${more}`];
    }),
  );
}

/** The limits that stopped the purchase are enough again, and it needs nothing else: it can simply be tried again. */
export function isEnoughAgain(alert: TransactionAlert, view: Seen): boolean {
  return areEnoughAgain(alert, view) && stillNeeded(alert).length === 0;
}

/** Every limit that stopped the purchase has reset since, and is large enough for it. */
export function areEnoughAgain(alert: TransactionAlert, view: Seen): boolean {
  const stopping = stoppingOf(alert.remedy);
  return stopping.length > 0 && stopping.every((limit) => isEnoughNow(limit, alert, view));
}

function isEnoughNow(limit: LimitRaise, alert: TransactionAlert, view: Seen): boolean {
  return (
    isReset(limit.rule.period, alert, view) && (leftAnew(limit, alert, view) ?? limit.from ?? 0) >= neededBy(alert)
  );
}

/** What the holder could pay if the limits were enough: nothing if no amount would do, or if it would show the balance. */
function withinOthers(alert: TransactionAlert, { place }: View): number {
  const others = stillNeeded(alert);
  const { event } = alert;
  if (others.length === 0) return Number.POSITIVE_INFINITY;
  return others.every((kind) => kind === 'balance') && mayShow('balance', place)
    ? event.amountCents - lackingCents(event, event.availableCents)
    : 0;
}

/** Null: no limit of the card's spending ruleset stops the purchase, so its own rules can let it pass. */
export function limitOfRuleset(remedy: TransactionAlert['remedy']): string | null {
  const limit = limitsToRaise(remedy).find(({ isOfRuleset }) => isOfRuleset === true);
  if (limit === undefined) return null;
  const of = limit.from === null ? '' : ` of ${formatCents(limit.from)}`;
  return `The ruleset’s ${nameOf(limit.rule)}${of} stops it: change it in the card program’s portal.`;
}

/** What the purchase takes of a limit. */
function neededBy({ event }: TransactionAlert): number {
  return event.amountCents + event.paddingCents;
}

/**
 * What the holder could pay within the limit, and when the full limit is available again.
 *
 * @param options.isResetSaid the reset time is already shown next to it.
 */
export function holderWays(alert: TransactionAlert, view: View, { isResetSaid } = { isResetSaid: false }): string {
  const { event, remedy } = alert;
  const isAlone = stillNeeded(alert).length === 0;
  if (isEnoughAgain(alert, view)) return isResetSaid ? 'Try again.' : 'Try again: the limit has reset since.';
  const isOver = ({ rule }: LimitRaise): boolean => isReset(rule.period, alert, view);
  // What was left before the reset says nothing about now.
  const stopping = stoppingOf(remedy).map((limit) =>
    isOver(limit) ? { ...limit, remainingCents: leftAnew(limit, alert, view) } : limit,
  );
  // Of a smaller limit, not even all of it is enough.
  const isEnoughAnew = stopping.every(({ from }) => from === null || from >= neededBy(alert));
  const isLeftKnown = (stopping[0]?.remainingCents ?? null) !== null;
  const who = limitOfRuleset(remedy) === null ? '' : 'whoever administers the card program ';
  const isAsked = areAsked(alert.outcomes);
  const ask = isAsked ? 'wait for the approvers' : `ask ${who}for a higher limit`;
  if (!isLeftKnown && !isEnoughAnew) return `${capital(ask)}${isAlone ? ', or pay a smaller amount' : ''}.`;
  if (!isLeftKnown && (isAlone || stopping.length === 0) && !stopping.some(isOver)) return '';
  const leftOfAll = Math.min(
    ...stopping.map(({ remainingCents, from }) => remainingCents ?? from ?? Number.POSITIVE_INFINITY),
  );
  const leftNow = Math.min(leftOfAll - event.paddingCents, withinOthers(alert, view));
  // The window that ends last decides. Lifetime and single-purchase limits never reset.
  const ends = stopping.map((limit) => nextReset(limit, alert, view) ?? NEVER);
  const opens = ends.reduce((last, end) => (end > last ? end : last));
  const ways = [
    ask,
    isLeftKnown && leftNow > 0 ? `pay ${formatCents(leftNow)} or less` : '',
    opens === NEVER || isResetSaid || isAsked || !isEnoughAnew || !isAlone ? '' : `wait ${dateAfter('until', opens)}`,
  ].filter(Boolean);
  const [first = '', ...others] = ways;
  const text = others.length === 0 ? first : `${[first, ...others.slice(0, -1)].join(', ')}, or ${others.at(-1)}`;
  return `${capital(text)}.`;
}

/** `plus $49.00 that the card service sets aside`; empty if nothing is set aside in addition to the purchase. */
function plusSetAside({ paddingCents }: TransactionAlert['event']): string {
  return paddingCents === 0 ? '' : `plus ${formatCents(paddingCents)} that the card service sets aside`;
}

/** The same behind the amount of the purchase: `, plus $49.00 that the card service sets aside`. */
export function onTop(event: TransactionAlert['event']): string {
  return plusSetAside(event) && `, ${plusSetAside(event)}`;
}

/**
 * What the missing amount is a part of, if something is set aside: `$84.10 plus $49.00 that the card service sets aside
 * is `. The part that is set aside can be larger than what is missing.
 */
function sumOf(event: TransactionAlert['event']): string {
  return plusSetAside(event) && `${formatCents(event.amountCents)} ${plusSetAside(event)} is `;
}

/** `weekly limit for Restaurants`. */
export function nameOf({ period, category }: Pick<LimitRule, 'period' | 'category'>): string {
  return limitName(period, category === null ? null : escapeUntrusted(category.name, 60));
}

/** `$10.00`, `nothing`. */
export function left(cents: number): string {
  return cents > 0 ? formatCents(cents) : 'nothing';
}

/** `$10.00 was left`, `nothing is left now`. */
function leftWords(cents: number, alert: TransactionAlert): string {
  return `${left(cents)} ${alert.isKnownLater ? 'is left now' : 'was left'}`;
}

/** Its window is over, so that people can simply try again. */
function isReset(period: LimitWindow, alert: TransactionAlert, view: Seen): boolean {
  return hasReset(period, alert.event.occurredAt, seenAt(alert, view));
}

/** What was left of a limit that had reset when it was read, and has not reset again. Null: it had not, or is not known. */
function leftAnew({ rule, sinceReset }: LimitRaise, alert: TransactionAlert, view: Seen): number | null {
  if (sinceReset === undefined || hasReset(rule.period, sinceReset.readAt, seenAt(alert, view))) return null;
  return sinceReset.leftCents;
}

/** When the full limit is available next, seen from its decline; for one that has reset, from when it was read. */
function nextReset(limit: LimitRaise, alert: TransactionAlert, view: Seen): string | null {
  const isAnew = leftAnew(limit, alert, view) !== null;
  return windowEnd(limit.rule.period, (isAnew && limit.sinceReset?.readAt) || alert.event.occurredAt);
}

function opensAgain(limit: LimitRaise, alert: TransactionAlert, view: Seen): string {
  const { period } = limit.rule;
  const end = nextReset(limit, alert, view);
  if (period === 'transaction') return '';
  const anew = leftAnew(limit, alert, view);
  if (anew !== null) return ` It has reset since, but ${left(anew)} is left${end && ` ${dateAfter('until', end)}`}.`;
  if (isReset(period, alert, view)) return ' It has reset since.';
  return end === null ? ' It never resets.' : ` ${dateAfter('Resets', end)}.`;
}

function until(limit: LimitRaise, alert: TransactionAlert, view: Seen): string {
  const end = nextReset(limit, alert, view);
  if (leftAnew(limit, alert, view) === null && isReset(limit.rule.period, alert, view)) return ', has reset since';
  return end === null ? '' : `, ${dateAfter('resets', end)}`;
}
