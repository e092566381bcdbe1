import type { Button } from '@slack/types';
import {
  changedAt,
  lastStep,
  onlyChange,
  type StatusAlert,
  type StatusChange,
  statusNow,
} from '../../src/alerts/alert.ts';
import type { CardStatus } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { activateButton, blockButton } from '../actions/card-buttons.ts';
import { currentState, outcomeLines, outcomeSentence } from '../actions/outcomes.ts';
import { actions, context, countOf, escapeUntrusted, fields, header, section, sentence } from '../core/blocks.ts';
import { cardName, cardOf, cardOfHolder, holderName, holderRaw, shortCard, statusWord } from '../core/card-words.ts';
import { progressLine } from './order-progress.ts';
import type { ShortLines } from './short-alert.ts';

/** Cards listed individually. An event with more cards says how many more. */
const SHOWN_MAX = 10;
const SHORT_MAX = 3;

/** The three lines of a status change. */
export function statusLines(alert: StatusAlert): ShortLines {
  const only = onlyChange(alert);
  const card = cardOf(alert);
  const isVirtual = card.isVirtual === true;
  return {
    title: only === null ? severalChanged(alert) : headline(only, isVirtual),
    who: shortCard(card),
    at: changedAt(alert),
    // For several cards, one line each.
    cause: only === null ? [linesOf(alert, SHORT_MAX, isVirtual).join('\n')] : [shortLine(only, alert, isVirtual)],
    small: [progressLine(alert.progress), escapeUntrusted(alert.event.customId ?? '', 60)],
  };
}

/** What the title does not say. */
function shortLine(change: StatusChange, alert: StatusAlert, isVirtual: boolean): string {
  const by = cause(change, isVirtual);
  const since = sinceOf(alert) ?? (isVirtual ? 'its order activates it' : 'not activated yet');
  // The title already says that it is new.
  const words = isNew(change) ? since : way(change, isVirtual);
  return `${capital(words)}${by && `, ${by}`}.${note(change)}`;
}

/** Cards with a new status, regardless of the number of webhooks. */
export function cardStatus(alert: StatusAlert): Message {
  const { event, outcomes, changes } = alert;
  const only = onlyChange(alert);
  const card = cardOf(alert);
  const late = alert.late ? 'Late notice: ' : '';
  const more = changes.length - SHOWN_MAX;
  const isVirtual = card.isVirtual === true;
  const by = only === null ? '' : capital(cause(only, isVirtual));
  const words = only === null ? '' : way(only, isVirtual, sinceOf(alert));

  return {
    text: sentence(
      only === null
        ? `${late}${countOf(changes.length, 'card')} of ${holderName(card)} changed. ${[...changes.slice(0, SHOWN_MAX).map((change) => line(change, isVirtual)), ...(more > 0 ? [`And ${more} more.`] : [])].join(' ')}`
        : `${late}${cardOfHolder(card)}: ${words}.${note(only)}${by && ` ${by}.`}${outcomeSentence(outcomes)}`,
    ),
    blocks: [
      header(`${only === null ? severalChanged(alert) : headline(only, isVirtual)}: ${holderRaw(card)}`),
      section(...(only === null ? linesOf(alert, SHOWN_MAX, isVirtual) : [`*${capital(words)}*${note(only)}`])),
      ...fields([
        ['Cardholder', holderName(card)],
        ['Card', only === null ? '' : capital(cardName(card))],
        ['How', by],
        [event.isSeen === true ? 'Changed before' : 'When', dateToken(changedAt(alert))],
      ]),
      ...outcomeLines(outcomes),
      ...actions(only === null ? null : control(alert, only, card)),
      ...context(progressLine(alert.progress), alert.late ? 'Arrived late' : null, event.id),
    ],
  };
}

function severalChanged({ changes }: StatusAlert): string {
  return `${countOf(changes.length, 'card')} changed`;
}

function linesOf({ changes }: StatusAlert, most: number, isVirtual: boolean): string[] {
  const more = changes.length - most;
  const lines = changes.slice(0, most).map((change) => line(change, isVirtual));
  return more > 0 ? [...lines, `… and ${more} more.`] : lines;
}

const headlines: Readonly<Record<CardStatus, string>> = {
  INACTIVE: 'Card not activated',
  ACTIVE: 'Card active',
  BLOCKED: 'Card blocked',
  CLOSED: 'Card closed for good',
};

function headline(change: StatusChange, isVirtual: boolean): string {
  if (change.supersededBy !== null) return 'Card status, arrived late';
  const status = statusNow(change);
  if (isNew(change)) return isVirtual ? 'New virtual card' : 'New card';
  return isRepeat(change) ? `Card still ${statusWord(status)}` : headlines[status];
}

function isRepeat({ from, steps }: StatusChange): boolean {
  return steps.every(({ status }) => status === from);
}

function isNew({ from, steps }: StatusChange): boolean {
  return from === null && steps.every(({ status }) => status === 'INACTIVE');
}

/** `not activated → active → blocked`. When nothing changed, says that the status was reported again. */
function way(change: StatusChange, isVirtual: boolean, since: string | null = null): string {
  const { from, steps } = change;
  const last = statusWord(lastStep(change).status);
  if (isRepeat(change)) return `reported again as ${last}`;
  // Ordering a virtual card activates it: nobody has to do anything.
  if (isNew(change)) return isVirtual ? 'new virtual card' : `new card, ${since ?? 'not activated yet'}`;
  const chain = [...(from === null ? [] : [from]), ...steps.map(({ status }) => status)];
  const words = chain.filter((status, i) => status !== chain[i - 1]).map(statusWord);
  return words.length === 1 ? `now ${last} (earlier status not known)` : words.join(' → ');
}

function note(change: StatusChange): string {
  const { supersededBy } = change;
  const late = supersededBy === null ? '' : ` Arrived late: the card is now ${statusWord(supersededBy)}.`;
  return lastStep(change).status === 'CLOSED' ? `${late} Final: this card can never be used again.` : late;
}

/** A first status and a repeated status have no cause worth naming. */
function cause(change: StatusChange, isVirtual: boolean): string {
  if (change.causedBy !== null) return `changed by ${mention(change.causedBy)} in Cardbell`;
  const isByOrder = isVirtual && change.from !== 'BLOCKED' && change.steps.every(({ status }) => status === 'ACTIVE');
  return isNew(change) || isRepeat(change) || isByOrder ? '' : 'changed outside Slack';
}

/** One of several cards, with all its details. */
function line(change: StatusChange, isVirtual: boolean): string {
  const by = cause(change, isVirtual);
  return `*${capital(cardName(change))}:* ${way(change, isVirtual)}${by && `, ${by}`}.${note(change)}`;
}

/** What happened to a card after it was not activated. Null: nothing that is known. */
export function sinceOf({ event, outcomes, progress }: StatusAlert): 'activated since' | 'closed since' | null {
  if ((progress?.closed ?? null) !== null) return 'closed since';
  // Before this, it was activated for the first time, and then deactivated.
  const isLater = (at: string | null | undefined): boolean => (at ?? '') > event.callbackAt;
  const isActivated = currentState(outcomes).isActivated || isLater(progress?.activated) || isLater(progress?.used);
  return isActivated ? 'activated since' : null;
}

function control(alert: StatusAlert, change: StatusChange, card: StatusAlert['card']): Button | null {
  const about = { value: alert.event.id, card };
  const status = statusNow(change);
  const since = sinceOf(alert);
  if (currentState(alert.outcomes).isBlocked || since === 'closed since') return null;
  const wasUsable = change.from !== null && change.from !== 'INACTIVE';
  const isActivated = since !== null || (card.isVirtual === true && !wasUsable);
  if (status === 'INACTIVE') return isActivated ? blockButton(about) : activateButton(about);
  return status === 'ACTIVE' ? blockButton(about) : null;
}
