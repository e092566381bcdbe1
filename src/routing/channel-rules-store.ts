import { randomUUID } from 'node:crypto';
import type { ChainableCommander } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';

/** Gets a new value whenever anything that decides where events go is changed. */
export const routingVersionKey = stateKey('routing-version');

/** Add this to every transaction that changes a rule: each worker then rereads all rules at its next event. */
export function routingChanged(transaction: ChainableCommander): ChainableCommander {
  // Not a counter: after a rewind, Redis would reuse a number that stood for other rules.
  return transaction.set(routingVersionKey, randomUUID());
}

/** Events that a channel has subscribed to, until someone unsubscribes. */
export const Subscription = z.strictObject({
  /** People type this number to remove it. */
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
    /** A channel has at most one subscription per filter. @returns the new or the existing subscription. */
    async add(wanted: Omit<Subscription, 'number'>): Promise<Subscription> {
      const same = (await all()).find(({ channel, filter }) => channel === wanted.channel && filter === wanted.filter);
      if (same !== undefined) return same;
      const subscription = { ...wanted, number: await redis.incr(stateKey('subscription-number')) };
      await store.put(String(subscription.number), subscription, routingChanged);
      return subscription;
    },
    /** Finds it by channel and filter, because its number may have changed. */
    async remove({ channel, filter }: Pick<Subscription, 'channel' | 'filter'>): Promise<void> {
      const same = (await all()).find((each) => each.channel === channel && each.filter === filter);
      if (same !== undefined) await store.delete(String(same.number), routingChanged);
    },
    /** Ordered by number. */
    all,
  };
}

/** Channels that want long alerts instead of three lines. */
export type LongAlerts = ReturnType<typeof createLongAlerts>;

export function createLongAlerts(redis: RedisClient) {
  const key = stateKey('long-alerts');
  return {
    set: async (channel: string, isLong: boolean): Promise<void> =>
      void (await (isLong ? redis.sadd(key, channel) : redis.srem(key, channel))),
    has: async (channel: string): Promise<boolean> => (await redis.sismember(key, channel)) === 1,
  };
}

/** Hours of the day, in the local time of a time zone. */
export const QuietWindow = z.strictObject({
  /** `22:00`. */
  from: z.string(),
  /** `07:00`. The next day when not later than `from`. `24:00` is the end of the day. */
  to: z.string(),
  /** IANA name. */
  zone: z.string(),
  /** Weekdays on which it starts; 0 is Sunday. */
  days: z.array(z.int().min(0).max(6)).min(1),
});
export type QuietWindow = z.infer<typeof QuietWindow>;

/** A channel's quiet hours: alerts are held during these hours and posted when they end. */
export const QuietHours = z.strictObject({
  channel: z.string(),
  window: QuietWindow,
  /** Normal form of the filter for exempt events; null when there is none. */
  except: z.string().nullable(),
  /** Slack user id. */
  by: z.string(),
  /** When they were stored, UTC ISO 8601. */
  at: z.string(),
});
export type QuietHours = z.infer<typeof QuietHours>;

export type QuietHoursStore = ReturnType<typeof createQuietHours>;

export function createQuietHours(redis: RedisClient) {
  const store = createRecordHash({ redis, schema: QuietHours, key: stateKey('quiet-hours') });
  return {
    /** Replaces the channel's previous quiet hours. */
    set: (quiet: QuietHours): Promise<void> => store.put(quiet.channel, quiet, routingChanged),
    remove: (channel: string): Promise<void> => store.delete(channel, routingChanged),
    get: store.get,
    all: store.all,
  };
}
