import { expect, it } from 'vitest';
import { createAlerts } from '../../../src/alerts/alert-store.ts';
import { enrichAlert } from '../../../src/alerts/deliver-alert.ts';
import type { Advice } from '../../../src/limits/remedy.ts';
import type { Remedy } from '../../../src/limits/remedy-change.ts';
import { useRedis } from '../../support/on-redis.ts';
import { declined, raise } from '../../templates/fixtures.ts';

const redis = useRedis();
const remedy: Remedy = raise;

const now = (): Date => new Date('2026-11-20T14:14:30Z');

async function enrich(advice: Advice, hasWaited = false, at = now()) {
  const alerts = createAlerts(redis(), () => new Date());
  const alert = declined('decline.rule.velocity', 'Transaction exceeded daily spend limit');
  await alerts.save(alert);
  const updated: string[] = [];
  const counted: (Remedy | null)[] = [];
  const again = await enrichAlert(alert.event.id, hasWaited, {
    alerts,
    adviceFor: async () => advice,
    countDecline: async (decline) => void counted.push(decline.remedy),
    updateAlert: async (id) => void updated.push(id),
    now: () => at,
  });
  const saved = await alerts.get(alert.event.id);
  const { remedy: shown, isKnownLater } = (saved?.kind === 'transaction' && saved) || {};
  return { again, updated: updated.length, remedy: shown, counted, isKnownLater };
}

it('adds the numbers when the card API answers late, counts the decline by them, and updates the messages', async () => {
  expect(await enrich({ remedy, isIncomplete: false })).toEqual({ again: null, updated: 1, remedy, counted: [remedy] });
});

it('says that the numbers are those of now if they were added long after the purchase', async () => {
  const [soon, later] = [now(), new Date('2026-11-20T15:14:00Z')];

  expect(await enrich({ remedy, isIncomplete: false }, false, soon)).toMatchObject({ isKnownLater: undefined });
  expect(await enrich({ remedy, isIncomplete: false }, false, later)).toMatchObject({ isKnownLater: true });
});

it('updates the message of the first try if the alert is a repeat', async () => {
  const alert = { ...declined('decline.rule.velocity', ''), leaders: { C1: 'evt_first', C2: 'evt_first' } };
  const updated: string[] = [];
  await enrichAlert(alert.event.id, false, {
    alerts: { get: async () => alert, save: async () => {} },
    adviceFor: async () => ({ remedy, isIncomplete: false }),
    countDecline: async () => {},
    updateAlert: async (id) => void updated.push(id),
    now,
  });

  expect(updated).toEqual([alert.event.id, 'evt_first']);
});

it('asks once more if the answer is incomplete, then stops and counts what the alert says', async () => {
  const incomplete = { remedy: { ...remedy, remainingCents: null }, isIncomplete: true };

  expect(await enrich(incomplete)).toEqual({ again: expect.any(Number), updated: 0, remedy: null, counted: [] });
  expect(await enrich(incomplete, true)).toEqual({ again: null, updated: 0, remedy: null, counted: [null] });
});

it('stops if nothing would decline the purchase any more, and counts the decline', async () => {
  const advice = { remedy: null, isIncomplete: false };

  expect(await enrich(advice)).toEqual({ again: null, updated: 0, remedy: null, counted: [null] });
});

it('counts the decline even if its alert cannot be updated', async () => {
  const alert = declined('decline.rule.velocity', '');
  const counted: string[] = [];
  const enriching = enrichAlert(alert.event.id, false, {
    alerts: { get: async () => alert, save: async () => Promise.reject(new Error('no')) },
    adviceFor: async () => ({ remedy, isIncomplete: false }),
    countDecline: async ({ event }) => void counted.push(event.id),
    updateAlert: async () => {},
    now,
  });

  await expect(enriching).rejects.toThrow('no');
  expect(counted).toEqual([alert.event.id]);
});

it('keeps what the alert has learned of its card while the card API answered', async () => {
  const alerts = createAlerts(redis(), () => new Date());
  const alert = declined('decline.rule.velocity', '');
  const closed = { ...alert.card, status: 'CLOSED', isStatusLater: true } as const;
  await alerts.save(alert);
  await enrichAlert(alert.event.id, false, {
    alerts,
    async adviceFor() {
      await alerts.save({ ...alert, card: closed });
      return { remedy, isIncomplete: false };
    },
    countDecline: async () => {},
    updateAlert: async () => {},
    now,
  });

  expect(await alerts.get(alert.event.id)).toMatchObject({ card: closed, remedy });
});
