import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aggregationRule, createAggregationGroups } from '../../../src/alerts/aggregation-group-store.ts';
import type { TransactionAlert } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { useRedis } from '../../support/on-redis.ts';
import { transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

/** The nth attempt at a terminal, the given minutes after the first. */
function tried(index: number, minutes: number, over: Record<string, unknown> = {}): TransactionAlert {
  const at = new Date(Date.parse('2026-11-20T14:00:00Z') + minutes * 60_000).toISOString();
  const id = `evt_${String(index).padStart(16, '0')}`;
  return transactionAlert({ id, occurredAt: at, callbackAt: at, ...over });
}

it('groups and counts declines that arrive together the same as declines that arrive one by one', async () => {
  const all = Array.from({ length: 16 }, (_, index) =>
    tried(index, (index * 37) % 90, { acctId: 1 + (index % 2), amountCents: index % 5 === 0 ? 500 : 1000 }),
  );
  const arrivals = fc.array(fc.tuple(fc.constantFrom(...all), fc.constantFrom('C1', 'C2')), { maxLength: 12 });
  const joinAll = async (given: readonly (readonly [TransactionAlert, string])[][], isAtOnce: boolean) => {
    await redis().flushall();
    const [groups, alerts] = [createAggregationGroups(redis()), createAlerts(redis(), () => new Date())];
    const answers: string[] = [];
    for (const turn of given) {
      for (const [alert] of turn) await alerts.save(alert);
      const joined = turn.map(([{ event, late }, channel]) => async () => {
        const rule = { ...aggregationRule(event), gapMs: 20 * 60_000, spanMs: 60 * 60_000 };
        return await groups.join(channel, event, rule, late);
      });
      if (isAtOnce) answers.push(...(await Promise.all(joined.map((one) => one()))));
      else for (const one of joined) answers.push(await one());
    }
    const stored = await Promise.all(all.map(({ event }) => alerts.get(event.id)));
    return { answers, repeats: stored.map((alert) => alert?.kind === 'transaction' && alert.repeats) };
  };

  await fc.assert(
    fc.asyncProperty(fc.array(arrivals, { maxLength: 3 }), async (given) => {
      expect(await joinAll(given, true)).toEqual(await joinAll(given, false));
    }),
    { numRuns: 60 },
  );
});
