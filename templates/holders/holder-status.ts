import { type StatusAlert, type StatusChange, statusNow } from '../../src/alerts/alert.ts';
import type { CardStatus } from '../../src/core/event.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { currentState } from '../actions/outcomes.ts';
import { sinceOf } from '../alerts/card-status.ts';
import type { ShortLines } from '../alerts/short-alert.ts';
import { actions, context, header, section, sentence } from '../core/blocks.ts';
import { cardName, cardOf, statusWord } from '../core/card-words.ts';
import { holderBlockButton } from './holder-buttons.ts';
import { holderOutcomeSentence, holderOutcomes } from './holder-outcomes.ts';

const SHOWN_MAX = 10;

/** Followed by the card: `Your card 1234 is blocked`. */
const headlines: Readonly<Record<CardStatus, readonly [before: string, after: string]>> = {
  INACTIVE: ['Your new', ''],
  ACTIVE: ['Your', ' can be used'],
  BLOCKED: ['Your', ' is blocked'],
  CLOSED: ['Your', ' is closed for good'],
};

const meanings: Readonly<Record<CardStatus, string>> = {
  INACTIVE: 'It does not work until it is activated: tell an operator when you have it.',
  ACTIVE: '',
  BLOCKED: 'Every purchase is declined until an approver unblocks it.',
  CLOSED: 'It can never be used again. If you have no newer card, ask for one.',
};

/** Your card's status has changed. */
export function holderStatus(alert: StatusAlert): Message {
  const { event, changes, outcomes, late } = alert;
  const shown = changes.slice(0, SHOWN_MAX);
  const [only] = changes;
  const at = shown.at(-1)?.steps.at(-1)?.at ?? event.callbackAt;
  const isOne = changes.length === 1 && only !== undefined;
  const status = isOne ? statusNow(only) : undefined;
  const title = titleOf(changes);
  const lines = linesOf(alert);

  return {
    text: sentence(
      `${late ? 'Late notice: ' : ''}${[`${title}.`, ...lines].join(' ')}${holderOutcomeSentence(outcomes)}`,
    ),
    blocks: [
      header(title),
      ...(lines.length === 0 ? [] : [section(...lines)]),
      ...holderOutcomes(alert),
      ...actions(
        status === 'ACTIVE' && !currentState(outcomes).isBlocked
          ? holderBlockButton({ value: event.id, card: cardOf(alert) })
          : null,
      ),
      ...context(event.isSeen === true ? dateAfter('seen', at) : dateToken(at), late ? 'Arrived late' : null, event.id),
    ],
  };
}

/** The same in three lines. */
export function holderStatusLines(alert: StatusAlert): ShortLines {
  const { event, changes } = alert;
  return {
    title: titleOf(changes),
    who: '',
    at: changes.at(-1)?.steps.at(-1)?.at ?? event.callbackAt,
    cause: linesOf(alert),
    small: [],
  };
}

interface OnlyOne {
  readonly change: StatusChange;
  readonly status: CardStatus;
}

/** The only change and the status that it led to. Null: there are several, or the status is not known. */
function onlyOne(changes: readonly StatusChange[]): OnlyOne | null {
  const [change] = changes;
  const status = changes.length === 1 && change !== undefined ? statusNow(change) : undefined;
  return change === undefined || status === undefined ? null : { change, status };
}

function titleOf(changes: readonly StatusChange[]): string {
  const one = onlyOne(changes);
  if (one === null) return `${changes.length} of your cards changed`;
  const [before, after] = isDeactivated(one) ? ['Your', ' is not active'] : headlines[one.status];
  return `${before} ${nameOf(one.change)}${after}`;
}

/** A card that worked before is no new one. */
function isDeactivated({ change, status }: OnlyOne): boolean {
  return status === 'INACTIVE' && change.from !== null && change.from !== 'INACTIVE';
}

function meaningFor(one: OnlyOne, alert: StatusAlert): string {
  const since = one.status === 'INACTIVE' ? sinceOf(alert) : null;
  if (since !== null) return since === 'closed since' ? meanings.CLOSED : 'It has been activated since.';
  if (isDeactivated(one)) return 'It does not work until an operator activates it again.';
  const isOrdered = alert.card.isVirtual === true && one.status === 'INACTIVE';
  return isOrdered ? 'Its order activates it: you don’t have to do anything.' : meanings[one.status];
}

/** What the title does not say. */
function linesOf(alert: StatusAlert): string[] {
  const { changes } = alert;
  const one = onlyOne(changes);
  if (one !== null) {
    const by = one.change.causedBy === null ? '' : mention(one.change.causedBy);
    // The approvers may not know why somebody else blocked it.
    const ask = one.status === 'BLOCKED' ? ` Ask ${by || 'an approver'} why.` : '';
    return [by && `Changed by ${by}.`, `${meaningFor(one, alert)}${ask}`].filter(Boolean);
  }
  const more = changes.length - SHOWN_MAX;
  return [...changes.slice(0, SHOWN_MAX).map(line), ...(more > 0 ? [`… and ${more} more.`] : [])];
}

function line(change: StatusChange): string {
  const by = change.causedBy === null ? '' : `, changed by ${mention(change.causedBy)}`;
  return `Your ${nameOf(change)} is ${statusWord(statusNow(change) ?? '')}${by}.`;
}

function nameOf({ cardId, last4 }: StatusChange): string {
  return cardName({ holder: null, acctId: null, cardId, last4 });
}
