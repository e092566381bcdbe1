import type { Outcome } from '../../src/actions/action-state.ts';
import type { TransactionAlert } from '../../src/alerts/alert.ts';
import type { AlsoNeeds } from '../../src/core/also-needs.ts';
import { type ChannelVisibility, mayShow } from '../../src/core/channel-visibility.ts';
import { lackingCents, type TransactionEvent } from '../../src/core/event.ts';
import { alsoNeeds } from '../../src/limits/remedy-change.ts';
import { currentState } from '../actions/outcomes.ts';
import { balanceWord, setAsideOf } from '../core/card-words.ts';

type AlsoNeeded = AlsoNeeds[number];
/** What nobody can change in Slack. */
type InPortal = 'ruleset_limit' | 'balance';
type InSlack = Exclude<AlsoNeeded, InPortal>;

const words: Readonly<Record<Exclude<AlsoNeeded, 'balance'>, string>> = {
  raise_limit: 'A limit is too small, too.',
  allow_international: 'Purchases abroad are not allowed either.',
  allow_card_not_present: 'Online purchases are not allowed either.',
  ruleset_limit: 'A limit of the ruleset is too small, too: only the card program’s portal can change it.',
};

const asks: Readonly<Record<InPortal, string>> = {
  ruleset_limit: 'Ask whoever administers the card program.',
  balance: 'Ask for money to be added to the card.',
};

/**
 * What else stops a purchase; null: nothing that is known.
 *
 * @param event the purchase, with the balance of then where it may be shown.
 * @param options.isNow the balance of now is too low, whatever that of then was.
 */
export function alsoNeeded(needs: AlsoNeeds = [], event: Paid = notKnown, { isNow } = { isNow: false }): string | null {
  return needs.map((kind) => (kind === 'balance' ? balanceWords(event, isNow) : words[kind])).join(' ') || null;
}

type Paid = Pick<TransactionEvent, 'amountCents' | 'availableCents' | 'paddingCents' | 'balancePaddingCents'>;
const notKnown: Paid = { amountCents: 0, availableCents: null, paddingCents: 0 };

function balanceWords(event: Paid, isNow: boolean): string {
  const { availableCents } = event;
  // The balance of then may have been enough, unlike that of now.
  const isShown = !isNow && availableCents !== null && lackingCents(event, availableCents) > 0;
  const of = isShown ? ` (${balanceWord(availableCents)})` : '';
  const setAside = setAsideOf(event);
  const balance = setAside === '' ? 'The card’s balance' : `With ${setAside}, the card’s balance`;
  return `${balance}${of} ${isNow ? 'does' : 'did'} not cover this purchase either.`;
}

/**
 * The same for its holder, with what to do about it.
 *
 * @param options.isSaid what stops it is already shown next to it.
 */
export function alsoToAsk(needs: AlsoNeeds = [], { isSaid } = { isSaid: false }): string | null {
  const inPortal = needs.flatMap((kind): [AlsoNeeds, string][] => (isInSlack(kind) ? [] : [[[kind], asks[kind]]]));
  const asked: [AlsoNeeds, string][] = [[needs.filter(isInSlack), 'Ask for that as well.'], ...inPortal];
  const lines = asked.flatMap(([kinds, ask]) => (kinds.length === 0 ? [] : [isSaid ? null : alsoNeeded(kinds), ask]));
  return lines.filter(Boolean).join(' ') || null;
}

/** Approvers can change it. */
export function isInSlack(kind: AlsoNeeded): kind is InSlack {
  return kind !== 'ruleset_limit' && kind !== 'balance';
}

/** What else stops a purchase, on its alert, until a rule is changed: from then on, the outcome of that says what is left. */
export function alsoNeededOn(
  { event, remedy, outcomes }: Pick<TransactionAlert, 'event' | 'remedy' | 'outcomes'>,
  place: ChannelVisibility,
): string | null {
  if (changeInForce(outcomes) !== undefined) return null;
  return alsoNeeded(alsoNeeds(remedy), mayShow('balance', place) ? event : { ...event, availableCents: null });
}

/** What a purchase needs besides what its alert is about: as the alert says, until the last change of a rule says it. */
export function stillNeeded({ remedy, outcomes }: Pick<TransactionAlert, 'remedy' | 'outcomes'>): AlsoNeeds {
  const made = changeInForce(outcomes);
  return made === undefined ? alsoNeeds(remedy) : (made.alsoNeeds ?? []);
}

/** What approvers can change next, if the last change of a rule was not enough and nobody is being asked. */
export function nextInSlack(outcomes: readonly Outcome[]): InSlack | undefined {
  const made = changeInForce(outcomes);
  return made === undefined || areAsked(outcomes) ? undefined : made.alsoNeeds?.find(isInSlack);
}

/** The approvers are being asked to change a limit or a rule. */
export function areAsked(outcomes: readonly Outcome[]): boolean {
  return outcomes.findLast(isOfRule)?.state === 'waiting';
}

/** The last change of a rule that was made. Undefined: none, or it is over. */
function changeInForce(outcomes: readonly Outcome[]): Outcome | undefined {
  return currentState(outcomes).isRaised
    ? outcomes.findLast((one) => isOfRule(one) && one.state === 'done')
    : undefined;
}

const isOfRule = ({ verb }: Outcome): boolean => verb === 'limit' || verb === 'allow';
