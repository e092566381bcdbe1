import type { CardFacts } from '../src/alert/alert.ts';
import { outside } from './parts.ts';

/** `the spending ruleset “Travel”`, with its number where the name is not known; empty without one. */
export function rulesetOf({ ruleset }: Pick<CardFacts, 'ruleset'>): string {
  if (ruleset == null) return '';
  const name = ruleset.name?.trim() ?? '';
  return `the spending ruleset ${name === '' ? ruleset.id : `“${outside(name, 80)}”`}`;
}

/** That the card follows a ruleset, and what that means for its own rules; null without one. */
export function followsRuleset(card: Pick<CardFacts, 'ruleset'>): string | null {
  const ruleset = rulesetOf(card);
  if (ruleset === '') return null;
  return `The card follows ${ruleset}${card.ruleset?.mayOverrule === true ? ', which may overrule the card’s own rules' : ''}.`;
}

/** After a change of the card's own rules: it took the card out of the ruleset, and who can put it back. */
export function leftRuleset(card: Pick<CardFacts, 'ruleset'>): string {
  return `The card follows ${rulesetOf(card)} no longer: this change gave it rules of its own. The ruleset can be assigned again where the card service is administered.`;
}

/** After a change of the card's own rules: that the ruleset may stand in its way, and who can change that; null if not. */
export function mayBeOverruled(card: Pick<CardFacts, 'ruleset'>): string | null {
  if (card.ruleset?.mayOverrule !== true) return null;
  return `The card follows ${rulesetOf(card)}, which may overrule this; it can be changed where the card service is administered.`;
}
