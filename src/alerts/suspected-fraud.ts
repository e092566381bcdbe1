import type { StoredEvent } from '../core/event.ts';
import { declineReason } from './decline-reason.ts';

/**
 * Merchant categories that turn a card into money at once: money transfer, crypto and other quasi-cash, stored value, and
 * gambling. Whoever uses a card that is not theirs goes there first.
 */
const cashLike: ReadonlySet<string> = new Set(['4829', '6050', '6051', '6540', '7800', '7801', '7802', '7995']);

/** How the service or a remote service may say it, in a code or a message that is not in the table. */
const fraudWords = /fraud|suspect|stolen|counterfeit/i;

/**
 * True when an event may be somebody else using the card: a wrong PIN, a purchase at a merchant that sells money, or a
 * reason that says so. No mute withholds these.
 */
export function isSuspectedFraud(event: StoredEvent): boolean {
  if (!('merchant' in event) || event.direction === 'credit') return false;
  if (cashLike.has(event.mcc.trim())) return true;
  if (event.decline === null) return false;
  return declineReason(event.decline).isSensitive || namesFraud(event.decline);
}

export function namesFraud({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return fraudWords.test(`${code} ${message}`);
}
