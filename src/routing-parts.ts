import { toMissedTransaction } from './card/missed-transaction.ts';
import { toInstant } from './card/time.ts';
import type { WorkerConfig } from './config.ts';
import { holdAsQuiet } from './hold-as-quiet.ts';
import { intakeKey } from './keys.ts';
import type { RoutingDeps } from './perform/routing-deps.ts';
import { isPermitted, type KnownRoles } from './permissions.ts';
import type { RedisClient } from './queue/connection.ts';
import { createRoute, type Route } from './routing/route.ts';
import type { Slack } from './slack/client.ts';
import { createPermalink } from './slack/permalink.ts';
import type { Alerts } from './store/alerts.ts';
import { createPlaceOf, type PlaceOf, placesVersionKey } from './store/channel-places.ts';
import { createMutes } from './store/mutes.ts';
import type { Outbox } from './store/outbox.ts';
import { createQuietHours } from './store/quiet-hours.ts';
import { createRoutingRules } from './store/routing-rules.ts';
import { createSubscriptions } from './store/subscriptions.ts';
import type { Trail } from './store/trail.ts';
import type { TellOps } from './tell-ops.ts';
import * as trouble from './trouble.ts';

interface Deps extends Pick<RoutingDeps, 'postNotice' | 'scheduleMuteEnd'> {
  readonly config: WorkerConfig;
  readonly redis: RedisClient;
  readonly slack: Slack;
  readonly trail: Trail;
  readonly outbox: Outbox;
  readonly alerts: Alerts;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly tellOps: TellOps;
  /** What somebody may do by now. */
  readonly rolesNow: (userId: string) => Promise<KnownRoles>;
  readonly now: () => Date;
}

export interface RoutingParts {
  readonly route: Route;
  readonly placeOf: PlaceOf;
  /** For `perform`. */
  readonly routing: RoutingDeps;
}

/** What decides where events go, joined over one Redis. */
export function createRoutingParts({
  config,
  redis,
  slack,
  trail,
  outbox,
  alerts,
  wakeOutbox,
  tellOps,
  rolesNow,
  now,
  ...deps
}: Deps): RoutingParts {
  const { channels } = config;
  const placeOf = createPlaceOf({ channelInfo: slack.channelInfo, version: () => redis.get(placesVersionKey) });
  const subscriptions = createSubscriptions(redis);
  const quietHours = createQuietHours(redis);
  const mutes = createMutes(redis);
  const route = createRoute({
    channels,
    rules: createRoutingRules(redis, { subscriptions, quietHours, mutes }),
    mutes,
    placeOf,
    async mayHear(userId) {
      const { roles, isComplete } = await rolesNow(userId);
      if (isPermitted('travel', roles)) return 'yes';
      return isComplete ? 'no' : 'unknown';
    },
    tellShared: (channel) => tellOps(trouble.channelShared(channel)),
    trail,
    now,
  });
  const routing = {
    ...deps,
    subscriptions,
    quietHours,
    async holdAsQuiet(channel: string) {
      const released = await holdAsQuiet(channel, { outbox, quietHours, alerts, trail, now });
      await wakeOutbox(channel);
      return released;
    },
    mutes,
    channels,
    zone: config.serviceZone,
    channelInfo: slack.channelInfo,
    openDirect: slack.openDirect,
    trail,
    timesDelivered: async (eventId: string) => Number((await redis.get(intakeKey(`seen:${eventId}`))) ?? 0),
    permalink: createPermalink(slack.authTest),
    toMissed: (row: Record<string, unknown>) =>
      toMissedTransaction(row, { zone: config.serviceZone, receivedAt: now().toISOString() }),
    toInstant: (text: string) => toInstant(text, config.serviceZone),
  };
  return { route, placeOf, routing };
}
