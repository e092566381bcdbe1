import { createAggregationGroups } from '../alerts/aggregation-group-store.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { createAnnounce, type Publish, type Route } from '../alerts/announce.ts';
import type { CardHistory } from '../alerts/card-history.ts';
import { createCardLifecycle, remindOfActivation } from '../alerts/card-lifecycle.ts';
import { createCardOrders } from '../alerts/card-order-store.ts';
import { createCardTesting } from '../alerts/card-testing-store.ts';
import { createDeliverAlert, type DeliverAlert, ENRICH_AFTER_MS, enrichAlert } from '../alerts/deliver-alert.ts';
import { createDeliverStatus, type DeliverStatus } from '../alerts/deliver-status.ts';
import type { EventLog } from '../alerts/event-log.ts';
import { createGroupAlert, type GroupAlert } from '../alerts/group-alert.ts';
import { createPurchases } from '../alerts/purchase-store.ts';
import { whichCard } from '../core/card-facts.ts';
import { type CardStatusEvent, declineCode, type StoredEvent } from '../core/event.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { toCardFacts } from '../directory/account.ts';
import { statusBefore } from '../directory/status-before.ts';
import type { Links } from '../holders/link-store.ts';
import { createNotifyHolder, type NotifyPersonLater } from '../holders/notify-holder.ts';
import { withThrottle } from '../limits/remedy.ts';
import type { Outbox } from '../outbox/outbox-store.ts';
import type { CardParts } from './compose-cards.ts';
import type { composeDigests } from './compose-digests.ts';
import type { Enqueue } from './enqueue.ts';

/** How many of the 32 alerts that a worker handles at a time may wait for the card API. */
const ADVICE_AT_ONCE = 8;

interface Deps extends Pick<CardParts, 'assumptions' | 'directory' | 'nameRuleset' | 'remedies'> {
  readonly redis: RedisClient;
  readonly enqueue: Enqueue;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly notifyPerson: NotifyPersonLater;
  readonly outbox: Outbox;
  readonly alerts: Alerts;
  readonly history: CardHistory;
  readonly links: Links;
  readonly eventLog: EventLog;
  readonly withLock: WithLock;
  readonly route: Route;
  readonly countDecline: ReturnType<typeof composeDigests>['countDecline'];
  readonly now: () => Date;
  readonly log: Log;
}

export interface DeliveryParts {
  readonly groupAlert: GroupAlert;
  readonly deliverAlert: DeliverAlert;
  readonly deliverStatus: DeliverStatus;
  /** Reminds of cards that were shipped and that nobody has activated. */
  readonly remind: () => Promise<void>;
  /** Completes an alert when the card API did not answer in time. */
  readonly enrich: (alertId: string, hasWaited: boolean) => Promise<number | null>;
}

/** Everything that turns events into alerts, put together over one Redis. */
export function composeDelivery(deps: Deps): DeliveryParts {
  const {
    redis,
    enqueue,
    wakeOutbox,
    outbox,
    alerts,
    history,
    links,
    eventLog,
    route,
    directory,
    remedies,
    assumptions,
  } = deps;
  const updateMessages = (id: string): Promise<void> => enqueue('update-messages', { kind: 'alert', id });
  const cardOrders = createCardOrders(redis);
  const cardLifecycle = createCardLifecycle({ cardOrders, alerts });
  const groupAlert = createGroupAlert({
    aggregationGroups: createAggregationGroups(redis),
    cardTesting: createCardTesting(redis),
    purchases: createPurchases(redis, deps.withLock),
    cardLifecycle,
    cardOrders,
    alerts,
    eventLog,
  });
  const pacedAdvice = withThrottle(
    remedies.adviceFor,
    { remedy: null, isIncomplete: false },
    { perMinute: Math.floor(assumptions.callsPerMinute / 2), atOnce: ADVICE_AT_ONCE },
  );
  // Advice about a card's status needs no call.
  const adviceFor: typeof remedies.adviceFor = (event) =>
    declineCode(event.decline) === 'decline.card.status' ? remedies.adviceFor(event) : pacedAdvice(event);
  const known = {
    async factsOf(event: StoredEvent) {
      const account = event.acctId === null ? null : await directory.account(event.acctId);
      const facts = toCardFacts(event.acctId, account, whichCard(event));
      return event.kind === 'decline' ? await deps.nameRuleset(facts) : facts;
    },
    learn: directory.learn,
    statusBefore: async (event: CardStatusEvent, card: { readonly cardId: number; readonly last4: string }) =>
      statusBefore(event, card, (await directory.account(event.acctId))?.cards ?? []),
  };
  const announce = createAnnounce({ alerts, route, groupAlert, outbox, wakeOutbox, updateMessages });
  const notifyHolder = createNotifyHolder({ links, notifyPerson: deps.notifyPerson });
  const publish: Publish = async (alert, occasion) => {
    await announce(alert, occasion);
    await notifyHolder(alert);
  };

  return {
    groupAlert,
    deliverAlert: createDeliverAlert({
      directory: known,
      history,
      advice: {
        for: adviceFor,
        completeLater: (alertId) => enqueue('enrich-alert', { alertId }, { delayMs: ENRICH_AFTER_MS }),
      },
      countDecline: deps.countDecline,
      cardUsed: cardLifecycle.used,
      updateMessages,
      publish,
      paddingCounts: assumptions.paddingCountsAgainstLimits,
    }),
    deliverStatus: createDeliverStatus({ directory: known, history, alerts, publish, updateMessages }),
    remind: () =>
      remindOfActivation({ cardOrders, alerts, reload: directory.reload, announce, now: deps.now, log: deps.log }),
    enrich: (alertId, hasWaited) =>
      enrichAlert(alertId, hasWaited, { alerts, adviceFor: remedies.adviceAgain, updateMessages }),
  };
}
