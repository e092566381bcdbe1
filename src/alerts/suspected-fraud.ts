import type { StoredEvent } from '../core/event.ts';
import { isSensitive } from './decline-reason.ts';

/**
 * Merchant categories that turn a card into money immediately: money transfer, crypto and other quasi-cash, stored value,
 * and gambling. People who use a stolen card go there first.
 */
const cashLike: ReadonlySet<string> = new Set(['4829', '6050', '6051', '6540', '7800', '7801', '7802', '7995']);

/** How the card service or a remote service may hint at fraud in a code or message that the table does not list. */
const fraudWords = /fraud|suspect|stolen|counterfeit/i;

/**
 * True when someone else may be using the card: a wrong PIN, a purchase of cash or its equivalent, or a reason that names
 * fraud. No mute withholds these events.
 */
export function isSuspectedFraud(event: StoredEvent): boolean {
  if (!('merchant' in event) || event.direction === 'credit') return false;
  if (cashLike.has(event.mcc.trim())) return true;
  if (event.decline === null) return false;
  return isSensitive(event.decline) || namesFraud(event.decline);
}

export function namesFraud({ code, message }: { readonly code: string; readonly message: string }): boolean {
  return fraudWords.test(`${code} ${message}`);
}
