import type { CardFacts } from '../../src/core/card-facts.ts';
import type { ChangeRequest } from '../../src/limits/change-request.ts';
import { ruleStates } from '../../src/limits/rule-words.ts';
import { termWords } from '../../src/limits/term.ts';
import { cardOfHolderRaw } from '../core/card-words.ts';

interface Asked {
  /** `change limits`; if the card is known, followed by it: `change a limit of`. */
  readonly doing: string;
  /** Null: not about a card, or the card is unknown. */
  readonly card: CardFacts | null;
  readonly changeRequest: ChangeRequest | null;
}

/**
 * What somebody asked for some time ago, to complete "to …": `unblock Jane Doe · card 4242`, `change a limit of Jane Doe ·
 * card 4242: daily limit $450.00, for 4 hours`. Raw.
 */
export function askedWords({ doing, card, changeRequest }: Asked): string {
  const rules = changeRequest === null ? '' : `: ${requestedRules(changeRequest)}`;
  return `${doing}${card === null ? '' : ` ${cardOfHolderRaw(card)}`}${rules}`;
}

/** `daily limit $450.00, for 4 hours`. Raw. */
export function requestedRules({ goals, term }: ChangeRequest): string {
  return `${ruleStates(goals, 'to')}, ${termWords(term)}`;
}
