import { z } from 'zod';
import { VirtualCardEvent } from '../core/event.ts';
import { toCents } from '../core/money.ts';
import { lastFour } from './card-status.ts';
import {
  type Circumstances,
  eventId,
  holderOf,
  identifier,
  optionalDecimal,
  optionalInteger,
  parseWith,
  words,
} from './payload.ts';

/**
 * The sensitive payload. `CVV2`, `AccountNumber` and `ExpirationDate` are not even read; of `CardNumber` the last four
 * digits leave the schema.
 */
export const VirtualCardPayload = z
  .object({
    AccountId: optionalInteger,
    FirstName: words,
    LastName: words,
    CardNumber: identifier.transform(lastFour),
    Status: words,
    Balance: optionalDecimal,
    VirtualCardOrderId: optionalInteger,
    OrderDateTime: words,
    Errors: z
      .array(words)
      .nullish()
      .transform((errors) => (errors ?? []).filter((error) => error !== '')),
    Message: words,
  })
  // Everything else may be empty when no card came to be; a payload that names neither is about nothing.
  .refine((payload) => (payload.AccountId ?? 0) > 0 || payload.VirtualCardOrderId !== null, {
    path: ['VirtualCardOrderId'],
    error: 'expected this or a positive AccountId',
  });

type VirtualCardPayload = z.infer<typeof VirtualCardPayload>;

/**
 * Payload → event.
 *
 * The original order's webhook is one event however often it is told. A resend carries no outcome of its own, and each
 * request for one is a new event; of an order several cards may fail, and a card that never was has no account: only
 * `CallbackTime` tells two of these apart.
 */
export function redactVirtualCard(data: unknown, circumstances: Circumstances): VirtualCardEvent {
  const payload = parseWith(VirtualCardPayload, data);
  const outcome = outcomeOf(payload);
  const acctId = payload.AccountId !== null && payload.AccountId > 0 ? payload.AccountId : null;

  return parseWith(VirtualCardEvent, {
    id: eventId([
      'virtual-card',
      acctId,
      payload.VirtualCardOrderId,
      payload.OrderDateTime,
      payload.FirstName,
      payload.LastName,
      outcome,
      ...payload.Errors,
      outcome === 'resend' || acctId === null ? circumstances.callbackAt : null,
    ]),
    kind: 'virtual-card',
    callbackAt: circumstances.callbackAt,
    receivedAt: circumstances.receivedAt,
    acctId,
    holder: holderOf(payload),
    last4: payload.CardNumber === '' ? null : payload.CardNumber,
    status: payload.Status === '' ? null : payload.Status.toUpperCase(),
    balanceCents: payload.Balance === null ? null : toCents(payload.Balance),
    virtualCardOrderId: payload.VirtualCardOrderId,
    outcome,
    failed: payload.Errors.filter((error) => !isCard(error)),
    message: payload.Message,
  });
}

function isCard(error: string): boolean {
  return error.toLowerCase() === 'card';
}

/** `Errors` decides; the informational `Message` only tells an original order from a resend. */
function outcomeOf(payload: VirtualCardPayload): VirtualCardEvent['outcome'] {
  if (payload.Errors.some(isCard)) return 'not_created';
  if (payload.Errors.length > 0) return 'partial';
  if (payload.Message === '') return 'resend';
  // A failure marker with no member in Errors: the service says that something failed, so we must not say success.
  if (/^fail/i.test(payload.Message)) return /card creation/i.test(payload.Message) ? 'not_created' : 'partial';
  return 'created';
}
