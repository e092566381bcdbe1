import type { LimitPeriod, LimitWindow } from '../card-api/rule.ts';
import { serviceZone } from '../core/installation.ts';

const periodWords: readonly (readonly [RegExp, LimitPeriod])[] = [
  [/\b(?:daily|day)\b/i, 'daily'],
  [/\b(?:weekly|week)\b/i, 'weekly'],
  [/\b(?:monthly|month)\b/i, 'monthly'],
  [/\b(?:yearly|year|annual|annually)\b/i, 'yearly'],
  [/\blifetime\b/i, 'lifetime'],
];

/** The period that the card service's message names; null: none. */
export function periodInMessage(message: string): LimitPeriod | null {
  return periodWords.find(([word]) => word.test(message))?.[1] ?? null;
}

/** What a cardholder can do until a limit resets, which it does on the card service's clock. */
export const untilReset = (): Readonly<Record<LimitWindow, string>> => ({
  transaction: 'or pay a smaller amount',
  daily: `pay a smaller amount, or wait until midnight ${serviceZone().long}`,
  weekly: 'pay a smaller amount, or wait until Sunday',
  monthly: 'pay a smaller amount, or wait until the first of the month',
  yearly: 'pay a smaller amount, or wait until January 1',
  lifetime: 'or pay another way: a lifetime limit never resets',
});
