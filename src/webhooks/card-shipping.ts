import { z } from 'zod';
import { ShippingEvent } from '../core/event.ts';
import { lastFour } from './card-status.ts';
import {
  eventId,
  identifier,
  optionalInteger,
  parseWith,
  positive,
  readPayload,
  trackingNumber,
  type WebhookContext,
  words,
} from './payload.ts';

const ShippingPayload = z.object({
  AcctId: positive,
  TrackingNumber: trackingNumber,
  ShippingMethod: words,
  Last4CardNumber: identifier.transform(lastFour),
  CardOrderId: optionalInteger,
});

/** What is unreadable in one of these does not reject the webhook. */
const inessential: ReadonlySet<string> = new Set(['ShippingMethod', 'Last4CardNumber']);

/** Payload → event. `CallbackTime` is not part of the id: a parcel is one event, however often it is reported. */
export function redactShipping(data: unknown, { callbackAt, receivedAt, onIgnored }: WebhookContext): ShippingEvent {
  const payload = readPayload(ShippingPayload, data, inessential, onIgnored);
  const { AcctId: acctId, CardOrderId: cardOrderId, Last4CardNumber: last4 } = payload;
  const { ShippingMethod: shippingMethod, TrackingNumber: trackingNumber } = payload;
  return parseWith(ShippingEvent, {
    id: eventId(['card-shipping', acctId, cardOrderId, last4, shippingMethod, trackingNumber]),
    kind: 'card-shipping',
    callbackAt,
    receivedAt,
    acctId,
    trackingNumber,
    shippingMethod,
    last4,
    // Zero is no order: a card made in the portal or by a file.
    cardOrderId: cardOrderId || null,
  });
}
