import type { TransactionAlert } from '../../src/alerts/alert.ts';
import { effectOf, inOrder, type PurchaseState, purchaseStateOf, taken } from '../../src/alerts/purchase-state.ts';
import { formatCents } from '../../src/core/money.ts';
import { dateAfter } from '../../src/slack/mrkdwn.ts';
import { escapeUntrusted } from './blocks.ts';

/** `$84.10 at Corner Diner`; the amount alone where no merchant is named. */
export function amountAt(cents: number, merchant: string): string {
  return `${formatCents(cents)}${merchant.trim() === '' ? '' : ` at ${escapeUntrusted(merchant, 60)}`}`;
}

/**
 * Where a purchase stands, for its first message: `*settled* for $96.20`, with the time of the last step. Empty as long
 * as nothing followed, and when the message itself says it all. A later reversal says what it leaves held.
 *
 * What no id ties to the purchase is said to belong to it probably.
 */
export function purchaseState({ event, timeline }: TransactionAlert): string {
  if (timeline === null || timeline.steps.length < 2) return '';
  const steps = inOrder(timeline.steps);
  if (timeline.leaderId !== event.id) {
    return event.kind === 'reversal' ? stillHeld(effectOf(steps, event.id).after) : '';
  }
  const { effect } = effectOf(steps, event.id);
  // A message about a reversal of both names neither.
  const isOfBoth = effect.credited > 0 && effect.restReleased > 0;
  const words = stateWords(purchaseStateOf(steps), isOfBoth ? { ...effect, credited: 0, restReleased: 0 } : effect);
  const last = steps.at(-1);
  const isNamed = last !== undefined && last.eventId !== event.id && last.isUndated === undefined;
  const when = isNamed ? dateAfter(',', last.at) : '';
  const isInferred = steps.some((step) => step.isInferred && step.eventId !== event.id);
  const probably = isInferred ? ' (probably: the merchant sent no matching reference)' : '';
  return words.length === 0 ? '' : `${words.join(', ')}${when}${probably}`;
}

/** For a step that only its merchant, amount and time tie to its purchase. */
export function inferredNote({ event, timeline }: TransactionAlert): string {
  const own = timeline?.steps.find(({ eventId }) => eventId === event.id);
  return own?.isInferred === true
    ? 'probably part of this purchase: same card and merchant, no matching reference'
    : '';
}

/** @param shown what the message tells already: its own step. */
function stateWords(state: PurchaseState, shown: PurchaseState): string[] {
  const { authorized, held, paid, settled, credited, released, restReleased, unexplained, refunded } = state;
  const isTaken = taken(state) > 0;
  // What was taken, or what a reversal left, says more than what was asked for.
  const isAsked = isTaken ? shown.authorized + shown.settled > 0 : shown.released === 0;
  return [
    isAsked && authorized !== shown.authorized && authorized !== settled
      ? `authorized for ${formatCents(authorized)}`
      : '',
    paid === shown.paid ? '' : `*paid* ${formatCents(paid)} with PIN`,
    settled === shown.settled ? '' : `*settled* for ${formatCents(settled)}`,
    isTaken || released === shown.released ? '' : releaseWords(state),
    restReleased === shown.restReleased ? '' : `${held > 0 ? 'part' : 'rest'} of the hold released`,
    stillHeld(state),
    credited === shown.credited ? '' : creditWords(state),
    isKnown(state) || unexplained === shown.unexplained ? '' : `${formatCents(unexplained)} back in all`,
    refunded === shown.refunded ? '' : refundWords(state),
  ].filter(Boolean);
}

function isKnown(state: PurchaseState): boolean {
  return state.authorized + taken(state) > 0;
}

function releaseWords({ held, released }: PurchaseState): string {
  return held > 0 ? `*partly reversed*: ${formatCents(released)}` : '*reversed*, hold released';
}

/** A PIN purchase holds nothing: what is reversed of it is credited back. */
function creditWords(state: PurchaseState): string {
  const { credited, paid } = state;
  const isWhole = credited >= taken(state);
  if (isWhole) return paid > 0 ? '*reversed*, credited back' : '*reversed* after settlement';
  return `*partly reversed*: ${formatCents(credited)}${paid > 0 ? ', credited back' : ''}`;
}

/** What a reversal leaves of the hold. A capture may end the hold without another message. */
function stillHeld(state: PurchaseState): string {
  const { held, released } = state;
  return held > 0 && released > 0 && taken(state) === 0 ? `${formatCents(held)} still held` : '';
}

function refundWords(state: PurchaseState): string {
  const { held, credited, refunded } = state;
  const whole = taken(state) > 0 ? taken(state) - credited : held;
  if (whole <= 0) return `*refunded*: ${formatCents(refunded)} in all`;
  return `${refunded >= whole ? '*refunded*' : '*partly refunded*'}: ${formatCents(refunded)}`;
}
