import type { Alert } from '../../src/alerts/alert.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { isByRule } from '../../src/core/event.ts';
import { escapeUntrusted } from '../core/blocks.ts';

/** `the spending ruleset “Travel”`, or its number if the name is unknown; empty without a ruleset. */
export function rulesetOf({ ruleset }: Pick<CardFacts, 'ruleset'>): string {
  if (ruleset == null) return '';
  const name = ruleset.name?.trim() ?? '';
  return `the spending ruleset ${name === '' ? ruleset.id : `“${escapeUntrusted(name, 80)}”`}`;
}

/** Says that the card follows a ruleset and what that means for its own rules; null without a ruleset. */
export function followsRuleset(card: Pick<CardFacts, 'ruleset'>): string | null {
  const ruleset = rulesetOf(card);
  if (ruleset === '') return null;
  return `The card follows ${ruleset}${card.ruleset?.mayOverrule === true ? ', which may overrule the card’s own rules' : ''}.`;
}

/** A decline by a rule. Its message already says that the ruleset may overrule the card's own rules. */
export function saysOfRuleset({ event, card }: Pick<Alert, 'event' | 'card'>): boolean {
  return event.kind === 'decline' && isByRule(event.decline) && card.ruleset?.mayOverrule === true;
}

/** Shown before a change of the card's own rules: the change may take it off its ruleset; null if it follows none. */
export function mayLeaveRuleset(card: Pick<CardFacts, 'ruleset'>): string | null {
  const ruleset = rulesetOf(card);
  return ruleset === '' ? null : `The card follows ${ruleset}. This change may take it off that ruleset.`;
}

/** Shown after a change of the card's own rules: it took the card off the ruleset, and who can reassign it. */
export function leftRuleset(card: Pick<CardFacts, 'ruleset'>): string {
  return `The card no longer follows ${rulesetOf(card)}: this change gave it rules of its own. You can assign the ruleset again in the card program’s portal.`;
}

/**
 * For a holder who may try again: why the purchase may be declined again, and whom to ask; null if there is no such
 * reason.
 */
export function mayBeDeclined(card: Pick<CardFacts, 'ruleset'>): string | null {
  if (card.ruleset?.mayOverrule !== true) return null;
  return `Your card follows ${rulesetOf(card)}, which may overrule this. If it is declined again, ask an approver.`;
}

/** Shown after a change of the card's own rules: the ruleset may overrule it, and who can change that; null if not. */
export function mayBeOverruled(card: Pick<CardFacts, 'ruleset'>): string | null {
  if (card.ruleset?.mayOverrule !== true) return null;
  return `The card follows ${rulesetOf(card)}, which may overrule this. You can change the ruleset in the card program’s portal.`;
}
