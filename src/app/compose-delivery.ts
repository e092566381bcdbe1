import { createAggregationGroups } from '../alerts/aggregation-group-store.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { announce, type Route } from '../alerts/announce.ts';
import type { CardHistory } from '../alerts/card-history.ts';
import { createCardLifecycle } from '../alerts/card-lifecycle.ts';
import { createCardOrders } from '../alerts/card-order-store.ts';
import { createCardTesting } from '../alerts/card-testing-store.ts';
import { type Coming, deliverAlert } from '../alerts/deliver-alert.ts';
import { ENRICH_AFTER_MS, enrichAlert } from '../alerts/enrich-alert.ts';
import type { EventLog } from '../alerts/event-log.ts';
import { createGroupAlert, type GroupAlert } from '../alerts/group-alert.ts';
import { createPurchases } from '../alerts/purchase-store.ts';
import { remindOfActivation } from '../alerts/remind-of-activation.ts';
import { whichCard } from '../core/card-facts.ts';
import { declineCode, type StoredEvent } from '../core/event.ts';
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

/** Of the 32 alerts that a worker has in hand, so many may wait for the card API. */
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
  /** @returns milliseconds after which to come again, or null when the event is told. */
  readonly deliver: (event: StoredEvent, coming: Coming) => Promise<number | null>;
  /** Reminds of cards that arrived and that nobody has activated. */
  readonly remind: () => Promise<void>;
  /** Adds to an alert what the card API did not say in time. */
  readonly enrich: (alertId: string, hasWaited: boolean) => Promise<number | null>;
}

/** What brings an event to the places where it is told, joined over one Redis. */
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
  // What a card's status says is known without a call.
  const adviceFor: typeof remedies.adviceFor = (event) =>
    declineCode(event.decline) === 'decline.card.status' ? remedies.adviceFor(event) : pacedAdvice(event);
  const deliver = (event: StoredEvent, coming: Coming): Promise<number | null> =>
    deliverAlert(event, coming, {
      async factsOf(of) {
        const account = of.acctId === null ? null : await directory.account(of.acctId);
        const facts = toCardFacts(of.acctId, account, whichCard(of));
        return of.kind === 'decline' ? await deps.nameRuleset(facts) : facts;
      },
      knownStatus: async (acctId, card) => statusBefore(event, card, (await directory.account(acctId))?.cards ?? []),
      learn: directory.learn,
      adviceFor,
      enrichLater: (alertId) => enqueue('enrich-alert', { alertId }, { delayMs: ENRICH_AFTER_MS }),
      route,
      groupAlert,
      cardUsed: cardLifecycle.used,
      notifyHolder: createNotifyHolder({ links, notifyPerson: deps.notifyPerson }),
      paddingCounts: assumptions.paddingCountsAgainstLimits,
      history,
      countDecline: deps.countDecline,
      alerts,
      outbox,
      wakeOutbox,
      updateMessages,
    });

  const remind = (): Promise<void> =>
    remindOfActivation({
      cardOrders,
      alerts,
      reload: directory.reload,
      announce: (alert) =>
        announce(alert, {
          alerts,
          route,
          groupAlert,
          outbox,
          wakeOutbox,
          updateMessages,
        }),
      now: deps.now,
      log: deps.log,
    });

  return {
    groupAlert,
    deliver,
    remind,
    enrich: (alertId, hasWaited) =>
      enrichAlert(alertId, hasWaited, {
        alerts,
        adviceFor: remedies.adviceAgain,
        updateMessages,
      }),
  };
}
