import { AGGREGATION_GAP_MS, aggregationRule } from '../alerts/aggregation-group-store.ts';
import type { Alert } from '../alerts/alert.ts';
import { type Filter, whyNot } from './filter.ts';

/** Whoever subscribes waits for the answer, so no more alerts than these are read. */
const READ_MAX = 10_000;

/** How many alerts a subscription would have posted; at least as many where not all that are kept were read. */
export interface Matches {
  readonly count: number;
  readonly isAll: boolean;
}

/** Counts those that are kept, newest first. Declines that share a message count once. */
export async function countMatches(filter: Filter, kept: AsyncIterable<Alert>, readMax = READ_MAX): Promise<Matches> {
  const seen = new Map<string, number>();
  let count = 0;
  let read = 0;
  for await (const alert of kept) {
    if (read >= readMax) return { count, isAll: false };
    read += 1;
    if (alert.kind === 'card-testing' || alert.kind === 'activation-reminder') continue;
    if (whyNot(filter, alert) !== null) continue;
    if (alert.kind === 'transaction' && alert.event.kind === 'decline') {
      const { key } = aggregationRule(alert.event);
      const at = Date.parse(alert.event.occurredAt);
      const later = seen.get(key);
      seen.set(key, at);
      if (later !== undefined && Math.abs(later - at) <= AGGREGATION_GAP_MS) continue;
    }
    count += 1;
  }
  return { count, isAll: true };
}
