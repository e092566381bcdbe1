import { z } from 'zod';
import { VirtualCardEvent } from '../core/event.ts';
import { toCents } from '../core/money.ts';
import { redactText } from '../core/redact-text.ts';
import { lastFour } from './card-status.ts';
import {
  eventId,
  fullName,
  identifier,
  isSplit,
  optionalDecimal,
  optionalInteger,
  parseWith,
  readPayload,
  type WebhookContext,
  words,
} from './payload.ts';

/**
 * The payload with secrets. Never reads `CVV2`, `AccountNumber` and `ExpirationDate`, and only the last four digits of
 * `CardNumber` leave the schema.
 */
const VirtualCardPayload = z
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
      .union([
        z.array(words),
        z
          .string()
          .regex(/^\s*$/)
          .transform(() => []),
      ])
      .nullish()
      .transform((errors) => withoutSplit((errors ?? []).filter((error) => error !== ''))),
    Message: words,
  })
  // All other fields may be empty when no card was created. A payload with neither of these is about nothing.
  .refine((payload) => (payload.AccountId ?? 0) > 0 || payload.VirtualCardOrderId !== null, {
    path: ['VirtualCardOrderId'],
    error: 'expected this or a positive AccountId',
  });

/** People see them next to each other. */
function withoutSplit(errors: readonly string[]): string[] {
  const holdSecret = isSplit(errors, redactText);
  return errors.map((error) => (holdSecret && /\p{Nd}/u.test(error) ? '[removed]' : error));
}

/** What is unreadable in one of these does not reject the webhook. `Errors` and `Message` say how the order ended. */
const inessential: ReadonlySet<string> = new Set<keyof VirtualCardPayload>([
  'FirstName',
  'LastName',
  'CardNumber',
  'Balance',
  'OrderDateTime',
]);

type VirtualCardPayload = z.infer<typeof VirtualCardPayload>;

/**
 * Payload → event.
 *
 * The webhook of the original order is one event however often it comes. A resend has no outcome, and each request for
 * one is a new event. Several cards of an order may fail, and a card that was never created has no account. In these
 * cases only `CallbackTime` distinguishes two events.
 */
export function redactVirtualCard(
  data: unknown,
  { callbackAt, receivedAt, onIgnored }: WebhookContext,
): VirtualCardEvent {
  const payload = readPayload(VirtualCardPayload, data, inessential, onIgnored);
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
      outcome === 'resend' || acctId === null ? callbackAt : null,
    ]),
    kind: 'virtual-card',
    callbackAt,
    receivedAt,
    acctId,
    holder: fullName(payload),
    last4: payload.CardNumber === '' ? null : payload.CardNumber,
    status: payload.Status === '' ? null : payload.Status.toUpperCase(),
    balanceCents: payload.Balance === null ? null : toCents(payload.Balance),
    virtualCardOrderId: payload.VirtualCardOrderId || null,
    outcome,
    failed: payload.Errors.filter((error) => !isCard(error)),
    message: payload.Message,
  });
}

function isCard(error: string): boolean {
  return error.toLowerCase() === 'card';
}

/** `Errors` decides. The informational `Message` only distinguishes an order from a resend. */
function outcomeOf(payload: VirtualCardPayload): VirtualCardEvent['outcome'] {
  // The message may report a failure that `Errors` does not list. Do not show it as a success.
  const hasFailed = /^fail/i.test(payload.Message);
  if (payload.Errors.some(isCard) || (hasFailed && /card creation/i.test(payload.Message))) return 'not_created';
  if (hasFailed || payload.Errors.length > 0) return 'partial';
  return payload.Message === '' ? 'resend' : 'created';
}
