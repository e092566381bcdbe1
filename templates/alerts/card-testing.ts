import type { ActionsBlock, SectionBlock, StaticSelect } from '@slack/types';
import { type CardTestingAlert, type TriedCard, testedCardValue } from '../../src/alerts/alert.ts';
import { capital } from '../../src/core/first-letter.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import { formatCents } from '../../src/core/money.ts';
import { BLOCKED_ALONE_MAX } from '../../src/policy/decide-action.ts';
import { actionId } from '../../src/slack/action-id.ts';
import * as limits from '../../src/slack/limits.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, plain, truncate } from '../../src/slack/mrkdwn.ts';
import { currentState, outcomeLine, outcomeLines, outcomeSentence } from '../actions/outcomes.ts';
import {
  actions,
  button,
  confirm,
  context,
  countOf,
  escapeUntrusted,
  header,
  inSections,
  plainText,
  section,
  sentence,
} from '../core/blocks.ts';
import { cardName, cardOfHolderRaw, holderName, named, shortCard } from '../core/card-words.ts';
import { option } from '../core/form.ts';
import type { ShortLines } from './short-alert.ts';

const SHOWN_MAX = 15;
const SHORT_MAX = 3;
const ROWS_OF_SECTION = 5;
/** A longer list would take space from the rows. The other cards have their own *Block card* in the thread. */
const OPTIONS_MAX = 25;
/** More cards at one merchant than this are blocked in two steps. */
const BLOCKED_AT_ONCE_MAX = 100;

/** Several cards declined at one merchant: which ones, since when, and how to stop them. */
export function cardTesting(alert: CardTestingAlert): Message {
  const { event, tried, outcomes, late } = alert;
  const [first, last] = triedBetween(alert);
  const count = countOf(tried.length, 'card');
  const at = placeName(alert);
  const places = placesOf(tried);
  const where = places.length > 1 ? `in ${countOf(places.length, 'place')}` : (places[0] ?? '');
  const names = tried.slice(0, SHOWN_MAX).map(shortCard);
  const more = tried.length - names.length;

  return {
    text: sentence(
      `${late ? 'Late notice: ' : ''}Possible card testing: ${count} declined at ${escapeUntrusted(at, 80)}: ${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}.${outcomeSentence(outcomes)}`,
    ),
    blocks: [
      header(`Possible card testing: ${count} at ${at}`),
      section(
        `*${capital(count)} declined at ${escapeUntrusted(at, 80)}${where && `, ${escapeUntrusted(where, 80)}`}*, ${dateAfter('first', first)}, ${dateAfter('last', last)}.`,
        'Somebody may be trying out stolen card numbers. Or the merchant’s terminal may be faulty. Ask the cardholders if it was them, and block the cards of those who say no.',
      ),
      ...rows(tried, alert),
      ...outcomesOfAll(alert),
      ...controls(alert),
      ...context(late ? 'Arrived late' : null, `${event.id} · further declines at this merchant are in this thread`),
    ],
  };
}

/** The three lines of a card-testing warning. */
export function testingLines(alert: CardTestingAlert): ShortLines {
  const { event, tried } = alert;
  const merchant = event.merchant.name.trim();
  const shown = tried.slice(0, SHORT_MAX).map(shortCard);
  const more = tried.length - shown.length;
  const amounts = tried.flatMap(({ minCents, maxCents }) => [minCents, maxCents]);
  const [least, most] = [Math.min(...amounts), Math.max(...amounts)].map(formatCents);
  const amount = amounts.length === 0 ? '' : least === most ? `, ${least} each` : `, ${least} to ${most}`;
  const count = tried.reduce((sum, one) => sum + one.count, 0);
  return {
    title: `Possible card testing: ${countOf(tried.length, 'card')}${merchant && ` at ${merchant}`}`,
    who: '',
    at: triedBetween(alert)[1],
    cause: [
      `${countOf(count, 'decline')}${amount}: ${shown.join('; ')}${more > 0 ? ` and ${more} more` : ''}.`,
      'Ask the cardholders if it was them, and block the cards of those who say no.',
    ],
    small: [escapeUntrusted(placesOf(tried).join('; '), 120), 'Further declines at this merchant are in this thread'],
  };
}

/** What was done about the warning and about each of its cards. */
export function testedOutcomes(alert: CardTestingAlert): SectionBlock[] {
  const { tried, outcomes } = alert;
  const acted = tried.filter(({ acctId }) => outcomes.some((outcome) => outcome.acctId === acctId));
  return [...rows(acted, alert), ...outcomesOfAll(alert)];
}

/** What was done about the warning itself. */
function outcomesOfAll({ outcomes }: CardTestingAlert): SectionBlock[] {
  return outcomeLines(outcomes.filter(({ acctId }) => acctId == null));
}

/** Where cards were tried, each city once. */
export function placesOf(tried: readonly Pick<TriedCard, 'places'>[]): string[] {
  return [...new Set(tried.flatMap(({ places }) => places))].filter((place) => place !== '').toSorted();
}

/** When the cards were tried first and last. */
function triedBetween({ tried, event }: CardTestingAlert): [first: string, last: string] {
  const times = tried.flatMap(({ firstAt, lastAt }) => [firstAt, lastAt]).toSorted();
  return [times[0] ?? event.occurredAt, times.at(-1) ?? event.occurredAt];
}

function rows(cards: readonly TriedCard[], alert: CardTestingAlert): SectionBlock[] {
  const lines = cards.slice(0, SHOWN_MAX).map((card) => row(card, alert));
  const more = cards.length - lines.length;
  if (more > 0) lines.push(`… and ${more} more: their declines are in this thread.`);
  return inSections(lines, ROWS_OF_SECTION);
}

/**
 * `• *Jane Doe* · card 1212: 2 declines, $1.00 to $5.00`, the place if there are several, and what was done about the card.
 */
function row(card: TriedCard, { outcomes, tried }: CardTestingAlert): string {
  const { count, minCents, maxCents, acctId, isClosed } = card;
  const times = countOf(count, 'decline');
  const amount = minCents === maxCents ? formatCents(minCents) : `${formatCents(minCents)} to ${formatCents(maxCents)}`;
  const where = placesOf(tried).length > 1 ? joinWithAnd(placesOf([card])) : '';
  const done = outcomes.findLast((outcome) => outcome.acctId === acctId);
  const line = `• *${holderName(card)}* · ${cardName(card)}: ${times}, ${amount}${where && `, ${escapeUntrusted(where, 120)}`}${isClosed === true ? ', closed for good' : ''}`;
  return done === undefined ? line : `${line}\n    ${outcomeLine(done)}`;
}

function placeName({ event }: CardTestingAlert): string {
  return event.merchant.name.trim() || 'one merchant';
}

/** Cards that can be used and that nobody has blocked from this warning, as many as one step can block. */
export function stillOpen({ tried, outcomes }: CardTestingAlert): TriedCard[] {
  return tried
    .filter(({ acctId, isClosed }) => {
      const own = outcomes.filter((outcome) => outcome.acctId === acctId);
      return isClosed !== true && !currentState(own).isBlocked && own.every((outcome) => outcome.isClosed !== true);
    })
    .slice(0, BLOCKED_AT_ONCE_MAX);
}

function controls(alert: CardTestingAlert): ActionsBlock[] {
  const { id } = alert.event;
  const open = stillOpen(alert);
  const { isSeen } = currentState(alert.outcomes);
  const label = `Acknowledge: possible card testing at ${placeName(alert)}`;
  return actions(
    open.length === 0 ? null : blockOne(id, open),
    open.length < 2 ? null : blockAll(id, open),
    isSeen ? null : button({ text: 'Acknowledge', action: actionId.acknowledgeAlert, value: id, label }),
  );
}

function blockOne(warningId: string, open: readonly TriedCard[]): StaticSelect {
  return {
    type: 'static_select',
    action_id: actionId.blockTestedCard,
    placeholder: plainText('Block one card…', limits.PLACEHOLDER_MAX),
    options: open.slice(0, OPTIONS_MAX).map((card) => option(cardOfHolderRaw(card), testedCardValue(warningId, card))),
    confirm: confirm({
      title: 'Block this card?',
      text: 'The chosen card will decline every purchase until somebody unblocks it.',
      confirmText: 'Block card',
      style: 'danger',
    }),
  };
}

function blockAll(warningId: string, open: readonly TriedCard[]) {
  const names = open.map((card) => named(card, 60)).join('; ');
  return button({
    text: open.length === 2 ? 'Block both cards' : `Block all ${countOf(open.length, 'card')}`,
    action: actionId.blockTestedCards,
    // The last card that it names: cards that are added later were not confirmed.
    value: testedCardValue(warningId, open.at(-1) ?? { alertId: '' }),
    style: 'danger',
    confirm: {
      title: `Block ${countOf(open.length, 'card')}?`,
      text: `${open.length > BLOCKED_ALONE_MAX ? 'An approver has to agree. ' : ''}Each will decline every purchase until somebody unblocks it: ${truncate(plain(names), 185)}`,
      confirmText: `Block ${countOf(open.length, 'card')}`,
    },
  });
}
