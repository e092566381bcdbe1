import { AGGREGATION_GAP_MS, aggregationRule } from '../alerts/aggregation-group-store.ts';
import type { Alert } from '../alerts/alert.ts';
import { type Filter, whyNot } from './filter.ts';

/** More are not counted: nobody wants that many. */
export const COUNTED_MAX = 10_000;

/**
 * How many alerts a subscription would have posted, of those that are kept, newest first. Declines that share a message count
 * once.
 */
export async function countMatches(filter: Filter, kept: AsyncIterable<Alert>): Promise<number> {
  const seen = new Map<string, number>();
  let count = 0;
  for await (const alert of kept) {
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
    if (count >= COUNTED_MAX) break;
  }
  return count;
}
