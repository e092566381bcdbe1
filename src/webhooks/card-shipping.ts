import { z } from 'zod';
import { ShippingEvent } from '../core/event.ts';
import { lastFour } from './card-status.ts';
import {
  eventId,
  identifier,
  optionalInteger,
  parseWith,
  positive,
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

/** Payload → event. `CallbackTime` is not part of the id: a parcel is one event, however often it is reported. */
export function redactShipping(data: unknown, circumstances: WebhookContext): ShippingEvent {
  const payload = parseWith(ShippingPayload, data);

  return parseWith(ShippingEvent, {
    id: eventId([
      'card-shipping',
      payload.AcctId,
      payload.CardOrderId,
      payload.Last4CardNumber,
      payload.ShippingMethod,
      payload.TrackingNumber,
    ]),
    kind: 'card-shipping',
    callbackAt: circumstances.callbackAt,
    receivedAt: circumstances.receivedAt,
    acctId: payload.AcctId,
    trackingNumber: payload.TrackingNumber,
    shippingMethod: payload.ShippingMethod,
    last4: payload.Last4CardNumber,
    cardOrderId: payload.CardOrderId,
  });
}
