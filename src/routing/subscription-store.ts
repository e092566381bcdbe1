import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import { routingChanged } from './routing-version.ts';

/** A channel that asked for events. It stays until somebody takes it away. */
export const Subscription = z.strictObject({
  /** What people type to take it away. */
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

export interface Subscriptions {
  /** The same filter in the same channel is one subscription. @returns the one that holds now. */
  add(wanted: Omit<Subscription, 'number'>): Promise<Subscription>;
  remove(number: number): Promise<void>;
  /** In order of their numbers. */
  all(): Promise<Subscription[]>;
}

export function createSubscriptions(redis: Redis | Cluster): Subscriptions {
  const subscriptions = createRecordHash({ redis, schema: Subscription, key: stateKey('subscriptions') });
  const all = async (): Promise<Subscription[]> => (await subscriptions.all()).toSorted((a, b) => a.number - b.number);
  return {
    async add(wanted) {
      const same = (await all()).find(({ channel, filter }) => channel === wanted.channel && filter === wanted.filter);
      if (same !== undefined) return same;
      const subscription = { ...wanted, number: await redis.incr(stateKey('subscription-number')) };
      await subscriptions.put(String(subscription.number), subscription, routingChanged);
      return subscription;
    },
    remove: (number) => subscriptions.delete(String(number), routingChanged),
    all,
  };
}
