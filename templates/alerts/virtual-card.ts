import type { VirtualCardAlert } from '../../src/alerts/alert.ts';
import { mayShow } from '../../src/core/channel-visibility.ts';
import type { VirtualCardEvent } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import { joinWithAnd } from '../../src/core/join-with-and.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateAfter, dateToken, mention } from '../../src/slack/mrkdwn.ts';
import { outcomeLines } from '../actions/outcomes.ts';
import { context, escapeUntrusted, fields, header, section, sentence, serviceExplanation } from '../core/blocks.ts';
import {
  balanceWord,
  cardCommand,
  cardName,
  cardOf,
  holderName,
  holderRaw,
  shortCard,
  statusWord,
} from '../core/card-words.ts';
import type { View } from '../core/view.ts';
import type { ShortLines } from './short-alert.ts';

/** Later steps of an order that can fail although the card exists. */
const followUps: Readonly<Record<string, string>> = {
  group: 'put in its group',
  ruleset: 'given its spending rules',
  activation: 'activated',
  funding: 'funded',
};

/** The outcome of an order, preceded by `Virtual card`. */
export const orderOutcomes: Readonly<Record<VirtualCardEvent['outcome'], string>> = {
  created: 'created',
  not_created: 'not created',
  partial: 'created, but incomplete',
  resend: 'details sent again',
};

/** The result of a virtual card order. Only the last four digits of the card number are ever known here. */
export function virtualCard(alert: VirtualCardAlert, { place }: View): Message {
  const { event, late, outcomes, asked } = alert;
  const known = cardOf(alert);
  const mark = late ? 'Late notice: ' : '';
  const title = `Virtual card ${orderOutcomes[event.outcome]}`;
  const isCard = event.outcome !== 'not_created';
  const said = whatHappened(alert);
  const status = knownStatus(alert);

  return {
    text: sentence(`${mark}${title}: ${shortCard(known)}. ${said}`),
    blocks: [
      header(`${title}: ${holderRaw(known)}`),
      section(said),
      ...fields([
        ['Cardholder', holderName(known)],
        ['Card', isCard ? capital(cardName(known)) : ''],
        ['Status', isCard && status !== null ? capital(statusWord(status)) : ''],
        [
          'Balance',
          isCard && event.balanceCents !== null && mayShow('balance', place) ? balanceWord(event.balanceCents) : '',
        ],
        [
          event.outcome === 'resend' ? 'Asked for by' : 'Ordered by',
          asked ? `${mention(asked.by)}${dateAfter(',', asked.at)}` : '',
        ],
        ['When', dateToken(event.callbackAt)],
      ]),
      ...outcomeLines(outcomes),
      ...context(
        late ? 'Arrived late' : null,
        [event.id, event.virtualCardOrderId === null ? '' : `virtual card order ${event.virtualCardOrderId}`]
          .filter(Boolean)
          .join(' · '),
      ),
    ],
  };
}

/** The three lines of a virtual card order. */
export function virtualLines(alert: VirtualCardAlert): ShortLines {
  const { event, asked } = alert;
  return {
    title: `Virtual card ${orderOutcomes[event.outcome]}`,
    who: shortCard(cardOf(alert)),
    at: event.callbackAt,
    cause: [whatHappened(alert)],
    small: [
      asked === null ? '' : `${event.outcome === 'resend' ? 'asked for' : 'ordered'} by ${mention(asked.by)}`,
      event.virtualCardOrderId === null ? '' : `virtual card order ${event.virtualCardOrderId}`,
    ],
  };
}

/** The outcome, as a sentence. */
function whatHappened(alert: VirtualCardAlert): string {
  const { outcome, failed, message } = alert.event;
  const why = serviceExplanation(escapeUntrusted(message, 300));
  if (outcome === 'created')
    return isUsable(alert.event) ? 'The card is ready, with everything as ordered.' : notUsable(alert);
  if (outcome === 'resend') return 'The details of this card were sent again. The card itself did not change.';
  if (outcome === 'not_created')
    return `No card was created. ${why} Check the order in the card program’s portal, then order again.`;
  const names = failed.map((name) => name.trim().toLowerCase());
  const each = failed
    .map((name, index) => followUps[names[index] ?? ''] ?? `finished: “${escapeUntrusted(name, 40)}”`)
    .map((word) => `could not be ${word}`);
  const words = [...new Set(each)];
  const list = words.length === 0 ? `could not be finished. ${why}` : `${joinWithAnd(words)}.`;
  const isInactive = names.includes('activation') && [null, 'INACTIVE'].includes(alert.event.status);
  const activate = isInactive ? ` To activate it: ${cardCommand('activate', cardOf(alert))}` : '';
  const which = words.length > 1 ? 'each of these' : 'this';
  const fix = isInactive && words.length === 1 ? '' : ` You can fix ${which} in the card program’s portal.`;
  return `The card exists, but it ${list}${fix}${activate}`;
}

/** The status is the card's current one. Not every webhook has it. */
export function isUsable({ status }: VirtualCardEvent): boolean {
  return status === null || status === 'ACTIVE';
}

/** A resend calls every card inactive that is not active, so the directory tells which it is. Null: nothing does. */
export function knownStatus({ event, card }: Pick<VirtualCardAlert, 'event' | 'card'>): string | null {
  if (event.outcome !== 'resend' || isUsable(event)) return event.status;
  // One of the two is out of date.
  return card.status === 'ACTIVE' ? null : (card.status ?? null);
}

/** The order succeeded, but the card cannot pay. */
function notUsable(alert: VirtualCardAlert): string {
  const { status } = alert.event;
  const card = cardOf(alert);
  const is = `The card was created, but it is ${statusWord(status ?? '')} and cannot be used.`;
  switch (status) {
    case 'INACTIVE':
      return `${is} Activate it: ${cardCommand('activate', card)}`;
    case 'BLOCKED':
      return `${is} If it should work: ${cardCommand('unblock', card)}`;
    case 'CLOSED':
      return `${is} Closed is final: order a new one.`;
    default:
      return `${is} Check it in the card program’s portal.`;
  }
}
