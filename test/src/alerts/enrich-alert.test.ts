import { expect, it } from 'vitest';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { enrichAlert } from '../../../src/alerts/deliver-alert.ts';
import type { Advice } from '../../../src/limits/remedy.ts';
import type { Remedy } from '../../../src/limits/remedy-change.ts';
import { useRedis } from '../../support/on-redis.ts';
import { declined, raise } from '../../templates/fixtures.ts';

const redis = useRedis();
const remedy: Remedy = raise;

async function enrich(advice: Advice, hasWaited = false) {
  const alerts = createAlerts(redis());
  const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit');
  await alerts.save(alert);
  const updated: string[] = [];
  const again = await enrichAlert(alert.event.id, hasWaited, {
    alerts,
    adviceFor: async () => advice,
    updateAlert: async (id) => void updated.push(id),
  });
  const now = await alerts.get(alert.event.id);
  return { again, updated: updated.length, remedy: now?.kind === 'transaction' ? now.remedy : undefined };
}

it('adds the numbers when the card API answers late, and updates the messages', async () => {
  expect(await enrich({ remedy, isIncomplete: false })).toEqual({ again: null, updated: 1, remedy });
});

it('updates the message of the first try if the alert is a repeat', async () => {
  const alert = { ...declined('decline.rule.velocity', ''), leaders: ['evt_first'] };
  const updated: string[] = [];
  await enrichAlert(alert.event.id, false, {
    alerts: { get: async () => alert, save: async () => {} },
    adviceFor: async () => ({ remedy, isIncomplete: false }),
    updateAlert: async (id) => void updated.push(id),
  });

  expect(updated).toEqual([alert.event.id, 'evt_first']);
});

it('asks once more if the answer is incomplete, then stops', async () => {
  const incomplete = { remedy: { ...remedy, remainingCents: null }, isIncomplete: true };

  expect(await enrich(incomplete)).toEqual({ again: expect.any(Number), updated: 0, remedy: null });
  expect(await enrich(incomplete, true)).toEqual({ again: null, updated: 0, remedy: null });
});

it('stops if nothing would decline the purchase any more', async () => {
  expect(await enrich({ remedy: null, isIncomplete: false })).toEqual({ again: null, updated: 0, remedy: null });
});
