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

/** What can still be done about the latest temporary change that is not over, and about the latest block. */
export function controlsOf(outcomes: readonly Outcome[]): Control[] {
  const over = new Set(outcomes.map(({ ends }) => ends));
  const done = outcomes.filter(({ state }) => state === 'done');
  const rules = done.findLast(({ control }) => control?.kind === 'revert' && !over.has(control.id));
  const status = done.findLast(({ verb }) => statusVerbs.has(verb));
  return [rules?.control, status?.control].filter((control) => control !== null && control !== undefined);
}

const statusVerbs: ReadonlySet<Outcome['verb']> = new Set(['block', 'unblock', 'activate']);
