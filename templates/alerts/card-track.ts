import type { CardFacts } from '../../src/core/card-facts.ts';
import type { Message } from '../../src/slack/message.ts';
import { dateToken, link } from '../../src/slack/mrkdwn.ts';
import { context, header, outside, section, sentence } from '../core/blocks.ts';
import { capital, cardHandle, cardOfHolder, cardOfHolderRaw, statusWord } from '../core/card-words.ts';
import { trackingLink } from '../core/tracking-link.ts';

export interface CardTrack {
  readonly card: CardFacts;
  readonly isVirtual: boolean;
  /** Every card of the account, oldest first. */
  readonly cards: readonly { readonly last4: string | null; readonly status: string | null }[];
  /** Newest first. */
  readonly shipments: readonly {
    readonly shippedAt: string;
    readonly shippingMethod: string;
    readonly trackingNumber: string;
    readonly last4: string;
    readonly orderId: number | null;
    /** Null: not known. */
    readonly orderedAt: string | null;
  }[];
}

const CARDS_MAX = 10;

/** Where a card is: ordered, shipped, and whether anybody has activated it. */
export function cardTrack({ card, isVirtual, cards, shipments }: CardTrack): Message {
  const open = cards.filter(({ status }) => status !== 'CLOSED');
  const isWaiting = open.some(({ status }) => status === 'INACTIVE');
  const [latest] = shipments;
  const where = isVirtual
    ? 'It is virtual, so nothing is shipped.'
    : latest === undefined
      ? 'I know of no shipment.'
      : `Shipped ${latest.shippingMethod.trim() === '' ? '' : `with ${outside(latest.shippingMethod, 60)} `}on ${dateToken(latest.shippedAt, '{date_short_pretty}')}.`;
  const state = isWaiting ? 'Not activated yet.' : open.length === 0 ? 'Closed for good.' : 'Activated.';

  return {
    text: sentence(`${cardOfHolder(card)}: ${where} ${state}`),
    blocks: [
      header(`On its way: ${cardOfHolderRaw(card)}`),
      section(
        ...shipments.map(shipmentLine),
        shipments.length === 0 ? `*${where}*` : null,
        ...cards
          .slice(-CARDS_MAX)
          .map(
            ({ last4, status }) =>
              `*Card ending ${outside(last4 ?? '????', 10)}:* ${status === null ? 'status not known' : statusWord(status)}`,
          ),
      ),
      ...(isWaiting
        ? [section(`When the card has arrived, activate it: \`/card activate ${outside(cardHandle(card), 20)}\``)]
        : []),
      ...context(
        shipments.length === 0 && !isVirtual ? 'Shipments are known from the time when Cardbell first ran.' : null,
        'Only you see this.',
      ),
    ],
  };
}

function shipmentLine({
  shippedAt,
  shippingMethod,
  trackingNumber,
  last4,
  orderId,
  orderedAt,
}: CardTrack['shipments'][number]): string {
  const tracking = trackingLink(shippingMethod, trackingNumber);
  const number = trackingNumber.slice(0, 60);
  const followed =
    number === ''
      ? 'no tracking number'
      : tracking === null
        ? outside(number, 60)
        : `${tracking.carrier} ${link(tracking.url, number)}`;
  const ordered =
    orderedAt === null
      ? orderId === null
        ? ''
        : `ordered as ${orderId}, `
      : `ordered ${dateToken(orderedAt, '{date_short_pretty}')}, `;
  return `${capital(`${ordered}shipped ${dateToken(shippedAt, '{date_short_pretty}')}`)} (card ending ${outside(last4, 10)}): ${followed}`;
}
