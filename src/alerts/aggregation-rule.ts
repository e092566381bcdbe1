import { z } from 'zod';
import { contentId } from '../core/content-id.ts';
import { declineCode, type TransactionEvent } from '../core/event.ts';

/**
 * Repeats of a decline are one message as long as each follows within this time of another: somebody trying again at
 * the till, a subscription that retries.
 */
export const AGGREGATION_GAP_MS = 30 * 60_000;

/** Nobody looks at yesterday's message: what goes on for longer is told anew. */
export const AGGREGATION_SPAN_MS = 24 * 3_600_000;

/** Declines of a card that is known to be blocked follow from the block; they are counted for as long as one message lasts. */
export const BLOCKED_GAP_MS = AGGREGATION_SPAN_MS;

/** Which events are repeats of one another, and how far apart they may be. */
export interface AggregationRule {
  readonly key: string;
  readonly gapMs: number;
  readonly spanMs: number;
}

/** How often a decline was repeated in one channel, the first one included. Kept with the alert of the first message. */
export const Repeats = z.strictObject({
  count: z.int().positive(),
  /** UTC ISO 8601, by the time of the purchases, not of their arrival. */
  firstAt: z.string(),
  lastAt: z.string(),
  minCents: z.int(),
  maxCents: z.int(),
});
export type Repeats = z.infer<typeof Repeats>;

/** A merchant as its declines name it: number and name together, because a chain's shops share either. */
export function merchantKey({ merchant }: Pick<TransactionEvent, 'merchant'>): string {
  const name = merchant.name.toLowerCase().replaceAll(/\s+/g, ' ').trim();
  return contentId('', [merchant.id, name]);
}

/** The same card account, merchant and reason. Amounts may differ: people try less. */
export function aggregationRule(event: TransactionEvent): AggregationRule {
  const key = contentId('', ['repeat', event.acctId, merchantKey(event), declineCode(event.decline)]);
  return { key, gapMs: AGGREGATION_GAP_MS, spanMs: AGGREGATION_SPAN_MS };
}

/** Whatever a blocked card is tried for, wherever. */
export function blockedRule(event: TransactionEvent): AggregationRule {
  return { key: contentId('', ['blocked', event.acctId]), gapMs: BLOCKED_GAP_MS, spanMs: AGGREGATION_SPAN_MS };
}
