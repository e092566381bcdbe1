import { ACTIVATION_OVERDUE_MS } from '../../src/alerts/card-lifecycle.ts';
import type { CardFacts } from '../../src/core/card-facts.ts';
import type { ShippingEvent } from '../../src/core/event.ts';
import { capital } from '../../src/core/first-letter.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken } from '../../src/slack/mrkdwn.ts';
import { context, countOf, escapeUntrusted, header, section, sentence } from '../core/blocks.ts';
import { cardCommand, cardName, cardOfHolder, cardOfHolderRaw, statusWord } from '../core/card-words.ts';
import { trackingLink, trackingNumberOf } from '../core/tracking-link.ts';

export interface CardTrack {
  readonly card: CardFacts;
  readonly isVirtual: boolean;
  /** The card that was asked for. Null: the account was, so it is about the card that needs action most. */
  readonly named: TrackedCard | null;
  /** Every card of the account, oldest first. */
  readonly cards: readonly TrackedCard[];
  /** Newest first. */
  readonly shipments: readonly Shipment[];
  /** Holders may not activate a card. */
  readonly isForHolder: boolean;
  /** When it is shown, UTC ISO 8601. */
  readonly at: string;
}

interface TrackedCard {
  readonly cardId: number | null;
  readonly last4: string | null;
  readonly status: string | null;
}

interface Shipment
  extends Pick<ShippingEvent, 'callbackAt' | 'shippingMethod' | 'trackingNumber' | 'last4' | 'cardOrderId'> {
  /** Null: unknown. */
  readonly orderedAt: string | null;
}

const CARDS_MAX = 10;

/** Where a card is: ordered, shipped, and whether it was activated. */
export function cardTrack(track: CardTrack): Message {
  const { card: known, isVirtual, named, cards, shipments, isForHolder, at } = track;
  const tracked = named ?? mostUrgent(cards);
  const card = tracked === undefined ? known : { ...known, cardId: tracked.cardId, last4: tracked.last4 };
  const state = stateOf(tracked);
  const isWaiting = state === 'INACTIVE';
  const earlier = cards.length - CARDS_MAX;
  // A shipment of another card of the account says nothing about this one.
  const latest = shipments.find((shipment) => mayBeOf(shipment, card));
  const name = cardOfHolderRaw(card);
  const which = shipments.length === 0 ? '' : ` of ${cardName(card)}`;
  const where = isVirtual
    ? 'It is a virtual card, so nothing is shipped.'
    : latest === undefined
      ? `I know of no shipment${which} in the last 30 days.`
      : `Shipped ${latest.shippingMethod.trim() === '' ? '' : `with ${escapeUntrusted(latest.shippingMethod, 60)} `}on ${dateToken(latest.callbackAt, '{date_short_pretty}')}.`;
  const isShipped = isWaiting && !isVirtual && latest !== undefined;
  const isOverdue = isShipped && Date.parse(at) - Date.parse(latest.callbackAt) >= ACTIVATION_OVERDUE_MS;
  const title = isOverdue ? 'Shipped, not activated' : isShipped ? 'On its way' : titles[state];

  return {
    text: sentence(`${cardOfHolder(card)}: ${where} ${states[state]}`),
    blocks: [
      header(`${title}: ${name}`),
      section(
        ...shipments.map(shipmentLine),
        latest === undefined ? `*${where}*` : null,
        earlier > 0 ? `… and ${countOf(earlier, 'earlier card')}.` : null,
        ...cards
          .slice(-CARDS_MAX)
          .map(({ last4, status }) => `*Card ${escapeUntrusted(last4 ?? '????', 10)}:* ${statusWord(status ?? '')}`),
      ),
      ...(isWaiting
        ? [section(activationAdvice(card, { isVirtual, isForHolder }), isOverdue ? neverArrived(isForHolder) : null)]
        : []),
      ...context(
        shipments.length === 0 && !isVirtual
          ? 'I remember shipments for 30 days. For older ones, see the card program’s portal.'
          : null,
      ),
    ],
  };
}

const neverArrived = (isForHolder: boolean): string =>
  `If it never arrived, ${isForHolder ? 'ask for a new one' : 'order a new one in the card program’s portal'}.`;

function activationAdvice(card: CardFacts, { isVirtual, isForHolder }: Pick<CardTrack, 'isVirtual' | 'isForHolder'>) {
  if (isForHolder)
    return `It does not work until it is activated: tell an operator${isVirtual ? '' : ' when it arrives'}.`;
  const when = isVirtual ? 'Activate it' : 'When the card has arrived, activate it';
  return `${when}: ${cardCommand('activate', card)}`;
}

const byUrgency = ['INACTIVE', 'ACTIVE', 'BLOCKED', 'CLOSED'] as const;
type State = (typeof byUrgency)[number] | 'unknown';

function stateOf(card: TrackedCard | undefined): State {
  return byUrgency.find((state) => card?.status?.trim().toUpperCase() === state) ?? 'unknown';
}

/** The newest card that needs action; if there is none, the newest one that can be used. */
function mostUrgent(cards: CardTrack['cards']): TrackedCard | undefined {
  const newest = byUrgency.flatMap((state) => cards.findLast((card) => stateOf(card) === state) ?? []);
  return newest[0] ?? cards.at(-1);
}

/** Digits that are not known do not rule a card out. */
function mayBeOf({ last4 }: Shipment, card: Pick<TrackedCard, 'last4'>): boolean {
  const [shipped, known] = [last4.trim(), card.last4?.trim() ?? ''];
  return shipped === '' || known === '' || shipped === known;
}

const titles: Readonly<Record<State, string>> = {
  INACTIVE: 'Not activated',
  ACTIVE: 'Active',
  BLOCKED: 'Blocked',
  CLOSED: 'Closed',
  unknown: 'Shipping',
};

const states: Readonly<Record<State, string>> = {
  INACTIVE: 'Not activated yet.',
  ACTIVE: 'The card is active.',
  BLOCKED: 'The card is blocked.',
  CLOSED: 'The card is closed for good.',
  unknown: 'The card’s status is not known.',
};

function shipmentLine(shipment: Shipment): string {
  const { callbackAt, shippingMethod, trackingNumber, last4, cardOrderId, orderedAt } = shipment;
  const carrier = trackingLink(shippingMethod, trackingNumber)?.carrier;
  const followed = [carrier, trackingNumberOf(shipment)].filter(Boolean).join(' ') || 'no tracking number';
  const ordered =
    orderedAt === null
      ? cardOrderId === null
        ? ''
        : `ordered as ${cardOrderId}, `
      : `ordered ${dateToken(orderedAt, '{date_short_pretty}')}, `;
  const which = last4.trim() === '' ? '' : ` (card ${escapeUntrusted(last4, 10)})`;
  return `${capital(`${ordered}shipped ${dateToken(callbackAt, '{date_short_pretty}')}`)}${which}: ${followed}`;
}
