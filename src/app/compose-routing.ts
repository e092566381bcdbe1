import type { Alerts } from '../alerts/alert-store.ts';
import type { Trail } from '../alerts/event-log.ts';
import { intakeKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { toInstant } from '../core/service-time.ts';
import * as trouble from '../ops/issue.ts';
import type { TellOps } from '../ops/notify-ops.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import { isPermitted, type KnownRoles } from '../policy/permissions.ts';
import { createPlaceOf, type PlaceOf, placesVersionKey } from '../routing/channel-visibility-store.ts';
import type { RoutingDeps } from '../routing/deps.ts';
import { holdAsQuiet } from '../routing/hold-for-quiet-hours.ts';
import { createMutes } from '../routing/mute-store.ts';
import { createQuietHours } from '../routing/quiet-hours-store.ts';
import { createRoute, type Route } from '../routing/route.ts';
import { createRoutingRules } from '../routing/routing-rules.ts';
import { createSubscriptions } from '../routing/subscription-store.ts';
import type { Slack } from '../slack/client.ts';
import { createPermalink } from '../slack/permalink.ts';
import { toMissedTransaction } from '../webhooks/missed-transaction.ts';
import type { WorkerConfig } from './config.ts';

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
