import type { Cluster, Redis } from 'ioredis';
import { visibilityVersionKey } from './channel-visibility-store.ts';
import type { Mute, Mutes } from './mute-store.ts';
import type { QuietHours, QuietHoursStore } from './quiet-hours-store.ts';
import { routingVersionKey } from './routing-version.ts';
import type { Subscription, Subscriptions } from './subscription-store.ts';

/** Everything that people decided about where events go. */
export interface RoutingRules {
  readonly subscriptions: readonly Subscription[];
  /** By channel. */
  readonly quiet: ReadonlyMap<string, QuietHours>;
  /** In force; the end of some may be over. */
  readonly mutes: readonly Mute[];
  /** Version of what is known of channels: see `src/routing/channel-visibility-store.ts`. */
  readonly visibilityVersion: string | null;
}

interface Stores {
  readonly subscriptions: Pick<Subscriptions, 'all'>;
  readonly quietHours: Pick<QuietHoursStore, 'all'>;
  readonly mutes: Pick<Mutes, 'inForce'>;
}

/**
 * The rules as they are now, for one small read each time: they are kept in the process and read anew when somebody
 * changed something.
 */
export function createRoutingRules(redis: Redis | Cluster, stores: Stores): () => Promise<RoutingRules> {
  let known: { version: string; rules: Omit<RoutingRules, 'visibilityVersion'> } | null = null;

  return async function rules() {
    const [found, visibilityVersion = null] = await redis.mget(routingVersionKey, visibilityVersionKey);
    const version = found ?? '0';
    if (known?.version === version) return { ...known.rules, visibilityVersion };
    // The version was read first: what changes in between is read again the next time.
    const [subscriptions, quiet, mutes] = await Promise.all([
      stores.subscriptions.all(),
      stores.quietHours.all(),
      stores.mutes.inForce(),
    ]);
    const read = { subscriptions, quiet: new Map(quiet.map((one) => [one.channel, one])), mutes };
    known = { version, rules: read };
    return { ...read, visibilityVersion };
  };
}
