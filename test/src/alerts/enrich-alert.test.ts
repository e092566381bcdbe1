import { expect, it } from 'vitest';
import type { PurchaseCheck } from '../../../src/actions/deps.ts';
import type { Remedy, TransactionAlert } from '../../../src/alerts/alert.ts';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { enrichAlert, lacksNumbers } from '../../../src/alerts/enrich-alert.ts';
import { useRedis } from '../../support/on-redis.ts';
import { declined, raise } from '../../templates/fixtures.ts';

const redis = useRedis();
const found: Remedy = { ...raise, alsoBinding: [], along: [] };

async function enrich(alert: TransactionAlert, checks: PurchaseCheck[], hasWaited = false) {
  const alerts = createAlerts(redis());
  await alerts.save(alert);
  const updated: string[] = [];
  const again = await enrichAlert(alert.event.id, hasWaited, {
    alerts,
    checkPurchase: async () => checks.shift() ?? { state: 'unknown' },
    updateMessages: async (id) => void updated.push(id),
  });
  const now = (await alerts.get(alert.event.id))?.alert;
  return { again, updated, remedy: now?.kind === 'transaction' ? now.remedy : undefined };
}

const velocity = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit');

it('adds the numbers when the card API says them late, and edits the message', async () => {
  const { again, updated, remedy } = await enrich(velocity, [{ state: 'stopped', remedy: found }]);

  expect({ again, updated, remedy }).toEqual({ again: null, updated: [velocity.event.id], remedy: found });
});

it('looks once more, and then no more', async () => {
  expect((await enrich(velocity, [])).again).toBeGreaterThan(0);
  expect(await enrich(velocity, [], true)).toEqual({ again: null, updated: [], remedy: null });
  expect((await enrich(velocity, [{ state: 'passes' }])).again).toBeNull();
});

it('leaves alone what has its numbers, or has none', async () => {
  const known = { ...velocity, remedy: found };
  const lower: Remedy = { ...found, suggestedCents: 1 };

  expect((await enrich(known, [{ state: 'stopped', remedy: lower }])).remedy).toEqual(found);
  expect(lacksNumbers(declined('decline', 'Do not honor').event, null)).toBe(false);
  expect(lacksNumbers(velocity.event, { ...found, remainingCents: null })).toBe(true);
  expect(lacksNumbers(velocity.event, found)).toBe(false);
});
