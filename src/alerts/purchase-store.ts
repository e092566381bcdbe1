import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import type { TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import type { WithLock } from '../core/lock.ts';
import { merchantKey } from './aggregation-rule.ts';
import { groupPurchases, PurchaseStep, type PurchaseTimeline, REFUND_WITHIN_MS } from './purchase-timeline.ts';

/** Nothing older can belong to what comes. */
const KEPT_MS = REFUND_WITHIN_MS;
const KEPT_MAX = 200;

const Kept = z.strictObject({
  step: PurchaseStep,
  /** The event that its thread began with. */
  leaderId: z.string(),
  /** When it was put there, in the order of arrival; the eldest thread of a purchase is the purchase's. */
  arrived: z.int(),
});
type Kept = z.infer<typeof Kept>;

export interface Purchases {
  /**
   * Puts an event of money that moved into its purchase. Any order of arrival; the same event again gets the same thread.
   *
   * @returns the purchase as it is known now.
   */
  join(event: TransactionEvent): Promise<PurchaseTimeline>;
}

/** The recent purchases of each account: one hash, changed by one at a time. */
export function createPurchases(redis: Redis | Cluster, withLock: WithLock): Purchases {
  return {
    join: (event) => withLock(`account:${event.acctId}:purchases`, () => join(event)),
  };

  async function join(event: TransactionEvent): Promise<PurchaseTimeline> {
    const key = stateKey(`purchases:${event.acctId}`);
    const kept = new Map<string, Kept>();
    for (const [id, text] of Object.entries(await redis.hgetall(key))) kept.set(id, Kept.parse(JSON.parse(text)));

    const own = stepOf(event);
    const known = kept.get(event.id);
    const purchase = groupPurchases([...[...kept.values()].map(({ step }) => step), ...(known ? [] : [own])]).find(
      ({ steps }) => steps.some(({ eventId }) => eventId === event.id),
    );
    if (purchase === undefined) throw new Error('a purchase holds each of its events');
    const [eldest] = purchase.steps
      .flatMap(({ eventId }) => kept.get(eventId) ?? [])
      .toSorted((a, b) => a.arrived - b.arrived);
    const leaderId = known?.leaderId ?? eldest?.leaderId ?? event.id;
    if (known === undefined) {
      const arrived = 1 + [...kept.values()].reduce((last, one) => Math.max(last, one.arrived), 0);
      await write(key, [...kept.values()], { step: own, leaderId, arrived });
    }
    const steps = purchase.steps.map(({ eventId, kind, direction, cents, at }) => {
      return { eventId, kind, direction, cents, at, isInferred: purchase.inferred.has(eventId) };
    });
    return { leaderId, steps };
  }

  async function write(key: string, before: readonly Kept[], added: Kept): Promise<void> {
    const oldest = Date.parse(added.step.at) - KEPT_MS;
    const extra = before.toSorted((a, b) => b.arrived - a.arrived).slice(KEPT_MAX - 1);
    const gone = new Set([...extra, ...before.filter(({ step }) => Date.parse(step.at) < oldest)]);
    const writing = redis.multi().hset(key, added.step.eventId, JSON.stringify(added));
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
