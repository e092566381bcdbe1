import { z } from 'zod';
import { AnyRecord } from '../card-api/schema.ts';
import { PayloadError } from '../core/errors.ts';
import { FETCHED_PATH, type QuarantinedWebhook, type StoredEvent } from '../core/event.ts';
import { redactShipping } from './card-shipping.ts';
import { redactCardStatus } from './card-status.ts';
import {
  Envelope,
  instantOf,
  parseWith,
  quickCheckOfObject,
  textForm,
  type WebhookContext,
  withQuickCheck,
} from './payload.ts';
import { redactTransaction, toMissedTransaction } from './transaction.ts';
import { redactVirtualCard } from './virtual-card.ts';

const families = {
  transaction: redactTransaction,
  'card-status': redactCardStatus,
  'card-shipping': redactShipping,
  'virtual-card': redactVirtualCard,
} as const;
type Family = keyof typeof families;

const anything = withQuickCheck(z.unknown().optional(), () => true);
const Markers = z.object({
  TransactionType: textForm,
  NetworkType: anything,
  VirtualCardOrderId: anything,
  CardNumber: anything,
});
const areUsualMarkers = quickCheckOfObject(Markers);
const isUsualEnvelope = quickCheckOfObject(Envelope);

/**
 * The family of a payload, decided by its content. The path counts only when the content is ambiguous.
 *
 * @throws PayloadError for an unknown kind: the webhook is quarantined, and ops are notified once a day.
 */
export function familyOf(data: unknown, path: string): Family {
  const markers = areUsualMarkers(data) ? data : parseWith(Markers, data);
  const type = markers.TransactionType?.trim().toUpperCase() ?? '';
  if (type === 'NETWORK') return 'transaction';
  if (type === 'CARD') return 'card-status';
  if (type === 'CARDORDER') return 'card-shipping';
  if (markers.VirtualCardOrderId !== undefined) return 'virtual-card';
  if (type === '') {
    if (typeof markers.NetworkType === 'string') return 'transaction';
    if (markers.CardNumber !== undefined || path === 'virtual-card') return 'virtual-card';
  }
  throw new PayloadError(['TransactionType: expected NETWORK, CARD or CARDORDER, or a virtual card payload']);
}

/**
 * Converts a webhook's JSON to the event that we store.
 *
 * @throws PayloadError when it does not match; the webhook is then quarantined.
 */
export function toStoredEvent(body: unknown, path: string, options: Omit<WebhookContext, 'callbackAt'>): StoredEvent {
  const { CallbackTime, Data } = isUsualEnvelope(body) ? body : parseWith(Envelope, body);
  const { zone, version, receivedAt, onIgnored } = options;
  const callbackAt = instantOf('CallbackTime', CallbackTime, zone);
  return families[familyOf(Data, path)](Data, { zone, version, receivedAt, onIgnored, callbackAt });
}

/**
 * Reads a quarantined webhook again, because this version may know its shape.
 *
 * @throws PayloadError when it still does not match.
 */
export function reread({ body, path, version, receivedAt }: QuarantinedWebhook, zone: string): StoredEvent {
  return path === FETCHED_PATH
    ? toMissedTransaction(AnyRecord.parse(body), { zone, receivedAt })
    : toStoredEvent(body, path, { zone, version: version ?? undefined, receivedAt });
}
