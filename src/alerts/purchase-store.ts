import { z } from 'zod';
import type { TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import type { WithLock } from '../core/lock.ts';
import { recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { merchantKey } from './aggregation-group-store.ts';
import { groupPurchases, PurchaseStep, type PurchaseTimeline, REFUND_WITHIN_MS } from './purchase-timeline.ts';

/** No later event can belong to an older purchase. */
const KEPT_MS = REFUND_WITHIN_MS;
const KEPT_MAX = 200;

const Kept = z.strictObject({
  step: PurchaseStep,
  /** The event whose message starts the thread. */
  leaderId: z.string(),
  /** Counts up in order of arrival. A purchase keeps its oldest thread. */
  arrived: z.int(),
});
type Kept = z.infer<typeof Kept>;
const format = recordFormat(Kept);

export type Purchases = ReturnType<typeof createPurchases>;

/** The recent purchases of each account, in one hash that is changed under a lock. */
export function createPurchases(redis: RedisClient, withLock: WithLock) {
  return {
    /**
     * Adds an authorization, settlement, reversal or refund to its purchase. Idempotent and independent of the order of
     * arrival: an event keeps its thread.
     *
     * @returns the purchase as known now.
     */
    join: (event: TransactionEvent): Promise<PurchaseTimeline> => serialized(event, null),
    /** Adds an event that Redis has lost, in the thread it had. */
    restore: (leaderId: string, event: TransactionEvent): Promise<PurchaseTimeline> => serialized(event, leaderId),
  };

  function serialized(event: TransactionEvent, leader: string | null): Promise<PurchaseTimeline> {
    return withLock(`account:${event.acctId}:purchases`, () => join(event, leader));
  }

  async function join(event: TransactionEvent, leader: string | null): Promise<PurchaseTimeline> {
    const key = stateKey(`purchases:${event.acctId}`);
    const kept = new Map<string, Kept>();
    for (const [id, text] of Object.entries(await redis.hgetall(key))) kept.set(id, format.read(text));

    const own = stepOf(event);
    const known = kept.get(event.id);
    const purchase = groupPurchases([...[...kept.values()].map(({ step }) => step), ...(known ? [] : [own])]).find(
      ({ steps }) => steps.some(({ eventId }) => eventId === event.id),
    );
    if (purchase === undefined) throw new Error('grouping lost an event');
    const [oldest] = purchase.steps
      .flatMap(({ eventId }) => kept.get(eventId) ?? [])
      .toSorted((a, b) => a.arrived - b.arrived);
    const leaderId = known?.leaderId ?? leader ?? oldest?.leaderId ?? event.id;
    if (known === undefined) {
      const arrived = 1 + [...kept.values()].reduce((last, { arrived: at }) => Math.max(last, at), 0);
      await write(key, [...kept.values()], { step: own, leaderId, arrived });
    }
    const steps = purchase.steps.map(({ eventId, kind, direction, cents, at }) => {
      return { eventId, kind, direction, cents, at, isInferred: purchase.inferred.has(eventId) };
    });
    return { leaderId, steps };
  }

  async function write(key: string, before: readonly Kept[], added: Kept): Promise<void> {
    const horizon = Date.parse(added.step.at) - KEPT_MS;
    const extra = before.toSorted((a, b) => b.arrived - a.arrived).slice(KEPT_MAX - 1);
    const gone = new Set([...extra, ...before.filter(({ step }) => Date.parse(step.at) < horizon)]);
    const writing = redis.multi().hset(key, added.step.eventId, format.write(added));
    if (gone.size > 0) writing.hdel(key, ...[...gone].map(({ step }) => step.eventId));
    await writing.pexpire(key, 2 * KEPT_MS).exec();
  }
}

function stepOf(event: TransactionEvent): PurchaseStep {
  const { id, kind, networkTransactionId, authTransactionId, occurredAt, amountCents, direction, mcc } = event;
  return PurchaseStep.parse({
    eventId: id,
    kind,
    networkTransactionId,
    authTransactionId,
    at: occurredAt,
    cents: amountCents,
    direction,
    merchant: merchantKey(event),
    mcc,
  });
}
