import type { Button } from '@slack/types';
import type { Control, Outcome } from '../../src/actions/action-state.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import { actionId } from '../../src/slack/action-id.ts';
import { button } from '../core/blocks.ts';
import { cardOfHolderRaw, named } from '../core/card-words.ts';
import { revertButton } from '../limits/temporary-change.ts';
import { endedIn } from './outcomes.ts';

interface About {
  /** An opaque id: the alert. */
  readonly value: string;
  readonly card: CardFacts;
}

export function blockButton({ value, card }: About, action: string = actionId.blockCard): Button {
  return button({
    text: 'Block card',
    action,
    value,
    style: 'danger',
    label: `Block ${named(card, 65)}`,
    confirm: {
      title: 'Block this card?',
      text: `${named(card, 110)} will decline every purchase until somebody unblocks it.`,
    },
  });
}

/** For an alert: marks it as seen. */
export function acknowledgeButton({ value, card }: About): Button {
  const label = `Acknowledge the alert about ${named(card, 45)}`;
  return button({ text: 'Acknowledge', action: actionId.acknowledgeAlert, value, label });
}

export function activateButton({ value, card }: About, action: string = actionId.activateCard): Button {
  return button({
    text: 'Activate card',
    action,
    value,
    style: 'primary',
    label: `Activate ${named(card, 60)}`,
    confirm: {
      title: 'Activate this card?',
      text: `${named(card, 110)} will work from then on. If the account has other open cards, you are asked again before they are closed for good.`,
    },
  });
}

/** The buttons for what can still be done about a completed change. */
export function controlButtons(control: Control | null, card: CardFacts): Button[] {
  if (control === null) return [];
  if (control.kind === 'revert') return [revertButton(control.id, card)];
  const label = `Undo the block of ${cardOfHolderRaw(card)}`;
  return [button({ text: 'Undo', action: actionId.undoBlock, value: control.id, label })];
}

/** What can still be done about the latest temporary change that is not over, and about the latest block. */
export function controlsOf(outcomes: readonly Outcome[]): Control[] {
  const ended = endedIn(outcomes);
  const done = outcomes.filter(({ state }) => state === 'done');
  const rules = done.findLast(({ control }) => control?.kind === 'revert' && !ended.has(control.id));
  const status = done.findLast(({ verb }) => statusVerbs.has(verb));
  return [rules?.control, status?.control].filter((control) => control !== null && control !== undefined);
}

const statusVerbs: ReadonlySet<Outcome['verb']> = new Set(['block', 'unblock', 'activate']);
