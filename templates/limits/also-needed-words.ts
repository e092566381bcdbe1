import type { Outcome } from '../../src/actions/action-state.ts';
import type { TransactionAlert } from '../../src/alerts/alert.ts';
import { type AlsoNeeds, alsoNeededKinds, alsoNeeds } from '../../src/limits/remedy-change.ts';
import { currentState } from '../actions/outcomes.ts';

const words: Readonly<Record<AlsoNeeds[number], string>> = {
  raise_limit: 'A limit is too small, too.',
  allow_international: 'Purchases abroad are not allowed either.',
  allow_card_not_present: 'Online purchases are not allowed either.',
};

/** What else stops a purchase; null: nothing that is known. */
export function alsoNeeded(needs: AlsoNeeds = []): string | null {
  return needs.map((kind) => words[kind]).join(' ') || null;
}

/** The same on its alert, until a rule is changed: from then on, the outcome of that says what is left. */
export function alsoNeededOn({ remedy, outcomes }: Pick<TransactionAlert, 'remedy' | 'outcomes'>): string | null {
  return currentState(outcomes).isRaised ? null : alsoNeeded(alsoNeeds(remedy));
}

/** What a purchase needed besides a change, as far as was known when it was made. */
export function alsoNeededIn({ text }: Pick<Outcome, 'text'>): AlsoNeeds {
  return alsoNeededKinds.filter((kind) => text.includes(words[kind]));
}

/** What a purchase still needs after the last change of a rule. Empty: nothing that is known, or others are being asked. */
export function stillNeeded(outcomes: readonly Outcome[]): AlsoNeeds {
  const last = outcomes.findLast(
    ({ verb, state }) => (verb === 'limit' || verb === 'allow') && (state === 'done' || state === 'waiting'),
  );
  return last !== undefined && currentState(outcomes).isRaised ? alsoNeededIn(last) : [];
}
