import { z } from 'zod';
import { OwnId, toCardStatus } from '../card-api/schema.ts';
import { CardStatus, CardStatusEvent } from '../core/event.ts';
import {
  eventId,
  fullName,
  identifier,
  identifierForm,
  optionalInteger,
  parseWith,
  positive,
  readPayload,
  type WebhookContext,
  words,
} from './payload.ts';

const CardStatusPayload = z.object({
  AcctId: positive,
  FirstName: words,
  LastName: words,
  CustomId: identifierForm.pipe(OwnId),
  CardList: z
    .array(
      z.object({
        CardId: positive,
        Last4CardNumber: identifier.transform(lastFour),
        CardStatus: z.union([z.string(), z.int()]).transform(toCardStatus).pipe(CardStatus),
        CardOrderId: optionalInteger,
      }),
    )
    .min(1),
});

/** What is unreadable in one of these does not reject the webhook. */
const inessential: ReadonlySet<string> = new Set(['FirstName', 'LastName', 'CustomId', 'Last4CardNumber']);

/** The last four digits, also when a sender puts the full number into that field. */
export function lastFour(text: string): string {
  return text.replace(/\D/g, '').slice(-4);
}

/**
 * Payload → event.
 *
 * `CallbackTime` is part of the id: ACTIVE → BLOCKED → ACTIVE gives two payloads that differ in nothing else.
 */
export function redactCardStatus(
  data: unknown,
  { callbackAt, receivedAt, onIgnored }: WebhookContext,
): CardStatusEvent {
  const payload = readPayload(CardStatusPayload, data, inessential, onIgnored);
  const cards = payload.CardList.map((card) => ({
    cardId: card.CardId,
    last4: card.Last4CardNumber,
    status: card.CardStatus,
    // Zero is no order: a card made in the portal or by a file.
    cardOrderId: card.CardOrderId || null,
  }));

  return parseWith(CardStatusEvent, {
    id: eventId([
      'card-status',
      payload.AcctId,
      callbackAt,
      ...cards.flatMap(({ cardId, status }) => [cardId, status]),
    ]),
    kind: 'card-status',
    callbackAt,
    receivedAt,
    acctId: payload.AcctId,
    holder: fullName(payload),
    customId: payload.CustomId,
    cards,
  });
}

interface MissedStatus extends Pick<CardStatusEvent, 'acctId' | 'holder' | 'customId'> {
  readonly card: Omit<CardStatusEvent['cards'][number], 'cardOrderId'>;
  readonly was: { readonly status: CardStatus | null; readonly seenAt: string };
  readonly seenAt: string;
}

/**
 * Makes an event of a change that the API shows and no webhook reported. The real time of the change is unknown, so the
 * time when it was seen is used.
 */
export function toMissedStatus({ acctId, holder, customId, card, was, seenAt }: MissedStatus): CardStatusEvent {
  return CardStatusEvent.parse({
    // No time in the id, so that the change is one event however often it is seen.
    id: eventId(['card-status-missed', acctId, card.cardId, was.status, was.seenAt, card.status]),
    kind: 'card-status',
    isSeen: true,
    changedAfter: was.seenAt,
    callbackAt: seenAt,
    receivedAt: seenAt,
    acctId,
    holder,
    customId,
    cards: [{ ...card, cardOrderId: null }],
  });
}
