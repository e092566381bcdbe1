import type { Button } from '@slack/types';
import type { Control, Outcome } from '../../src/actions/action-state.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { button } from '../core/blocks.ts';
import { cardOfHolderRaw } from '../core/card-words.ts';
import { revertButton } from '../limits/temporary-change.ts';

/** The buttons for what can still be done about a completed change. */
export function controlButtons(control: Control | null, card: CardFacts): Button[] {
  if (control === null) return [];
  if (control.kind === 'revert') return [revertButton(control.id, card)];
  const label = `Undo the block of ${cardOfHolderRaw(card)}`;
  return [button({ text: 'Undo', action: actionId.undoBlock, value: control.id, label })];
}

/** What can still be done about the latest change of a card's rules and its latest block. */
export function controlsOf(outcomes: readonly Outcome[]): Control[] {
  const rules = outcomes.findLast(({ verb, state }) => state === 'done' && ruleVerbs.has(verb));
  const status = outcomes.findLast(({ verb, state }) => state === 'done' && statusVerbs.has(verb));
  return [rules?.control, status?.control].filter((control) => control !== null && control !== undefined);
}

const ruleVerbs: ReadonlySet<Outcome['verb']> = new Set(['limit', 'allow', 'restore']);
const statusVerbs: ReadonlySet<Outcome['verb']> = new Set(['block', 'unblock', 'activate']);
