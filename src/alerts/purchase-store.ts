import { z } from 'zod';
import { isUndated, type TransactionEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import type { WithLock } from '../core/lock.ts';
import { recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { merchantKey } from './aggregation-group-store.ts';
import { inOrder } from './purchase-state.ts';
import {
  groupPurchases,
  type Purchase,
  PurchaseStep,
  type PurchaseTimeline,
  REFUND_WITHIN_MS,
} from './purchase-timeline.ts';

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

/** The purchase of an event as known now. */
interface Joined extends PurchaseTimeline {
  /** What other messages show because of the event, by their events. */
  readonly others: ReadonlyMap<string, PurchaseTimeline>;
}

/** Shows purchases as they are now. Runs before the next event of the account joins, so that no older state is shown last. */
type Show = (joined: Joined) => Promise<void>;
const showNothing: Show = async () => {};

/** The recent purchases of each account, in one hash that is changed under a lock. */
export function createPurchases(redis: RedisClient, withLock: WithLock) {
  return {
    /**
     * Adds an authorization, settlement, reversal or refund to its purchase. Idempotent and independent of the order of
     * arrival: an event keeps its thread.
     *
     * @returns the purchase as known now.
     */
    join: (event: TransactionEvent, show = showNothing): Promise<Joined> =>
      serialized(event, show, (kept) => add(event, kept, purchasesOf(event, kept), null)),
    /**
     * Adds an event that has no message of its own. It starts no purchase, and joins one only by an id: the one that fits
     * best may have no message either.
     *
     * @returns null when its purchase has not started.
     */
    async joinStarted(event: TransactionEvent, show = showNothing): Promise<Joined | null> {
      if ((await redis.exists(keyOf(event))) === 0) return null;
      return await serialized(event, show, async (kept) => {
        const all = purchasesOf(event, kept);
        const purchase = purchaseWith(event.id, all);
        const sure = purchase.steps.filter(({ eventId }) => !purchase.inferred.has(eventId));
        const isOwn = sure.some(({ eventId }) => eventId === event.id);
        const isStarted = isOwn && sure.some(({ eventId }) => kept.has(eventId));
        return isStarted ? await add(event, kept, all, null) : null;
      });
    },
    /** Adds an event that Redis has lost, in the thread it had. */
    restore: (leaderId: string, event: TransactionEvent): Promise<Joined> =>
      serialized(event, showNothing, (kept) => add(event, kept, purchasesOf(event, kept), leaderId)),
  };

  function serialized<T extends Joined | null>(
    event: TransactionEvent,
    show: Show,
    join: (kept: ReadonlyMap<string, Kept>) => Promise<T>,
  ): Promise<T> {
    return withLock(`account:${event.acctId}:purchases`, async ({ confirm }) => {
      const kept = new Map<string, Kept>();
      for (const [id, text] of Object.entries(await redis.hgetall(keyOf(event)))) kept.set(id, format.read(text));
      const joined = await join(kept);
      if (joined === null) return joined;
      await confirm();
      await show(joined);
      return joined;
    });
  }

  async function add(
    event: TransactionEvent,
    kept: ReadonlyMap<string, Kept>,
    all: readonly Purchase[],
    leader: string | null,
  ): Promise<Joined> {
    const joined = joinedBy(event, kept, all, leader);
    if (!kept.has(event.id)) {
      const arrived = 1 + [...kept.values()].reduce((last, { arrived: at }) => Math.max(last, at), 0);
      await write(keyOf(event), [...kept.values()], { step: stepOf(event), leaderId: joined.leaderId, arrived });
    }
    return joined;
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

const keyOf = ({ acctId }: TransactionEvent): string => stateKey(`purchases:${acctId}`);

/** The purchases of the account with this event. */
function purchasesOf(event: TransactionEvent, kept: ReadonlyMap<string, Kept>): Purchase[] {
  const steps = [...kept.values()].map(({ step }) => step);
  return groupPurchases(kept.has(event.id) ? steps : [...steps, stepOf(event)]);
}

function purchaseWith(id: string, all: readonly Purchase[]): Purchase {
  const own = all.find((purchase) => purchase.steps.some(({ eventId }) => eventId === id));
  if (own === undefined) throw new Error('grouping lost an event');
  return own;
}

/** The purchase of an event, in the thread it has, in `leader`'s, or in that of the purchase's oldest message. */
function joinedBy(
  event: TransactionEvent,
  kept: ReadonlyMap<string, Kept>,
  all: readonly Purchase[],
  leader: string | null,
): Joined {
  const { steps } = purchaseWith(event.id, all);
  const own = steps.flatMap(({ eventId }) => kept.get(eventId) ?? []);
  // A step that seemed to belong to another purchase stays in the thread of that one.
  const isElsewhere = ({ leaderId: id }: Kept): boolean => kept.has(id) && !steps.some(({ eventId }) => eventId === id);
  const [oldest] = own.filter((one) => !isElsewhere(one)).toSorted((a, b) => a.arrived - b.arrived);
  const leaderId = kept.get(event.id)?.leaderId ?? leader ?? oldest?.leaderId ?? event.id;
  const timelineOf = (id: string): PurchaseTimeline => ({
    leaderId: kept.get(id)?.leaderId ?? leaderId,
    steps: stepsShown(purchaseWith(kept.has(id) ? id : event.id, all)),
  });
  const other = own.filter(isElsewhere).map((one) => one.leaderId);
  const ids = new Set([leaderId, ...other, ...[event.id, ...other].flatMap((id) => after(id, timelineOf(id).steps))]);
  ids.delete(event.id);
  return { ...timelineOf(event.id), others: new Map([...ids].map((id) => [id, timelineOf(id)])) };
}

/** The steps that took effect after an event: what it changed before them may change what they mean. */
function after(id: string, steps: PurchaseTimeline['steps']): string[] {
  const ids = inOrder(steps).map(({ eventId }) => eventId);
  return ids.slice(ids.indexOf(id) + 1);
}

function stepsShown({ steps, inferred }: Purchase): PurchaseTimeline['steps'] {
  return steps.map(({ eventId, kind, direction, cents, at, isUndated: isEstimate }) => {
    const own = { eventId, kind, direction, cents, at, isInferred: inferred.has(eventId) };
    return isEstimate === undefined ? own : { ...own, isUndated: isEstimate };
  });
}

export function stepOf(event: TransactionEvent): PurchaseStep {
  const { id, kind, networkTransactionId, authTransactionId, occurredAt, amountCents, direction, mcc } = event;
  return PurchaseStep.parse({
    eventId: id,
    kind,
    networkTransactionId,
    authTransactionId,
    at: occurredAt,
    ...(isUndated(event) && { isUndated: true }),
    cents: amountCents,
    direction,
    merchant: merchantKey(event),
    mcc,
  });
}
