import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { OrderProgress, type OrderStep, orderSteps } from './card-order.ts';

const KEPT_SECONDS = 120 * 24 * 3600;

/** A card that waits to be activated, and the alert of its shipment. */
export const Awaited = z.strictObject({ acctId: z.int(), cardOrderId: z.int(), alertId: z.string() });
export type Awaited = z.infer<typeof Awaited>;

export interface CardOrder {
  readonly progress: OrderProgress;
  /** Alerts whose messages show it, in the order in which they joined. */
  readonly alertIds: readonly string[];
}

export interface CardOrders {
  /**
   * Notes that a card of an order has come to a step, and which alert tells of it (null: none). The earliest time of a
   * step counts, whatever the order of arrival. Safe to repeat.
   */
  note(
    order: { acctId: number; cardOrderId: number },
    step: OrderStep | null,
    at: string,
    alertId: string | null,
  ): Promise<CardOrder>;
  /** Orders of an account, for what names no order. */
  ofAccount(acctId: number): Promise<CardOrder[]>;
  /** Looks again at `atMs` whether the card was activated. The first time that was set stays. */
  awaitActivation(awaited: Awaited, atMs: number): Promise<void>;
  /** Cards whose time has come, earliest first. */
  overdue(nowMs: number, limit: number): Promise<Awaited[]>;
  forget(awaited: Awaited): Promise<void>;
  /** Nobody could say yet: at the end of the line, so that the others have their turn. */
  restore(awaited: Awaited, nowMs: number): Promise<void>;
  /** The thread in which a card was said to be blocked; null: in none, or it was unblocked. */
  blockThread(acctId: number): Promise<string | null>;
  setBlockThread(acctId: number, threadId: string | null): Promise<void>;
}

const noteScript = readScript(new URL('./note-card-order.lua', import.meta.url));

const awaitedKey = stateKey('awaited-activations');

/** How far each card that was ordered has come. */
export function createCardOrders(redis: Redis | Cluster): CardOrders {
  const noteIn = defineScript(redis, noteScript);
  const orderKey = (acctId: number, cardOrderId: number | string): string =>
    stateKey(`card-order:${acctId}:${cardOrderId}`);
  const ordersKey = (acctId: number): string => stateKey(`card-orders:${acctId}`);
  const blockKey = (acctId: number): string => stateKey(`block-thread:${acctId}`);

  return {
    async note({ acctId, cardOrderId }, step, at, alertId) {
      const keys = [orderKey(acctId, cardOrderId), ordersKey(acctId)];
      const flat = (await noteIn.run(keys, [step ?? '', at, alertId ?? '', cardOrderId, KEPT_SECONDS])) as string[];
      const fields: Record<string, string> = {};
      for (let index = 0; index < flat.length; index += 2) fields[flat[index] ?? ''] = flat[index + 1] ?? '';
      return toCardOrder(cardOrderId, fields);
    },
    async ofAccount(acctId) {
      const ids = await redis.smembers(ordersKey(acctId));
      return await Promise.all(
        ids.map(async (id) => toCardOrder(Number(id), await redis.hgetall(orderKey(acctId, id)))),
      );
    },
    async awaitActivation({ acctId, cardOrderId, alertId }, atMs) {
      await redis.zadd(awaitedKey, 'NX', String(atMs), JSON.stringify({ acctId, cardOrderId, alertId }));
    },
    async overdue(nowMs, limit) {
      const members = await redis.zrangebyscore(awaitedKey, 0, nowMs, 'LIMIT', 0, limit);
      return members.map((text) => Awaited.parse(JSON.parse(text)));
    },
    async forget({ acctId, cardOrderId, alertId }) {
      await redis.zrem(awaitedKey, JSON.stringify({ acctId, cardOrderId, alertId }));
    },
    async restore({ acctId, cardOrderId, alertId }, nowMs) {
      await redis.zadd(awaitedKey, 'XX', String(nowMs), JSON.stringify({ acctId, cardOrderId, alertId }));
    },
    blockThread: (acctId) => redis.get(blockKey(acctId)),
    async setBlockThread(acctId, threadId) {
      if (threadId === null) await redis.del(blockKey(acctId));
      else await redis.set(blockKey(acctId), threadId, 'EX', KEPT_SECONDS);
    },
  };
}

function toCardOrder(cardOrderId: number, fields: Readonly<Record<string, string>>): CardOrder {
  const steps = Object.fromEntries(orderSteps.map((step) => [step, fields[step] ?? null]));
  const alertIds = Object.entries(fields)
    .filter(([field]) => field.startsWith('alert:'))
    .toSorted(([, one], [, other]) => one.localeCompare(other))
    .map(([field]) => field.slice('alert:'.length));
  return { progress: OrderProgress.parse({ cardOrderId, ...steps }), alertIds };
}
