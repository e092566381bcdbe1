import type { Alert } from '../../src/alerts/alert.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { declineCode } from '../../src/core/event.ts';
import { escapeUntrusted } from '../core/blocks.ts';

/** `the spending ruleset “Travel”`, with its number where the name is not known; empty without one. */
export function rulesetOf({ ruleset }: Pick<CardFacts, 'ruleset'>): string {
  if (ruleset == null) return '';
  const name = ruleset.name?.trim() ?? '';
  return `the spending ruleset ${name === '' ? ruleset.id : `“${escapeUntrusted(name, 80)}”`}`;
}

/** That the card follows a ruleset, and what that means for its own rules; null without one. */
export function followsRuleset(card: Pick<CardFacts, 'ruleset'>): string | null {
  const ruleset = rulesetOf(card);
  if (ruleset === '') return null;
  return `The card follows ${ruleset}${card.ruleset?.mayOverrule === true ? ', which may overrule the card’s own rules' : ''}.`;
}

/** A decline by a rule: its message says already that the ruleset may overrule the card's own ones. */
export function saysOfRuleset({ event, card }: Pick<Alert, 'event' | 'card'>): boolean {
  return event.kind === 'decline' && isByRule(event.decline?.code ?? '') && card.ruleset?.mayOverrule === true;
}

/** A decline by a rule of the card or of its ruleset. */
export function isByRule(code: string): boolean {
  return declineCode({ code }).startsWith('decline.rule.');
}

/** Before a change of the card's own rules: what it may cost; null where the card follows no ruleset. */
export function mayLeaveRuleset(card: Pick<CardFacts, 'ruleset'>): string | null {
  const ruleset = rulesetOf(card);
  return ruleset === '' ? null : `The card follows ${ruleset}. This change may take it off that ruleset.`;
}

/** After a change of the card's own rules: it took the card out of the ruleset, and who can put it back. */
export function leftRuleset(card: Pick<CardFacts, 'ruleset'>): string {
  return `The card no longer follows ${rulesetOf(card)}: this change gave it rules of its own. You can assign the ruleset again in the card program’s portal.`;
}

/** To a holder who may try again: why it may be declined all the same, and whom to ask; null where nothing says so. */
export function mayBeDeclined(card: Pick<CardFacts, 'ruleset'>): string | null {
  if (card.ruleset?.mayOverrule !== true) return null;
  return `Your card follows ${rulesetOf(card)}, which may overrule this. If it is declined again, ask an approver.`;
}

/** After a change of the card's own rules: that the ruleset may stand in its way, and who can change that; null if not. */
export function mayBeOverruled(card: Pick<CardFacts, 'ruleset'>): string | null {
  if (card.ruleset?.mayOverrule !== true) return null;
  return `The card follows ${rulesetOf(card)}, which may overrule this. You can change the ruleset in the card program’s portal.`;
}
