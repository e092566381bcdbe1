import fc from 'fast-check';
import { expect, it } from 'vitest';
import { aggregationRule } from '../../../src/alerts/aggregation-group-store.ts';
import type { Alert, TransactionAlert } from '../../../src/alerts/alert.ts';
import { createDeliverStatus } from '../../../src/alerts/deliver-status.ts';
import type { CardStatusEvent } from '../../../src/core/event.ts';
import { useRedis } from '../../support/on-redis.ts';
import { createRememberingWorker } from '../../support/remembering-worker.ts';
import { card, change, statusAlert, transactionAlert } from '../../templates/fixtures.ts';

const redis = useRedis();
const START = Date.parse('2026-11-20T14:00:00Z');

const createWorker = () => createRememberingWorker(redis());
type Worker = ReturnType<typeof createWorker>;

/** The nth event, a minute after the one before it. */
function nth(index: number, over: Record<string, unknown>): TransactionAlert {
  const occurredAt = new Date(START + index * 60_000).toISOString();
  return transactionAlert({ id: `evt_${String(index).padStart(16, '0')}`, occurredAt, ...over });
}

/** Joins an event. @returns the alert whose message shows it; null if it has joined none. */
type Join<Given> = (worker: Worker, alert: Given) => Promise<string | null>;

/**
 * Two workers handle the events in one order, Redis loses everything after the first few, and both repeat what they
 * remember. Their jobs then run again in another order.
 */
async function expectSameMessages<Given extends Alert>(events: readonly Given[], join: Join<Given>): Promise<void> {
  const order = fc.shuffledSubarray([...events.keys()], { minLength: events.length });
  const at = (index: number): Given => {
    const event = events[index];
    if (event === undefined) throw new Error('there is no such event');
    return event;
  };
  const orders = fc.record({
    first: order,
    kept: fc.nat({ max: events.length - 1 }),
    again: order,
    turn: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(orders, async ({ first, kept, again, turn }) => {
      await redis().flushall();
      const workers = [createWorker(), createWorker()] as const;
      const of = (index: number): Worker => workers[index % 2 === 0 ? 0 : 1];
      const shown = new Map<string, string>();
      for (const [index, alert] of first.slice(0, kept).map(at).entries()) {
        const by = await join(of(index), alert);
        if (by !== null) shown.set(alert.event.id, by);
      }
      const keys = await redis().keys('*');
      const dumps = await Promise.all(keys.map((key) => redis().dumpBuffer(key)));
      for (const [index, alert] of first.slice(kept).map(at).entries()) {
        const by = await join(of(kept + index), alert);
        if (by !== null) shown.set(alert.event.id, by);
      }

      await redis().flushall();
      await Promise.all(keys.map((key, index) => redis().restore(key, 0, dumps[index] ?? Buffer.alloc(0))));
      for (const worker of turn ? workers : workers.toReversed()) await worker.writeAgain();
      for (const [index, alert] of again.map(at).entries()) {
        const by = await join(of(index), alert);
        expect(by, `${alert.event.id} is shown again`).toBe(shown.get(alert.event.id) ?? by);
        if (by !== null) expect([...shown.values()], 'no other message is posted').toContain(by);
      }
    }),
    { numRuns: 40 },
  );
}

it('shows repeats of a decline in the posted message after Redis lost their group, and counts each once', async () => {
  const repeats = Array.from({ length: 5 }, (_, index) => nth(index, { amountCents: 1000 }));
  await expectSameMessages(repeats, async ({ alerts, aggregationGroups }, alert) => {
    await alerts.save(alert);
    const { event } = alert;
    return await aggregationGroups.join('C1', event, aggregationRule(event), false);
  });

  const [leader] = await Promise.all(
    repeats.map(({ event }) => createWorker().aggregationGroups.join('C1', event, aggregationRule(event), false)),
  );
  const stored = await createWorker().alerts.get(leader ?? '');
  if (stored?.kind !== 'transaction') throw new Error('the leader is not stored');
  expect(stored.repeats['C1']).toEqual({
    count: 5,
    firstAt: repeats[0]?.event.occurredAt,
    lastAt: repeats[4]?.event.occurredAt,
    minCents: 1000,
    maxCents: 1000,
  });
});

it('adds declines to the posted card-testing warning after Redis lost it', async () => {
  const tried = Array.from({ length: 5 }, (_, index) =>
    nth(index, { acctId: 1001 + index, amountCents: 100 + index, decline: { code: 'decline', message: 'Declined' } }),
  );
  await expectSameMessages(
    tried,
    async ({ cardTesting }, { event, card }) => (await cardTesting.join('C1', event, card))?.warningId ?? null,
  );
});

it('keeps the thread of a purchase after Redis lost its first event', async () => {
  const steps = Array.from({ length: 4 }, (_, index) =>
    nth(index, {
      kind: index === 0 ? 'authorization' : 'settlement',
      decline: null,
      amountCents: 1000,
      networkTransactionId: 'one purchase',
    }),
  );
  await expectSameMessages(steps, async ({ purchases }, { event }) => (await purchases.join(event)).leaderId);
});

it('keeps a step that is not posted in its purchase after Redis lost both', async () => {
  const steps = Array.from({ length: 4 }, (_, index) =>
    nth(index, {
      kind: index === 0 ? 'authorization' : 'reversal',
      decline: null,
      direction: index === 0 ? 'debit' : 'credit',
      amountCents: 1000 - index,
      networkTransactionId: 'one purchase',
    }),
  );
  await expectSameMessages(steps, async ({ purchases }, { event }) => {
    const joined = event.kind === 'authorization' ? await purchases.join(event) : await purchases.joinStarted(event);
    return joined?.leaderId ?? null;
  });
});

it('shows an activation and the block that follows in the posted messages after Redis lost both', async () => {
  const statuses = (['ACTIVE', 'BLOCKED'] as const).map((status, index) => {
    const callbackAt = new Date(START + index * 1000).toISOString();
    const alert = statusAlert([change({ steps: [{ status, at: callbackAt }] })]);
    return { ...alert, event: { ...alert.event, id: `evt_000000000000000${index}`, callbackAt } };
  });
  await expectSameMessages(statuses, ({ alerts, history }, { event }) => deliver(event, { alerts, history }));
});

/** Delivers a status that no longer waits for the next one. @returns the alert whose message shows it. */
async function deliver(event: CardStatusEvent, stores: Pick<Worker, 'alerts' | 'history'>): Promise<string | null> {
  let shownBy: string | null = null;
  const deliverStatus = createDeliverStatus({
    ...stores,
    directory: { factsOf: async () => card, learn: async () => {}, statusBefore: async () => 'INACTIVE' },
    async publish(alert) {
      shownBy = alert.event.id;
      return await stores.alerts.record(alert, []);
    },
    async updateAlert(alertId) {
      shownBy = alertId;
    },
    showStatus: async () => {},
  });
  await deliverStatus(event, { hasWaited: true, isLate: false });
  return shownBy;
}
