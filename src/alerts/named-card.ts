import { cardOf } from '../../templates/core/card-words.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { Alert } from './alert.ts';

/** The card that an alert names. Neither: it names none, or more than one. */
export function namedCard(alert: Alert): Pick<CardFacts, 'cardId' | 'last4'> {
  const { cardId, last4 } = cardOf(alert);
  return { cardId, last4 };
}
