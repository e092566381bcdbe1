import type { Cluster, Redis } from 'ioredis';
import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
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
  const key = stateKey('subscriptions');
  const all = async (): Promise<Subscription[]> => {
    const found = Object.values(await redis.hgetall(key)).map((text) => Subscription.parse(JSON.parse(text)));
    return found.toSorted((one, other) => one.number - other.number);
  };
  return {
    async add(wanted) {
      const same = (await all()).find(({ channel, filter }) => channel === wanted.channel && filter === wanted.filter);
      if (same !== undefined) return same;
      const number = await redis.incr(stateKey('subscription-number'));
      const subscription = Subscription.parse({ ...wanted, number });
      await routingChanged(redis.multi().hset(key, String(number), JSON.stringify(subscription))).exec();
      return subscription;
    },
    async remove(number) {
      await routingChanged(redis.multi().hdel(key, String(number))).exec();
    },
    all,
  };
}
