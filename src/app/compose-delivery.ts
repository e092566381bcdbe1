import { type Announce, createAnnounce } from '../alerts/announce.ts';
import { createCardLifecycle, remindOfActivation } from '../alerts/card-lifecycle.ts';
import { createDeliverAlert, ENRICH_AFTER_MS, enrichAlert } from '../alerts/deliver-alert.ts';
import { createDeliverStatus } from '../alerts/deliver-status.ts';
import { factsOfEvent } from '../alerts/facts-of-event.ts';
import { createGroupAlert } from '../alerts/group-alert.ts';
import { createResolveDeclines } from '../alerts/resolve-declines.ts';
import { createShowStatus } from '../alerts/show-status.ts';
import { gotStatusAfter } from '../alerts/stopped-since.ts';
import { type CardStatusEvent, declineCode, type StoredEvent } from '../core/event.ts';
import { localDate } from '../core/service-time.ts';
import { createGroupOfCard } from '../directory/directory.ts';
import { statusBefore } from '../directory/status-before.ts';
import { isPermitted } from '../dispatch/verbs.ts';
import { createNotifyHolder } from '../holders/notify-holder.ts';
import { withThrottle } from '../limits/with-throttle.ts';
import * as opsIssue from '../ops/issue.ts';
import { createRolesForCard } from '../policy/roles-for-card.ts';
import { createPostAfterQuiet } from '../routing/held-until.ts';
import { createRoute, createRoutingRules, createWhyMutePasses } from '../routing/route.ts';
import { createWarnOfExpiry } from '../warnings/warn-of-expiry.ts';
import { createReadUsedLimits, createWarnOfLimits } from '../warnings/warn-of-limits.ts';
import { createWarnOfSubscription, mayBeSubscription } from '../warnings/warn-of-subscription.ts';
import { createWarnBoth } from '../warnings/warned-store.ts';
import type { composeDigests } from './compose-digests.ts';
import type { WorkerContext } from './worker-context.ts';

/** How many of a worker's concurrent alerts may wait for the card API. */
const ADVICE_AT_ONCE = 8;

/** Everything that turns events into alerts. */
export function composeDelivery(
  context: WorkerContext,
  countDecline: ReturnType<typeof composeDigests>['countDecline'],
) {
  const { enqueue, directory, remedies, assumptions } = context;
  const cardLifecycle = createCardLifecycle(context);
  const groupAlert = createGroupAlert({ ...context, cardLifecycle });
  const isInDoubt = () => context.redo.dataLossSinceMs() !== null;
  const announcing = { ...context, route: composeRoute(context), groupAlert, isInDoubt };
  const announce = createAnnounce(announcing);
  const notifyHolder = createNotifyHolder(context);
  const publish: Announce = async (alert) => {
    const hasPaymentSince = await announce(alert);
    await notifyHolder(alert);
    return hasPaymentSince;
  };
  const common = { ...context, directory: knownCards(context), publish };
  return {
    groupAlert,
    announce,
    deliverAlert: createDeliverAlert({
      ...common,
      advice: {
        for: throttledAdvice(context),
        completeLater: (alertId) => enqueue('enrich-alert', { alertId }, { delayMs: ENRICH_AFTER_MS }),
      },
      countDecline,
      cardUsed: cardLifecycle.used,
      paddingCounts: {
        againstLimits: assumptions.paddingCountsAgainstLimits,
        againstBalance: assumptions.paddingCountsAgainstBalance,
      },
    }),
    deliverStatus: createDeliverStatus({ ...common, showStatus: createShowStatus(context) }),
    resolveDeclines: createResolveDeclines({ ...context, approversOf: context.requests.approversOf }),
    /** Sends reminders of cards that were shipped but never activated. */
    remind: () =>
      remindOfActivation({
        ...context,
        reload: directory.reload,
        // Remembered, because a recurring job does not run again for a card that it has forgotten.
        announce: createAnnounce({ ...announcing, outbox: context.lastingOutbox }),
      }),
    /** Completes an alert when the card API did not answer in time. */
    enrich: (alertId: string, hasWaited: boolean) =>
      enrichAlert(alertId, hasWaited, { ...context, countDecline, adviceFor: remedies.adviceAgain }),
  };
}

/** Advice about a card's status needs no API call. All other advice leaves half of the API quota to people. */
function throttledAdvice({ remedies: { adviceFor }, assumptions }: WorkerContext): typeof adviceFor {
  const throttled = withThrottle(
    adviceFor,
    { remedy: null, isIncomplete: false },
    { perMinute: Math.floor(assumptions.callsPerMinute / 2), atOnce: ADVICE_AT_ONCE },
  );
  return (event) => (declineCode(event.decline) === 'decline.card.status' ? adviceFor(event) : throttled(event));
}

/** What the directory knows about an event's card, and what it learns from an event. */
function knownCards({ directory, history, nameRuleset }: WorkerContext) {
  return {
    async factsOf(event: StoredEvent) {
      const account = event.acctId === null ? null : await directory.account(event.acctId);
      const facts = await factsOfEvent(event, account, history);
      if (event.kind !== 'decline') return facts;
      const isLater = await gotStatusAfter(event, facts, account?.cards ?? [], history);
      return await nameRuleset({ ...facts, ...(isLater && { isStatusLater: isLater }) });
    },
    learn: directory.learn,
    statusBefore: async (event: CardStatusEvent, card: { readonly cardId: number; readonly last4: string }) =>
      statusBefore(event, card, (await directory.account(event.acctId))?.cards ?? []),
  };
}

function composeRoute(context: WorkerContext) {
  const { config, redis, notifyOps, currentRoles, currentPerson, links } = context;
  const groupOfCard = createGroupOfCard(context);
  return createRoute({
    ...context,
    channels: config.channels,
    rules: createRoutingRules(redis, context),
    whyMutePasses: createWhyMutePasses({
      ...context,
      rolesForCard: createRolesForCard({ rolesOf: currentRoles, groupOfCard, links }),
      person: currentPerson,
      mayTravel: (roles) => isPermitted('travel', roles),
      isHolder: links.wasHolderLately,
    }),
    notifySharedChannel: (channel) => notifyOps(opsIssue.channelShared(channel)),
  });
}

/** Warnings that people get before a purchase is declined. */
export function composeWarnings(context: WorkerContext) {
  const { card, assumptions, config, enqueue } = context;
  const common = { ...context, warnBoth: createWarnBoth({ ...context, postNotice: createPostAfterQuiet(context) }) };
  return {
    /** Starts the checks that follow an event: limits after a purchase, a failing subscription after a decline. */
    async afterEvent(event: StoredEvent): Promise<void> {
      if (event.kind === 'decline') {
        if (await mayBeSubscription(event, context.history)) {
          await enqueue('warn-of-subscription', { alertId: event.id });
        }
      } else if (event.kind === 'authorization' || event.kind === 'pin')
        await enqueue('warn-of-limits', { acctId: event.acctId });
    },
    warnOfLimits: createWarnOfLimits({
      ...common,
      preferences: { ...context.preferences, quietLeftMs: context.quietLeftMs },
      readUsedLimits: createReadUsedLimits({
        ...context,
        // People who press buttons, and alerts, need the rest of the quota.
        remaining: withThrottle(card.getRemainingLimits, null, {
          perMinute: Math.floor(assumptions.callsPerMinute / 4),
          atOnce: 2,
        }),
      }),
    }),
    warnOfSubscription: createWarnOfSubscription({
      ...common,
      channel: config.channels.decline,
      dayOf: (instant) => localDate(new Date(instant), config.serviceZone),
    }),
    warnOfExpiry: createWarnOfExpiry({ ...common, getAccount: card.getAccount, channel: config.channels.status }),
  };
}
