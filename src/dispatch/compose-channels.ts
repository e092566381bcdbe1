import type { ActionDeps } from '../actions/deps.ts';
import { createReply } from '../actions/reply.ts';
import { createRecentDeclines } from '../alerts/card-history.ts';
import type { EventLog } from '../alerts/event-log.ts';
import { createTrackCard } from '../alerts/track-card.ts';
import type { CardFacts } from '../core/card-facts.ts';
import type { TransactionEvent, WebhookKind } from '../core/event.ts';
import type { Digests } from '../digests/digest-store.ts';
import { createSetDigest, type DigestTimers } from '../digests/set-digest.ts';
import { createListDeclines } from '../directory/list-declines.ts';
import { createResolveCard, type ResolveCard } from '../directory/resolve-card.ts';
import { createShowCard } from '../directory/show-card.ts';
import { createStartRecovery } from '../recovery/start-recovery.ts';
import { createMayGetAlerts } from '../routing/channel-of-action.ts';
import { createEndMute, createMuteVerbs } from '../routing/mute.ts';
import type { Mutes } from '../routing/mute-store.ts';
import type { QuietHoursStore } from '../routing/quiet-hours-store.ts';
import { createSetQuiet } from '../routing/set-quiet.ts';
import { createSubscriptionVerbs } from '../routing/subscribe.ts';
import type { Subscriptions } from '../routing/subscription-store.ts';
import { createExplainRouting } from '../routing/why.ts';
import type { Slack } from '../slack/client.ts';
import type { Message } from '../slack/message.ts';

/** What the verbs of routing take besides what every action takes. */
export interface RoutingParts {
  readonly subscriptions: Subscriptions;
  readonly quietHours: QuietHoursStore;
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

const factsOf =
  ({ directory, toFacts }: ActionDeps) =>
  async (acctId: number, which: { readonly cardId?: number; readonly last4?: string }): Promise<CardFacts> =>
    toFacts(acctId, await directory.account(acctId), which);

const factsOfCard =
  (deps: ActionDeps) =>
  (acctId: number, cardId: number | null): Promise<CardFacts> =>
    factsOf(deps)(acctId, cardId === null ? {} : { cardId });

/** Finds the card that a person means. */
export function composeResolveCard(deps: ActionDeps): ResolveCard {
  return createResolveCard({
    directory: deps.directory,
    links: deps.links,
    async cardOfAlert(alertId) {
      const alert = await deps.alerts.get(alertId);
      if (alert === null) return null;
      const [change, ...others] = alert.kind === 'card-status' ? alert.changes : [];
      return { acctId: alert.event.acctId, cardId: others.length === 0 ? (change?.cardId ?? null) : null };
    },
    factsOf: factsOf(deps),
    putChoice: (action, questionId) => deps.pending.put({ kind: 'choice', action, questionId }),
    reply: createReply(deps),
  });
}

/** What a channel gets, when, and why. */
export function composeChannelVerbs(deps: ActionDeps) {
  const { routing } = deps;
  const reply = createReply(deps);
  const mayGetAlerts = createMayGetAlerts({ channelInfo: routing.channelInfo, reply });
  return {
    ...createSubscriptionVerbs({ ...routing, mayGetAlerts, reply }),
    setQuiet: createSetQuiet({ ...routing, mayGetAlerts, reply, now: deps.now }),
    explainRouting: createExplainRouting({
      ...routing,
      alerts: deps.alerts,
      messages: deps.alertMessages,
      resolveCard: composeResolveCard(deps),
      reply,
    }),
  };
}

/** What people are not notified of, for a while. */
export function composeMutes(deps: ActionDeps) {
  const { routing, now } = deps;
  const { closeMute } = createEndMute({ mutes: routing.mutes, postNotice: routing.postNotice, now });
  return createMuteVerbs({ ...routing, closeMute, factsOf: factsOfCard(deps), reply: createReply(deps) });
}

export function composeLooks(deps: ActionDeps) {
  const { card, nameRuleset, now } = deps;
  const recentDeclines = createRecentDeclines(deps.history, deps.alerts);
  const common = { card, recentDeclines, factsOf: factsOfCard(deps), reply: createReply(deps) };
  return {
    track: createTrackCard({ ...deps, factsOf: factsOf(deps) }),
    show: createShowCard({ ...common, nameRuleset }),
    declines: createListDeclines({ ...common, toMissed: deps.routing.toMissed, now }),
  };
}

export function composeSetDigest(deps: ActionDeps) {
  const { routing, digest, withLock, now } = deps;
  const reply = createReply(deps);
  const mayGetAlerts = createMayGetAlerts({ channelInfo: routing.channelInfo, reply });
  return createSetDigest({ ...digest, mayGetAlerts, reply, withLock, now });
}

export function composeStartRecovery(deps: ActionDeps) {
  const { momentOf, recoverGap, opsChannel } = deps;
  return createStartRecovery({ momentOf, recoverGap, opsChannel, reply: createReply(deps) });
}
