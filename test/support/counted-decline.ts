import type { Tallies } from '../../src/digests/tally-store.ts';
import { transactionAlert } from '../templates/fixtures.ts';

type Counted = Parameters<Tallies['count']>[0];

/** What a tally differs in from another one. */
export interface CountedOver extends Partial<Pick<Counted, 'reason' | 'group'>> {
  readonly acctId?: number;
  readonly at?: string;
  readonly cents?: number;
  readonly merchant?: string;
  readonly city?: string;
}

/** A declined attempt, as the digests count it. */
export function countedDecline(id: string, occurredAt: string, over: CountedOver = {}): Counted {
  const { acctId = 7, at = occurredAt, cents = 1000, merchant = 'Blue Bottle', city = 'Austin', group = null } = over;
  const { reason = { code: 'decline.rule.velocity', title: 'Over the daily limit' } } = over;
  const decline = { code: reason.code, message: '' };
  const { event } = transactionAlert();
  const where = { ...event.merchant, name: merchant, city };
  return {
    event: { ...event, id, acctId, occurredAt: at, amountCents: cents, merchant: where, decline },
    reason,
    group,
  };
}
