import type { Outcome } from '../../src/actions/action-state.ts';
import type { Alert, TransactionAlert } from '../../src/alerts/alert.ts';
import { closed, type DeclineReason, declineReason } from '../../src/alerts/decline-reason.ts';
import { isSameRule } from '../../src/card-api/rule.ts';
import type { AlsoNeeds } from '../../src/core/also-needs.ts';
import { type DeclinedCard, declinedCard } from '../../src/core/card-facts.ts';
import { type ChannelVisibility, mayShow } from '../../src/core/channel-visibility.ts';
import { declineCode, declinedStatuses, lackingCents } from '../../src/core/event.ts';
import { formatCents } from '../../src/core/money.ts';
import { changeIn, type LimitRaise, lacksNumber, limitsToRaise } from '../../src/limits/remedy-change.ts';
import { mention } from '../../src/slack/mrkdwn.ts';
import { currentState } from '../actions/outcomes.ts';
import { escapeUntrusted, serviceExplanation } from '../core/blocks.ts';
import { andSetAside, balanceWord, cardCommand, cardOf, orderNewCard } from '../core/card-words.ts';
import type { View } from '../core/view.ts';
import { alsoNeededOn, alsoToAsk, areAsked, isInSlack, nextInSlack, stillNeeded } from '../limits/also-needed-words.ts';
import {
  areEnoughAgain,
  holderWays,
  isEnoughAgain,
  limitLines,
  limitOfRuleset,
  smallestRaise,
} from '../limits/limit-words.ts';

/** A reason as it may be shown in a channel. `isWithheld`: the service's own words must not be shown. */
export interface ShownReason extends DeclineReason {
  /** The service's own words. */
  readonly message: string;
  readonly isWithheld: boolean;
}

/** What everyone else sees instead of a sensitive reason. */
const withheldReason: Pick<DeclineReason, 'title' | 'meaning' | 'holderFix' | 'adminFix'> = {
  title: 'Card could not be verified at the terminal',
  meaning: 'The reason is not shown in channels.',
  holderFix: 'If it was you, try again. If not, ask for the card to be blocked now.',
  adminFix: 'Ask the cardholder if it was them. If not, block the card.',
};

type Declined = Pick<TransactionAlert['event'], 'decline'> & Partial<Pick<TransactionAlert, 'remedy'>> & DeclinedCard;

export function shownReason(declined: Declined, place: ChannelVisibility): ShownReason {
  const said = declined.decline ?? { code: '', message: '' };
  const reason = declineReason(said, declined.remedy, declined);
  const isWithheld = reason.isSensitive && !mayShow('sensitiveReason', place);
  // New fields first: Node.js takes seven times as long to add them behind a copy, for each row of a burst.
  return { message: said.message, isWithheld, ...reason, ...(isWithheld && withheldReason) };
}

/** The reason of a decline as it is now: what it was may be over. */
export function reasonOf(alert: TransactionAlert, place: ChannelVisibility): ShownReason {
  const { event, remedy, card, outcomes } = alert;
  const reason = shownReason({ decline: event.decline, remedy, ...declinedCard(card) }, place);
  if (remedy?.kind === 'retry') return { ...reason, ...passesNow };
  if (remedy?.kind === 'portal')
    return { ...reason, ...portalWords[remedy.why], meaning: portalMeaning(remedy.why, event) };
  const mayBeActive = reason.remedy === 'retry' || reason.remedy === 'activate';
  const { isActivated: wasActivated, isUnblocked, isPaid } = currentState(outcomes);
  const titleThen = titlesThen[reason.remedy];
  if (titleThen !== undefined && isClosed(alert)) return { ...reason, title: titleThen, meaning: closed.meaning };
  if (reason.remedy === 'unblock' && (isUnblocked || isPaid)) return { ...reason, ...unblockedNow };
  const isActivated = mayBeActive && wasActivated;
  if (isActivated || (reason.remedy === 'retry' && alert.isKnownLater)) return { ...reason, ...activeNow };
  // An activation would be that of the account's new card, and close the blocked one for good.
  const isNotToActivate = reason.mayBeBlocked === true && card.cardId === null && card.last4 === null;
  return isNotToActivate ? { ...reason, remedy: 'none' } : reason;
}

/**
 * What lets the purchase pass. If nothing stopped it when its alert was made, that may have changed, and the form of its
 * button looks again.
 */
export const neededFor = ({ remedy }: Pick<TransactionAlert, 'remedy'>, reason: ShownReason): ShownReason['remedy'] =>
  (lacksNumber(remedy) ? null : changeIn(remedy)?.kind) ?? reason.remedy;

/** No change of the card's own rules was needed any more when its alert was made. */
export const neededNone = ({ remedy }: Pick<TransactionAlert, 'remedy'>): boolean => changeIn(remedy) !== remedy;

const unblockedNow = { title: 'Card was blocked', meaning: 'It works again.' } as const;
/** What declined the purchase, of a card that was closed since. */
const titlesThen: Partial<Record<ShownReason['remedy'], string>> = {
  unblock: unblockedNow.title,
  activate: 'Card was not active',
};

const passesNow = {
  meaning: 'No limit or rule stops it any more.',
  holderFix: 'Try again.',
  adminFix: 'Have the purchase tried again.',
} as const;

/** What may stop the purchase although none of the card's own rules does. */
export const portalWords = {
  ruleset: {
    holderFix: 'Ask whoever administers the card program.',
    adminFix: 'Check the ruleset in the card program’s portal.',
  },
  balance: {
    holderFix: 'Ask for money to be added to the card.',
    adminFix: 'Add money to the card in the card program’s portal.',
  },
} as const;

/** @param options.isNow the balance was compared again, for somebody who is about to act. */
export function portalMeaning(
  why: keyof typeof portalWords,
  event: TransactionAlert['event'],
  { isNow } = { isNow: false },
): string {
  return why === 'ruleset'
    ? 'The card’s own rules allow this, but its ruleset may not.'
    : `No limit or rule stops this purchase any more, but the card’s balance ${isNow ? 'does' : 'did'} not cover it${andSetAside(event)}.`;
}

const activeNow = {
  meaning: 'It is active by now.',
  holderFix: 'Try again: the card is active by now.',
  adminFix: 'Have the purchase tried again.',
  remedy: 'retry',
} as const;

/** Quotes the card service when its words add something to ours. An unknown code is named too. */
export function serviceWords({ isWithheld, isKnown, saysMore, code, message }: ShownReason): string {
  const unknownCode = isKnown ? '' : code;
  if (isWithheld || (!saysMore && unknownCode === '')) return '';
  return serviceExplanation(escapeUntrusted(message, 300), escapeUntrusted(unknownCode, 80));
}

/** Which limit or balance stopped the purchase, and by how much. Empty when unknown or not allowed in this channel. */
export function shortfall(alert: TransactionAlert, reason: ShownReason, view: View): string {
  const { availableCents } = alert.event;
  const missing = missingBalance(alert, reason, view);
  if (availableCents === null || missing === 0) return limitLines(alert, view);
  return `Card balance ${balanceWord(availableCents)}: this purchase${andSetAside(alert.event)} needed *${formatCents(missing)} more*.`;
}

/**
 * What the cardholder can do, and what an admin can do; empty when there is nothing to do, as for a purchase that was paid
 * or that the holder did not make. A later block comes first, but does not replace the rest; nothing helps a closed card.
 */
export function fixes(
  alert: TransactionAlert,
  reason: ShownReason,
  view: View,
  ways = holderWays(alert, view),
): [holder: string, admin: string] {
  const { isRecognized, isFraud, isPaid } = currentState(alert.outcomes);
  if (isPaid || isFraud) return ['', ''];
  if (isClosed(alert)) {
    const since = reason.title === closed.title ? '' : 'The card is closed. ';
    return [`${since}${closed.holderFix}`, `${since}${closed.adminFix}`];
  }
  const block = blockOf(alert);
  const isDone = isFollowed(alert, reason) || (areEnoughAgain(alert, view) && !isEnoughAgain(alert, view));
  const isSaid = alsoNeededOn(alert, view.place) !== null;
  const [holderAgain, again] = againWords(stillNeeded(alert), isSaid);
  if (isDone && block === null) return [holderAgain, again];
  if (shouldStayBlocked(alert)) return ['Ask for a new card.', orderNewCard];
  const wasBlocked = alert.remedy?.kind === 'unblock' || reason.remedy === 'unblock';
  const who = block?.by == null ? 'an approver' : mention(block.by);
  const holder =
    block?.asHolder === true ? 'An approver can unblock your card.' : `Ask ${who} why the card is blocked.`;
  const unblock = `If the card should work again: ${cardCommand('unblock', cardOf(alert))}`;
  if (wasBlocked || (block !== null && reason.isSensitive)) return [holder, unblock];
  // Whoever answered need not be asked.
  const admin = isDone ? again : reason.isSensitive && isRecognized ? '' : adminFix(alert, reason, view);
  const holderFix = areAsked(alert.outcomes) ? 'Wait for the approvers, or pay another way.' : reason.holderFix;
  if (block === null) return [ways || balanceWays(alert, reason, view) || escapeUntrusted(holderFix, 300), admin];
  return [holder, `${admin} ${unblockFirst(alert)}`];
}

/** @param needs what else stops the purchase, once what would let it pass is done or no longer needed. */
function againWords(needs: AlsoNeeds, isSaid: boolean): [holder: string, admin: string] {
  const admin = needs.some(isInSlack)
    ? 'Change what still stops it, then have the purchase tried again.'
    : needs.includes('ruleset_limit')
      ? portalWords.ruleset.adminFix
      : needs.includes('balance')
        ? portalWords.balance.adminFix
        : 'Have the purchase tried again.';
  return [alsoToAsk(needs, { isSaid }) ?? '', admin];
}

/** The block that is in force, as far as is known: by somebody here, or, with nobody's name, elsewhere. Null: none. */
export function blockOf({ card, outcomes }: TransactionAlert): Pick<Outcome, 'asHolder' | 'by'> | null {
  const { isBlocked, isUnblocked } = currentState(outcomes);
  const blocked = isBlocked ? outcomes.findLast(({ verb, state }) => verb === 'block' && state === 'done') : undefined;
  return blocked ?? (card.status === 'BLOCKED' && !isUnblocked ? { by: null } : null);
}

/** What the holder can do about a balance that is too low; empty when it is unknown or none was the cause. */
function balanceWays(alert: TransactionAlert, reason: ShownReason, view: View): string {
  const missing = missingBalance(alert, reason, view);
  if (missing === 0) return '';
  const canPay = alert.event.amountCents - missing;
  return canPay > 0
    ? `Pay ${formatCents(canPay)} or less, or ask for money to be added to the card.`
    : 'Ask for money to be added to the card.';
}

/** What would let the purchase pass was done, as far as is known. */
export function isFollowed({ remedy, outcomes }: TransactionAlert, reason: ShownReason): boolean {
  const { isActivated, isRaised, isUnblocked } = currentState(outcomes);
  const wanted = remedy?.kind ?? reason.remedy;
  if (wanted === 'none') return false;
  if (wanted === 'activate') return isActivated;
  if (wanted === 'unblock') return isUnblocked;
  const last = outcomes.findLast(({ verb }) => verb === 'limit' || verb === 'allow');
  return isRaised && last?.state === 'done' && !isTooLow(remedy, outcomes);
}

/** What the alert is about was done or is no longer needed. What it needs besides is another matter. */
export function isOver(alert: TransactionAlert, reason: ShownReason, view: View): boolean {
  return isFollowed(alert, reason) || areEnoughAgain(alert, view);
}

/** The card’s own rules let the purchase pass by now, and something else stops it. */
export function isLeftToPortal(alert: TransactionAlert, reason: ShownReason, view: View): boolean {
  const needs = stillNeeded(alert);
  return needs.length > 0 && !needs.some(isInSlack) && isOver(alert, reason, view);
}

/** What approvers can change next, after a change that was not enough. */
export function nextNeeded({ remedy, outcomes }: Pick<TransactionAlert, 'remedy' | 'outcomes'>) {
  return isTooLow(remedy, outcomes) ? undefined : nextInSlack(outcomes);
}

/** True when a limit was raised but this purchase needs more. */
export function isTooLow(remedy: TransactionAlert['remedy'], outcomes: TransactionAlert['outcomes']): boolean {
  const goals = outcomes.flatMap(({ verb, state, goals }) =>
    verb === 'limit' && state === 'done' ? (goals ?? []) : [],
  );
  const isEnough = ({ rule, to }: LimitRaise): boolean =>
    goals.some((goal) => isSameRule(goal.rule, rule) && (goal.to === null || Number(goal.to) >= (to ?? 0)));
  return goals.length > 0 && limitsToRaise(remedy).some((limit) => !limit.isAdjustedToo && !isEnough(limit));
}

/** A block declined the purchase, and the card should stay blocked. */
export function shouldStayBlocked({ remedy }: Pick<TransactionAlert, 'remedy'>): boolean {
  return remedy?.kind === 'unblock' && remedy.hasFraudCase === true;
}

/** The card is closed for good, as far as is known. The service says so itself if that declined the purchase. */
export function isClosed({ event, card }: Pick<Alert, 'event' | 'card'>): boolean {
  if (card.status === 'CLOSED') return true;
  const declined = event.kind === 'decline' ? event.decline : null;
  const isByStatus = declineCode(declined) === 'decline.card.status';
  return isByStatus && declinedStatuses(declined?.message ?? '').every((status) => status === 'CLOSED');
}

/** For a purchase that a block declined. The card may work again, or be closed. */
export function isOrWasBlocked(alert: TransactionAlert): string {
  const { isUnblocked, isPaid } = currentState(alert.outcomes);
  return isUnblocked || isPaid || isClosed(alert) ? 'was blocked' : 'is blocked';
}

function unblockFirst(alert: TransactionAlert): string {
  const isLater = alert.card.isStatusLater === true || currentState(alert.outcomes).isBlocked;
  return `${isLater ? 'Blocked since. To use the card' : 'The card is blocked. To use it'} again: ${cardCommand('unblock', cardOf(alert))}`;
}

/** What an admin can do: the smallest change that would have let the purchase pass, if known. */
function adminFix(alert: TransactionAlert, reason: ShownReason, view: View): string {
  const { remedy } = alert;
  if (isEnoughAgain(alert, view)) return 'Have the purchase tried again: the limit has reset since.';
  const byRuleset = limitOfRuleset(remedy);
  if (byRuleset !== null) return byRuleset;
  const raise = smallestRaise(alert, view);
  if (remedy?.kind === 'raise_limit' && remedy.limits[0].to !== null && raise !== '') {
    return `Raise ${raise} if the purchase is legitimate${stillNeeded(alert).length > 0 ? '' : ', then have it tried again'}.`;
  }
  const missing = missingBalance(alert, reason, view);
  if (missing > 0) {
    return `Add at least ${formatCents(missing)} to the card in the card program’s portal.`;
  }
  return escapeUntrusted(reason.adminFix, 300);
}

/**
 * By how much a purchase exceeded the card's balance; 0 when that was not the cause, is unknown, may not be shown in this
 * channel, or does not fit the cause: the balance may have been read at another moment.
 */
function missingBalance({ event }: TransactionAlert, { code }: ShownReason, { place }: View): number {
  return code === 'decline.balance.card' && mayShow('balance', place) ? lackingCents(event, event.availableCents) : 0;
}
