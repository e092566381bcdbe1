import type { StatusAlert, StatusChange } from '../../src/alerts/alert.ts';
import type { CardStatus } from '../../src/core/event.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { currentState } from '../actions/outcomes.ts';
import type { ShortLines } from '../alerts/short-alert.ts';
import { actions, context, header, section, sentence } from '../core/blocks.ts';
import { cardName, cardOf, statusWord } from '../core/card-words.ts';
import { holderBlockButton } from './holder-buttons.ts';
import { holderOutcomeSentence, holderOutcomes } from './holder-outcomes.ts';

const SHOWN_MAX = 10;

const headlines: Readonly<Record<CardStatus, string>> = {
  INACTIVE: 'You have a new card',
  ACTIVE: 'Your card can be used',
  BLOCKED: 'Your card is blocked',
  CLOSED: 'Your card is closed for good',
};

const meanings: Readonly<Record<CardStatus, string>> = {
  INACTIVE: 'It does not work until it is activated: tell an operator when you have it.',
  ACTIVE: 'You can use it.',
  BLOCKED: 'Every purchase is declined until an approver unblocks it. If you don’t know why, ask an approver.',
  CLOSED: 'It can never be used again. Ask for a new one if you need it.',
};

/** Your card's status has changed. */
export function holderStatus(alert: StatusAlert): Message {
  const { event, changes, outcomes, late } = alert;
  const shown = changes.slice(0, SHOWN_MAX);
  const { only, status, title, meaning } = summaryOf(changes);
  const one = { ...cardOf(alert), ...(only !== null && { cardId: only.cardId, last4: only.last4 }) };
  const lines = linesOf(changes);

  return {
    text: sentence(
      `${late ? 'Late notice: ' : ''}${title}. ${lines.join(' ')}${meaning === null ? '' : ` ${meaning}`}${holderOutcomeSentence(outcomes)}`,
    ),
    blocks: [
      header(title),
      section(...lines, meaning),
      ...holderOutcomes(outcomes),
      ...actions(
        status === 'ACTIVE' && !currentState(outcomes).isBlocked
          ? holderBlockButton({ value: event.id, card: one, text: 'Block my card' })
          : null,
      ),
      ...context(dateToken(shown.at(-1)?.steps.at(-1)?.at ?? event.callbackAt), late ? 'Arrived late' : null, event.id),
    ],
  };
}

/** The same in three lines. */
export function holderStatusLines(alert: StatusAlert): ShortLines {
  const { event, changes } = alert;
  const { title, meaning } = summaryOf(changes);
  return {
    title,
    who: '',
    at: changes.at(-1)?.steps.at(-1)?.at ?? event.callbackAt,
    cause: [...linesOf(changes), meaning],
    small: [],
  };
}

/** For a single card, its new status and what that means. */
function summaryOf(changes: readonly StatusChange[]) {
  const only = changes.length === 1 ? (changes[0] ?? null) : null;
  const status = only === null ? undefined : statusOf(only);
  return status === undefined
    ? { only, status, title: `${changes.length} of your cards changed`, meaning: null }
    : { only, status, title: headlines[status], meaning: meanings[status] };
}

function linesOf(changes: readonly StatusChange[]): string[] {
  const more = changes.length - SHOWN_MAX;
  return [...changes.slice(0, SHOWN_MAX).map(line), ...(more > 0 ? [`… and ${more} more.`] : [])];
}

function statusOf({ steps, supersededBy }: StatusChange): CardStatus | undefined {
  return supersededBy ?? steps.at(-1)?.status;
}

function line(change: StatusChange): string {
  const by = change.causedBy === null ? '' : `, changed by ${mention(change.causedBy)}`;
  const name = cardName({ holder: null, acctId: null, cardId: change.cardId, last4: change.last4 });
  return `Your ${name} is ${statusWord(statusOf(change) ?? '')}${by}.`;
}
