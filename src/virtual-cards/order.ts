import { z } from 'zod';
import { orderResult } from '../../templates/virtual-cards/order.ts';
import { Action, withoutForm } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { VirtualCardAlert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { isDate } from '../core/calendar-words.ts';
import type { VirtualCardEvent } from '../core/event.ts';
import { stateKey } from '../core/keys.ts';
import { readEach, recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { CLOCK_SKEW_MS } from '../core/service-time.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import { ExceededCap } from '../policy/approval-policy.ts';

const line = (most: number) => z.string().min(1).max(most);

/** An order of one virtual card. Never stored unencrypted: it holds a date of birth and an address. */
export const VirtualOrder = z.strictObject({
  firstName: line(23),
  lastName: line(23),
  /** `YYYY-MM-DD`. */
  dateOfBirth: z.string(),
  phone: line(20),
  email: line(254),
  address: z.strictObject({
    line1: line(26),
    line2: z.string().max(26),
    city: line(25),
    state: z.string(),
    postalCode: z.string(),
  }),
  /** Whole cents; 0: not funded. */
  fundCents: z.int().nonnegative(),
  groupId: z.int().positive().nullable(),
  rulesetId: z.int().positive().nullable(),
});
export type VirtualOrder = z.infer<typeof VirtualOrder>;

/** What decides how the ordered card may be used. Null: the order names none. */
export const OrderTerms = z.strictObject({
  ruleset: z.strictObject({ id: z.int(), name: z.string().nullable() }).nullable(),
  groupId: z.int().nullable(),
});
export type OrderTerms = z.infer<typeof OrderTerms>;

/** Why an order needs more than one approver. */
export const OrderReason = z.discriminatedUnion('kind', [
  /** Its own amount, whatever was ordered before. */
  z.strictObject({ kind: z.literal('amount') }),
  /** Together with what the same people ordered within 24 hours. */
  z.strictObject({ kind: z.literal('day') }),
  z.strictObject({ kind: z.literal('cap'), cap: ExceededCap }),
]);
export type OrderReason = z.infer<typeof OrderReason>;

/**
 * Parses `04/30/1991` (month first) or `1991-04-30`.
 *
 * @returns `YYYY-MM-DD`; null if it is not a day within the last 120 years.
 */
export function readBirthDate(text: string, now: Date): string | null {
  const iso = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  const american = /^(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})$/.exec(text);
  const [year = '', month = '', day = ''] = iso?.slice(1) ?? [american?.[3], american?.[1], american?.[2]];
  const date = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  if (!isDate(date)) return null;
  const years = now.getUTCFullYear() - Number(year);
  return new Date(date) < now && years <= 120 ? date : null;
}

/** An order takes minutes, but retries and outages of the service can delay its webhook. */
export const ORDER_KEPT_SECONDS = 8 * 24 * 3600;

/** What a person is waiting for. The service announces it with a webhook. */
const AwaitedWebhook = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('order'), orderId: z.int() }),
  /** An order whose answer, and with it its number, was lost. It can only be recognized by the holder's name. */
  z.strictObject({ kind: z.literal('name'), name: z.string() }),
  z.strictObject({ kind: z.literal('resend'), acctId: z.int() }),
]);
type AwaitedWebhook = z.infer<typeof AwaitedWebhook>;

const Asked = z.strictObject({ action: Action, at: z.string() });
type Asked = z.infer<typeof Asked>;
const format = recordFormat(Asked);

/** An action that waits for a webhook. */
const AwaitingAction = z.strictObject({ awaited: AwaitedWebhook, actionId: z.string() });
export type AwaitingAction = z.infer<typeof AwaitingAction>;
/** Equal records give equal text, because the schema orders their fields. */
const awaitingFormat = recordFormat(AwaitingAction);
/** All of them, by the time since which they wait. One that has been answered stays until it would be overdue. */
const awaitingKey = stateKey('virtual-awaited');

export type AwaitedOrders = ReturnType<typeof createAwaitedOrders>;

/** Who asked for a virtual card. Both sides write before they read, so the second one finds the first. */
export function createAwaitedOrders(redis: RedisClient) {
  const keyOf = (awaited: AwaitedWebhook): string => {
    if (awaited.kind === 'order') return stateKey(`virtual-order:${awaited.orderId}`);
    if (awaited.kind === 'resend') return stateKey(`virtual-resend:${awaited.acctId}`);
    return stateKey(`virtual-name:${fold(awaited.name)}`);
  };
  const writing = (key: string, field: string, value: string) =>
    redis.multi().hset(key, field, value).expire(key, ORDER_KEPT_SECONDS);
  return {
    /**
     * Registers that `action` waits for this.
     *
     * @param asked `at`: when the wait began. An earlier event is not the answer.
     * @returns the event that arrived earlier, if any. For a name it may answer an older order. Null for a resend,
     * which is registered before it is sent.
     */
    async expect(awaited: AwaitedWebhook, asked: Asked): Promise<string | null> {
      const action = withoutForm(asked.action);
      const awaiting = awaitingFormat.write({ awaited, actionId: action.id });
      await writing(keyOf(awaited), `asked:${action.id}`, format.write({ ...asked, action }))
        .zadd(awaitingKey, Date.parse(asked.at), awaiting)
        .zremrangebyscore(awaitingKey, '-inf', Date.parse(asked.at) - ORDER_KEPT_SECONDS * 1000)
        .expire(awaitingKey, ORDER_KEPT_SECONDS)
        .exec();
      return awaited.kind === 'resend' ? null : await redis.hget(keyOf(awaited), 'eventId');
    },
    /** Nothing was sent, so the action waits for nothing. */
    async forget(awaited: AwaitedWebhook, actionId: string): Promise<void> {
      const awaiting = awaitingFormat.write({ awaited, actionId });
      await redis.multi().hdel(keyOf(awaited), `asked:${actionId}`).zrem(awaitingKey, awaiting).exec();
    },
    /** Its webhook had arrived before the action was registered. */
    async answered(awaited: AwaitedWebhook, actionId: string, eventId: string): Promise<void> {
      await redis.hsetnx(keyOf(awaited), `answered:${actionId}`, eventId);
    },
    /** The actions that were registered up to this time (ms), answered or not, with the time since which each waits. */
    waitingSince: (atMs: number) => waitingSince(redis, atMs),
    /** The action, if nothing has answered it. Null: its webhook arrived, or nothing was sent. */
    async unanswered({ awaited, actionId }: AwaitingAction): Promise<Action | null> {
      const answer = awaited.kind === 'order' ? 'eventId' : `answered:${actionId}`;
      const [asked, answeredBy] = await redis.hmget(keyOf(awaited), `asked:${actionId}`, answer);
      return answeredBy == null ? (format.readOrNull(asked)?.action ?? null) : null;
    },
    /** It waits no longer, or the person knows that nothing came. A webhook that comes later still finds it. */
    async settle(awaiting: AwaitingAction): Promise<void> {
      await redis.zrem(awaitingKey, awaitingFormat.write(awaiting));
    },
    /**
     * The webhook arrived.
     *
     * @returns everyone who waits for it, latest first. A resend, or a name, answers everyone who has asked by then, each
     * only once: later ones belong to somebody else.
     */
    async arrived(awaited: AwaitedWebhook, { id, callbackAt }: Arrived): Promise<Asked[]> {
      const key = keyOf(awaited);
      await writing(key, 'eventId', id).exec();
      const stored = await redis.hgetall(key);
      const all = Object.entries(stored).flatMap(([field, text]) =>
        field.startsWith('asked') ? [format.read(text)] : [],
      );
      const waiting = all
        .filter((asked) => awaited.kind === 'order' || isAfter(asked, callbackAt))
        .toSorted((one, other) => other.at.localeCompare(one.at));
      if (awaited.kind === 'order') return waiting;
      const isAnswered = await Promise.all(
        waiting.map(async ({ action }) => {
          const field = `answered:${action.id}`;
          return (await redis.hsetnx(key, field, id)) === 1 || stored[field] === id;
        }),
      );
      return waiting.filter((_asked, index) => isAnswered[index]);
    },
  };
}

async function waitingSince(
  redis: RedisClient,
  atMs: number,
): Promise<{ readonly awaiting: AwaitingAction; readonly sinceMs: number }[]> {
  const found = await redis.zrangebyscore(awaitingKey, 0, atMs, 'WITHSCORES');
  const waits = found.map(async (text, index) => {
    const readable = index % 2 === 0 ? await readEach(redis, awaitingKey, [text], awaitingFormat) : [];
    return readable.map((awaiting) => ({ awaiting, sinceMs: Number(found[index + 1]) }));
  });
  return (await Promise.all(waits)).flat();
}

type Arrived = Pick<VirtualCardEvent, 'id' | 'callbackAt'>;

function fold(name: string): string {
  return name.normalize('NFKC').replaceAll(/\s+/g, ' ').trim().toLowerCase();
}

interface Deps extends Pick<ActionTools, 'record' | 'updateAlert' | 'notifyDirectly' | 'withLock'> {
  readonly raises: Pick<RaiseAmounts, 'forget'>;
  readonly awaitedOrders: Pick<AwaitedOrders, 'expect' | 'arrived' | 'answered'>;
  readonly alerts: Pick<Alerts, 'get' | 'setAsked'>;
}

/** Notifies people that the virtual card they asked for exists. Idempotent. */
export type OrderNotices = ReturnType<typeof createOrderNotices>;

export function createOrderNotices(deps: Deps) {
  const { awaitedOrders, alerts, raises, record, updateAlert, notifyDirectly } = deps;
  return {
    /** A virtual card's webhook arrived: notifies everyone who ordered it or asked for its details again. */
    async virtualCardArrived(event: VirtualCardEvent): Promise<void> {
      // The first who asked comes last, so the alert names that person.
      for (const { action } of await askersOf(event)) await notifyOrdered(action, event.id);
    },
    /** An order was made. Its webhook may have arrived before its answer. */
    async awaitOrder(action: Action, at: string, orderId: number): Promise<void> {
      const eventId = await awaitedOrders.expect({ kind: 'order', orderId }, { action, at });
      if (eventId === null) return;
      await forgetIfNotCreated(action, (await alertOf(eventId))?.event);
      await notifyOrdered(action, eventId);
    },
    /**
     * The answer of an order was lost. An event with the same name that has arrived may be its webhook, unless it is from
     * before the order was sent or belongs to someone else.
     *
     * @param at when it was sent: long after it was asked for, if others had to approve it.
     */
    async awaitName(action: Action, at: string, name: string): Promise<void> {
      const own = { action, at };
      const eventId = await awaitedOrders.expect({ kind: 'name', name }, own);
      const alert = eventId === null ? null : await alertOf(eventId);
      if (eventId === null || alert === null || !isAfter(own, alert.event.callbackAt)) return;
      const { asked } = alert;
      if (asked != null && (asked.by !== action.actor.userId || asked.at !== action.askedAt)) return;
      await notifyOrdered(action, eventId);
      await awaitedOrders.answered({ kind: 'name', name }, action.id, eventId);
    },
  };

  async function askersOf(event: VirtualCardEvent): Promise<Asked[]> {
    const { acctId, virtualCardOrderId, outcome, holder } = event;
    if (outcome === 'resend')
      return acctId === null ? [] : await awaitedOrders.arrived({ kind: 'resend', acctId }, event);
    const ordered =
      virtualCardOrderId === null
        ? []
        : await awaitedOrders.arrived({ kind: 'order', orderId: virtualCardOrderId }, event);
    for (const { action } of ordered) await forgetIfNotCreated(action, event);
    return ordered.length > 0 ? ordered : await awaitedOrders.arrived({ kind: 'name', name: holder }, event);
  }

  /** No money was spent, and the card will be ordered again. Not for a name, because the event may be that of another order. */
  async function forgetIfNotCreated(action: Action, event: VirtualCardEvent | undefined): Promise<void> {
    if (event?.outcome === 'not_created') await raises.forget(action);
  }

  /**
   * As a direct message, in addition to the alert in its channel, which names who asked. Under a lock, so that no message
   * that no result came is enqueued after it. The two are sent by separate jobs: Slack may still get them in the other order.
   */
  async function notifyOrdered(action: Action, eventId: string): Promise<void> {
    const alert = await alertOf(eventId);
    if (alert === null) return;
    const { acctId } = alert.event;
    const detail = recordedOutcome(alert.event);
    await deps.withLock(`virtual-card:${action.id}`, async () => {
      await record(action, { event: 'confirmed', acctId, detail, confirmedBy: 'webhook', eventId });
      await alerts.setAsked(eventId, { by: action.actor.userId, at: action.askedAt });
      await updateAlert(eventId);
      await notifyDirectly(action.actor.userId, `virtual-${action.id}-${eventId}`, orderResult(alert));
    });
  }

  async function alertOf(eventId: string): Promise<VirtualCardAlert | null> {
    const alert = await alerts.get(eventId);
    return alert?.kind === 'virtual-card' ? alert : null;
  }
}

/** What became of an order, for the record: `created`, `partial: Ruleset, Funding`. */
function recordedOutcome({ outcome, failed }: Pick<VirtualCardEvent, 'outcome' | 'failed'>): string {
  return [outcome, failed.join(', ')].filter(Boolean).join(': ');
}

/** An event from before the request was sent is not the answer. */
function isAfter(asked: Asked, callbackAt: string): boolean {
  return Date.parse(callbackAt) >= Date.parse(asked.at) - CLOCK_SKEW_MS;
}
