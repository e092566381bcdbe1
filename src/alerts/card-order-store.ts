import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { recordFormat } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { OrderProgress, type OrderStep, orderSteps } from './alert.ts';
import { type Fields, fieldsIn } from './alert-fields.ts';

const ORDER_TTL_SECONDS = 120 * 24 * 3600;

/** A card that waits to be activated, and the alert about its shipment. */
const AwaitedActivation = z.strictObject({ acctId: z.int(), cardOrderId: z.int(), alertId: z.string() });
export type AwaitedActivation = z.infer<typeof AwaitedActivation>;

type CardOrder = ReturnType<typeof toCardOrder>;

export type CardOrders = ReturnType<typeof createCardOrders>;

const noteScript = readScript(new URL('./note-card-order.lua', import.meta.url));

const awaitedKey = stateKey('awaited-activations');
/** Equal records give equal text, because the schema orders their fields. */
const awaitedFormat = recordFormat(AwaitedActivation);

/** The progress of each card order. */
export function createCardOrders(redis: RedisClient) {
  const noteIn = defineScript(redis, noteScript);
  const orderKey = (acctId: number, cardOrderId: number | string): string =>
    stateKey(`card-order:${acctId}:${cardOrderId}`);
  const ordersKey = (acctId: number): string => stateKey(`card-orders:${acctId}`);
  const blockKey = (acctId: number): string => stateKey(`block-thread:${acctId}`);

  return {
    /**
     * Records that an order reached a step, and the alert that shows it (null: none). The earliest time of a step wins,
     * independent of the order of arrival. Idempotent.
     */
    async note(
      { acctId, cardOrderId }: { acctId: number; cardOrderId: number },
      step: OrderStep | null,
      at: string,
      alertId: string | null,
    ): Promise<CardOrder> {
      const keys = [orderKey(acctId, cardOrderId), ordersKey(acctId)];
      const args = [step ?? '', at, alertId ?? '', cardOrderId, ORDER_TTL_SECONDS];
      return toCardOrder(cardOrderId, fieldsIn((await noteIn.run(keys, args)) as string[]));
    },
    /** For events that name an account but no order. */
    async ofAccount(acctId: number): Promise<CardOrder[]> {
      const ids = await redis.smembers(ordersKey(acctId));
      return await Promise.all(
        ids.map(async (id) => toCardOrder(Number(id), await redis.hgetall(orderKey(acctId, id)))),
      );
    },
    /** Schedules a check of the activation at `atMs`. Keeps the first time that was set. */
    async awaitActivation(awaited: AwaitedActivation, atMs: number): Promise<void> {
      await redis.zadd(awaitedKey, 'NX', String(atMs), awaitedFormat.write(awaited));
    },
    /** Cards whose activation check is due, earliest first. */
    async overdue(nowMs: number, limit: number): Promise<AwaitedActivation[]> {
      const members = await redis.zrangebyscore(awaitedKey, 0, nowMs, 'LIMIT', 0, limit);
      return members.map(awaitedFormat.read);
    },
    async forget(awaited: AwaitedActivation): Promise<void> {
      await redis.zrem(awaitedKey, awaitedFormat.write(awaited));
    },
    /** The check gave no answer: moves the card to the end of the queue. */
    async postpone(awaited: AwaitedActivation, nowMs: number): Promise<void> {
      await redis.zadd(awaitedKey, 'XX', String(nowMs), awaitedFormat.write(awaited));
    },
    /** The thread that shows the block of a card; null when there is none, or the card was unblocked. */
    blockThread: (acctId: number): Promise<string | null> => redis.get(blockKey(acctId)),
    async setBlockThread(acctId: number, threadId: string | null): Promise<void> {
      if (threadId === null) await redis.del(blockKey(acctId));
      else await redis.set(blockKey(acctId), threadId, 'EX', ORDER_TTL_SECONDS);
    },
  };
}

/** `alertIds`: alerts whose messages show the progress, in the order they were added. */
function toCardOrder(cardOrderId: number, fields: Fields) {
  const steps = Object.fromEntries(orderSteps.map((step) => [step, fields[step] ?? null]));
  const alertIds = Object.entries(fields)
    .filter(([field]) => field.startsWith('alert:'))
    .toSorted(([, a], [, b]) => a.localeCompare(b))
    .map(([field]) => field.slice('alert:'.length));
  return { progress: OrderProgress.parse({ cardOrderId, ...steps }), alertIds };
}
