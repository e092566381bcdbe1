import { randomUUID } from 'node:crypto';
import type { ChainableCommander } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';

/** Another value after each change of anything that decides where events go. */
export const routingVersionKey = stateKey('routing-version');

/** To be added to every transaction that changes a rule: each worker then reads all rules again at its next event. */
export function routingChanged(transaction: ChainableCommander): ChainableCommander {
  // No counter: after Redis came back older it would count to a number that stood for something else.
  return transaction.set(routingVersionKey, randomUUID());
}

/** Events that a channel has subscribed to, until somebody unsubscribes. */
export const Subscription = z.strictObject({
  /** What people type to remove it. */
  number: z.int().positive(),
  channel: z.string(),
  /** Normal form of a filter: see `src/routing/filter.ts`. */
  filter: z.string(),
  /** Slack user id. */
  by: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
});
export type Subscription = z.infer<typeof Subscription>;

export type Subscriptions = ReturnType<typeof createSubscriptions>;

export function createSubscriptions(redis: RedisClient) {
  const store = createRecordHash({ redis, schema: Subscription, key: stateKey('subscriptions') });
  const all = async (): Promise<Subscription[]> => (await store.all()).toSorted((a, b) => a.number - b.number);
  return {
    /** A channel has at most one subscription with the same filter. @returns the new one, or the one that it has. */
    async add(wanted: Omit<Subscription, 'number'>): Promise<Subscription> {
      const same = (await all()).find(({ channel, filter }) => channel === wanted.channel && filter === wanted.filter);
      if (same !== undefined) return same;
      const subscription = { ...wanted, number: await redis.incr(stateKey('subscription-number')) };
      await store.put(String(subscription.number), subscription, routingChanged);
      return subscription;
    },
    /** Whatever its number is by now. */
    async remove({ channel, filter }: Pick<Subscription, 'channel' | 'filter'>): Promise<void> {
      const same = (await all()).find((each) => each.channel === channel && each.filter === filter);
      if (same !== undefined) await store.delete(String(same.number), routingChanged);
    },
    /** In order of their numbers. */
    all,
  };
}

/** Channels whose alerts are long: all there is to say at once, in place of three lines. */
export type LongAlerts = ReturnType<typeof createLongAlerts>;

export function createLongAlerts(redis: RedisClient) {
  const key = stateKey('long-alerts');
  return {
    set: async (channel: string, isLong: boolean): Promise<void> =>
      void (await (isLong ? redis.sadd(key, channel) : redis.srem(key, channel))),
    has: async (channel: string): Promise<boolean> => (await redis.sismember(key, channel)) === 1,
  };
}

/** Hours of the day, on the wall clock of a time zone. */
export const QuietWindow = z.strictObject({
  /** `22:00`. */
  from: z.string(),
  /** `07:00`. On the next day when it is not later than `from`. `24:00` is the end of the day. */
  to: z.string(),
  /** IANA name. */
  zone: z.string(),
  /** Weekdays on which it begins; 0 is Sunday. */
  days: z.array(z.int().min(0).max(6)).min(1),
});
export type QuietWindow = z.infer<typeof QuietWindow>;

/** A channel's quiet hours: alerts that come in them are held, and posted when they end. */
export const QuietHours = z.strictObject({
  channel: z.string(),
  window: QuietWindow,
  /** Normal form of the filter for events that are exempt; null when none is. */
  except: z.string().nullable(),
  /** Slack user id. */
  by: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
});
export type QuietHours = z.infer<typeof QuietHours>;

export type QuietHoursStore = ReturnType<typeof createQuietHours>;

export function createQuietHours(redis: RedisClient) {
  const store = createRecordHash({ redis, schema: QuietHours, key: stateKey('quiet-hours') });
  return {
    /** Replaces the quiet hours that the channel had. */
    set: (quiet: QuietHours): Promise<void> => store.put(quiet.channel, quiet, routingChanged),
    remove: (channel: string): Promise<void> => store.delete(channel, routingChanged),
    get: store.get,
    all: store.all,
  };
}
