import type { Alerts } from '../alerts/alert-store.ts';
import type { Route } from '../alerts/announce.ts';
import { createCardTesting } from '../alerts/card-testing-store.ts';
import type { EventLog } from '../alerts/event-log.ts';
import type { WebhookKind } from '../core/event.ts';
import { intakeKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { isPermitted } from '../dispatch/verbs.ts';
import { createLinks } from '../holders/link-store.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps } from '../ops/notify-ops.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { KnownRoles } from '../policy/permissions.ts';
import { createVisibilityOf, type VisibilityOf, visibilityVersionKey } from '../routing/channel-access.ts';
import { createLongAlerts, createQuietHours, createSubscriptions } from '../routing/channel-rules-store.ts';
import { createWhyMutePasses } from '../routing/mute-exceptions.ts';
import { createMutes } from '../routing/mute-store.ts';
import { createRoute, createRoutingRules, defaultChannel } from '../routing/route.ts';
import { holdAsQuiet } from '../routing/set-quiet.ts';
import type { Slack } from '../slack/client.ts';
import { createPermalink } from '../slack/message.ts';
import { toMissedTransaction } from '../webhooks/transaction.ts';
import type { RoutingParts as VerbParts } from './compose-channels.ts';
import type { WorkerConfig } from './config.ts';

interface Deps extends Pick<VerbParts, 'postNotice' | 'scheduleMuteEnd'> {
  readonly config: WorkerConfig;
  readonly redis: RedisClient;
  readonly slack: Slack;
  readonly eventLog: EventLog;
  readonly outbox: Outbox;
  readonly alerts: Alerts;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly notifyOps: NotifyOps;
  /** What somebody may do by now. */
  readonly currentRoles: (userId: string) => Promise<KnownRoles>;
  readonly now: () => Date;
}

export interface RoutingParts {
  readonly route: Route;
  readonly visibilityOf: VisibilityOf;
  /** For the verbs about routing. */
  readonly routing: VerbParts;
}

/** What decides where events go, joined over one Redis. */
export function composeRouting({
  config,
  redis,
  slack,
  eventLog,
  outbox,
  alerts,
  wakeOutbox,
  notifyOps,
  currentRoles,
  now,
  ...deps
}: Deps): RoutingParts {
  const { channels } = config;
  const visibilityOf = createVisibilityOf({
    channelInfo: slack.channelInfo,
    version: () => redis.get(visibilityVersionKey),
  });
  const subscriptions = createSubscriptions(redis);
  const quietHours = createQuietHours(redis);
  const longAlerts = createLongAlerts(redis);
  const mutes = createMutes(redis);
  const route = createRoute({
    channels,
    rules: createRoutingRules(redis, { subscriptions, quietHours, mutes }),
    mutes,
    visibilityOf,
    whyMutePasses: createWhyMutePasses({
      async mayBeNotified(userId) {
        const { roles, isComplete } = await currentRoles(userId);
        if (isPermitted('travel', roles)) return 'yes';
        return isComplete ? 'no' : 'unknown';
      },
      isHolder: createLinks(redis).wasHolderLately,
      cardTesting: createCardTesting(redis),
    }),
    notifySharedChannel: (channel) => notifyOps(opsIssue.channelShared(channel)),
    eventLog,
    now,
  });
  const routing = {
    ...deps,
    subscriptions,
    quietHours,
    longAlerts,
    async holdAsQuiet(channel: string) {
      const released = await holdAsQuiet(channel, { outbox, quietHours, alerts, eventLog, now });
      await wakeOutbox(channel);
      return released;
    },
    mutes,
    defaultChannel: (kind: WebhookKind) => defaultChannel(kind, channels),
    zone: config.serviceZone,
    channelInfo: slack.channelInfo,
    openDirect: slack.openDirect,
    eventLog,
    timesDelivered: async (eventId: string) => Number((await redis.get(intakeKey(`seen:${eventId}`))) ?? 0),
    permalink: createPermalink(slack.authTest),
    toMissed: (row: Record<string, unknown>) =>
      toMissedTransaction(row, { zone: config.serviceZone, receivedAt: now().toISOString() }),
  };
  return { route, visibilityOf, routing };
}
