import { changedAt, onlyChange, type StatusAlert, type StatusChange, statusNow } from '../../src/alerts/alert.ts';
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

/** What each status means for a card's holder, and who can change that. */
export const statusMeanings: Readonly<Record<CardStatus, string>> = {
  INACTIVE: 'It does not work until it is activated: tell an operator when you have it.',
  ACTIVE: '',
  BLOCKED: 'Every purchase is declined until an approver unblocks it.',
  CLOSED: 'It can never be used again. If you have no newer card, ask for one.',
};

/** Your card's status has changed. */
export function holderStatus(alert: StatusAlert): Message {
  const { event, outcomes, late } = alert;
  const at = changedAt(alert);
  const only = onlyChange(alert);
  const isActive = only !== null && statusNow(only) === 'ACTIVE';
  const title = titleOf(alert);
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
        isActive && !currentState(outcomes).isBlocked
          ? holderBlockButton({ value: event.id, card: cardOf(alert) })
          : null,
      ),
      ...context(event.isSeen === true ? dateAfter('seen', at) : dateToken(at), late ? 'Arrived late' : null, event.id),
    ],
  };
}

/** The same in three lines. */
export function holderStatusLines(alert: StatusAlert): ShortLines {
  return { title: titleOf(alert), who: '', at: changedAt(alert), cause: linesOf(alert), small: [] };
}

function titleOf(alert: StatusAlert): string {
  const only = onlyChange(alert);
  if (only === null) return `${alert.changes.length} of your cards changed`;
  const [before, after] = isDeactivated(only) ? ['Your', ' is not active'] : headlines[statusNow(only)];
  return `${before} ${cardName(only)}${after}`;
}

/** A card that worked before is no new one. */
function isDeactivated(change: StatusChange): boolean {
  return statusNow(change) === 'INACTIVE' && change.from !== null && change.from !== 'INACTIVE';
}

function meaningFor(change: StatusChange, alert: StatusAlert): string {
  const status = statusNow(change);
  const since = status === 'INACTIVE' ? sinceOf(alert) : null;
  if (since !== null) return since === 'closed since' ? statusMeanings.CLOSED : 'It has been activated since.';
  if (isDeactivated(change)) return 'It does not work until an operator activates it again.';
  const isOrdered = alert.card.isVirtual === true && status === 'INACTIVE';
  return isOrdered ? 'Its order activates it: you don’t have to do anything.' : statusMeanings[status];
}

/** What the title does not say. */
function linesOf(alert: StatusAlert): string[] {
  const { changes } = alert;
  const only = onlyChange(alert);
  if (only !== null) {
    const by = only.causedBy === null ? '' : mention(only.causedBy);
    // The approvers may not know why somebody else blocked it.
    const ask = statusNow(only) === 'BLOCKED' ? ` Ask ${by || 'an approver'} why.` : '';
    return [by && `Changed by ${by}.`, `${meaningFor(only, alert)}${ask}`].filter(Boolean);
  }
  const more = changes.length - SHOWN_MAX;
  return [...changes.slice(0, SHOWN_MAX).map(line), ...(more > 0 ? [`… and ${more} more.`] : [])];
}

function line(change: StatusChange): string {
  const by = change.causedBy === null ? '' : `, changed by ${mention(change.causedBy)}`;
  return `Your ${cardName(change)} is ${statusWord(statusNow(change))}${by}.`;
}
