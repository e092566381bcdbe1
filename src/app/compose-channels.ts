import { createRecentDeclines } from '../alerts/card-history.ts';
import type { EventLog } from '../alerts/event-log.ts';
import { createTrackCard } from '../alerts/track-card.ts';
import type { TransactionEvent, WebhookKind } from '../core/event.ts';
import type { Digests } from '../digests/schedule-store.ts';
import { createSetDigest, type DigestTimers } from '../digests/set-digest.ts';
import { createListDeclines } from '../directory/list-declines.ts';
import { createResolveCard, type ResolveCard } from '../directory/resolve-card.ts';
import { createShowCard } from '../directory/show-card.ts';
import { refusedTo } from '../dispatch/verbs.ts';
import { createMayGetAlerts } from '../routing/channel-access.ts';
import type { LongAlerts, QuietHoursStore, Subscriptions } from '../routing/channel-rules-store.ts';
import { createEndMute, createMuteVerbs } from '../routing/mute.ts';
import type { Mutes } from '../routing/mute-store.ts';
import { createSetAlertLength } from '../routing/set-alert-length.ts';
import { createSetQuiet } from '../routing/set-quiet.ts';
import { createSubscriptionVerbs } from '../routing/subscribe.ts';
import { createExplainRouting } from '../routing/why.ts';
import type { Slack } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';
import type { ActionBase } from './action-base.ts';
import type { Tools } from './compose-tools.ts';

/** What the verbs of routing take besides what every action takes. */
export interface RoutingParts {
  readonly subscriptions: Subscriptions;
  readonly quietHours: QuietHoursStore;
  readonly longAlerts: LongAlerts;
  readonly mutes: Mutes;
  readonly holdAsQuiet: (channel: string) => Promise<number>;
  readonly defaultChannel: (kind: WebhookKind) => string | null;
  readonly zone: string;
  readonly channelInfo: Slack['channelInfo'];
  readonly openDirect: Slack['openDirect'];
  readonly eventLog: Pick<EventLog, 'read' | 'latest'>;
  readonly timesDelivered: (eventId: string) => Promise<number>;
  readonly permalink: (channel: string, ts: string) => Promise<string | null>;
  readonly toMissed: (row: Record<string, unknown>) => TransactionEvent;
  readonly scheduleMuteEnd: (muteId: string, atMs: number) => Promise<void>;
  readonly postNotice: (channel: string, id: string, message: Message) => Promise<void>;
}

export interface DigestParts {
  readonly digests: Digests;
  readonly timers: DigestTimers;
  readonly postNow: (channel: string, id: string) => Promise<void>;
  readonly serviceZone: string;
}

interface Deps {
  readonly base: ActionBase;
  readonly tools: Tools;
}

const factsOfCard =
  ({ factsOf }: Tools) =>
  (acctId: number, cardId: number | null) =>
    factsOf(acctId, cardId === null ? {} : { cardId });

/** Finds the card that a person means. */
export function composeResolveCard({ base: { stores, cards }, tools }: Deps): ResolveCard {
  return createResolveCard({
    ...stores,
    ...tools,
    directory: cards.directory,
    async cardOfAlert(alertId) {
      const alert = await stores.alerts.get(alertId);
      if (alert === null) return null;
      const [change, ...others] = alert.kind === 'card-status' ? alert.changes : [];
      return { acctId: alert.event.acctId, cardId: others.length === 0 ? (change?.cardId ?? null) : null };
    },
    reply: tools,
    doing: refusedTo,
  });
}

interface ChannelDeps extends Deps {
  readonly routing: RoutingParts;
  readonly resolveCard: ResolveCard;
}

/** What a channel gets, when, and why. */
export function composeChannelVerbs({ base: { stores, messages }, tools, routing, resolveCard }: ChannelDeps) {
  const mayGetAlerts = createMayGetAlerts({ channelInfo: routing.channelInfo, reply: tools });
  return {
    ...createSubscriptionVerbs({ ...routing, mayGetAlerts, reply: tools }),
    setAlertLength: createSetAlertLength({ ...routing, reply: tools }),
    setQuiet: createSetQuiet({ ...routing, mayGetAlerts, reply: tools, now: tools.now }),
    explainRouting: createExplainRouting({
      ...routing,
      alerts: stores.alerts,
      messages: messages.alertMessages,
      resolveCard,
      reply: tools,
    }),
  };
}

/** What people are not notified of, for a while. */
export function composeMutes({ tools, routing }: Pick<ChannelDeps, 'tools' | 'routing'>) {
  const { closeMute, endMute } = createEndMute({ ...routing, now: tools.now });
  return {
    ...createMuteVerbs({ ...routing, ...tools, closeMute, factsOf: factsOfCard(tools), reply: tools }),
    endMute,
  };
}

/** What only shows something of a card. */
export function composeLooks({ base: { stores, cards, settings }, tools, routing }: Omit<ChannelDeps, 'resolveCard'>) {
  const recentDeclines = createRecentDeclines(stores.history, stores.alerts);
  const common = { ...cards, recentDeclines, factsOf: factsOfCard(tools), reply: tools, now: tools.now };
  return {
    track: createTrackCard({ ...stores, ...cards, ...settings, ...tools }),
    show: createShowCard(common),
    declines: createListDeclines({ ...common, toMissed: routing.toMissed }),
  };
}

interface DigestDeps extends Pick<ChannelDeps, 'tools' | 'routing'> {
  readonly digest: DigestParts;
}

export function composeSetDigest({ tools, routing, digest }: DigestDeps) {
  const mayGetAlerts = createMayGetAlerts({ channelInfo: routing.channelInfo, reply: tools });
  return createSetDigest({ ...digest, mayGetAlerts, reply: tools, withLock: tools.withLock, now: tools.now });
}
