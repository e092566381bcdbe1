import type { ChainableCommander } from 'ioredis';
import { stateKey } from '../core/keys.ts';

/** Grows with every change of what decides where events go. */
export const routingVersionKey = stateKey('routing-version');

/** Adds the new version to the transaction that changes something: a worker then reads it all anew, at its next event. */
export function routingChanged(transaction: ChainableCommander): ChainableCommander {
  return transaction.incr(routingVersionKey);
}
