import type { Redis } from 'ioredis';
import { createAggregationGroups } from '../../src/alerts/aggregation-group-store.ts';
import type { Alert } from '../../src/alerts/alert.ts';
import { createAlerts } from '../../src/alerts/alert-store.ts';
import { type Announce, createAnnounce, type Delivery } from '../../src/alerts/announce.ts';
import { createCardHistory } from '../../src/alerts/card-history.ts';
import { createCardLifecycle } from '../../src/alerts/card-lifecycle.ts';
import { createCardOrders } from '../../src/alerts/card-order-store.ts';
import { createCardTesting } from '../../src/alerts/card-testing-store.ts';
import { createDeliverAlert } from '../../src/alerts/deliver-alert.ts';
import { createDeliverStatus } from '../../src/alerts/deliver-status.ts';
import { createEventLog } from '../../src/alerts/event-log.ts';
import { createFraudCases } from '../../src/alerts/fraud-case-store.ts';
import { createGroupAlert } from '../../src/alerts/group-alert.ts';
import { createPurchases } from '../../src/alerts/purchase-store.ts';
import { createShowStatus } from '../../src/alerts/show-status.ts';
import type { CardStatus, StoredEvent, TransactionEvent } from '../../src/core/event.ts';
import { createLock } from '../../src/core/lock.ts';
import type { Remedy } from '../../src/limits/remedy-change.ts';
import { createOutbox } from '../../src/outbox/outbox-store.ts';
import { transactionAlert } from '../templates/fixtures.ts';

const START = Date.parse('2026-11-20T14:00:00Z');

export const here: Delivery = { channel: 'C1', holdUntil: null, passesQuiet: false };
export const idOf = (index: number): string => `evt_${String(index).padStart(16, '0')}`;
/** The time of an event, some seconds after the start. */
export const timeOf = (seconds: number): string => new Date(START + seconds * 1000).toISOString();

/** The decline with this number. Declines follow each other by a second. */
export function declineOf(index: number, over: Partial<TransactionEvent> = {}): TransactionEvent {
  const at = timeOf(index);
  return { ...transactionAlert().event, id: idOf(index), occurredAt: at, callbackAt: at, ...over };
}

/** Everything between a received event and the outboxes of the channels, on a Redis. */
export function createDeliveryWorld(
  redis: Redis,
  {
    paddingCounts = { againstLimits: true, againstBalance: true },
    remedy = null as Remedy | null,
    /** What is advised from the second time on. Undefined: the same. */
    remedyAgain = undefined as Remedy | null | undefined,
    isIncomplete = false,
    isInDoubt = (): boolean => false,
    statusBefore = (_cardId: number): CardStatus | null => 'INACTIVE',
    now = (): Date => new Date(START),
    /** The card that the directory names. */
    card = transactionAlert().card,
  } = {},
) {
  /** Where the rules send each event. Events without an entry go nowhere. */
  const routes = new Map<string, Delivery | Delivery[]>();
  const toHolder: Alert[] = [];
  const updated: string[] = [];
  const advised: StoredEvent[] = [];
  const counted: unknown[] = [];
  const completedLater: string[] = [];
  const alerts = createAlerts(redis, () => new Date());
  const cardOrders = createCardOrders(redis);
  const fraudCases = createFraudCases(redis);
  const eventLog = createEventLog(redis, () => new Date());
  const groupAlert = createGroupAlert({
    fraudCases,
    aggregationGroups: createAggregationGroups(redis),
    cardTesting: createCardTesting(redis),
    purchases: createPurchases(redis, createLock(redis)),
    cardLifecycle: createCardLifecycle({ cardOrders, alerts, withLock: createLock(redis) }),
    cardOrders,
    alerts,
    eventLog,
  });
  const outbox = createOutbox(redis);
  const updateAlert = async (id: string): Promise<void> => void updated.push(id);
  const announce = createAnnounce({
    alerts,
    route: async ({ id }) => ({ deliveries: [routes.get(id) ?? []].flat(), steps: [] }),
    groupAlert,
    outbox,
    isInDoubt,
    updateAlert,
  });
  const publish: Announce = async (alert) => {
    const hasPaymentSince = await announce(alert);
    toHolder.push(alert);
    return hasPaymentSince;
  };
  const history = createCardHistory(redis);
  const learned = new Map<number | null, { holder: string }>();
  const asked: ('facts' | 'learn')[] = [];
  const directory = {
    /** What it was asked, in order. */
    asked,
    async factsOf({ acctId }: StoredEvent) {
      asked.push('facts');
      return { ...card, acctId, ...learned.get(acctId) };
    },
    statusBefore: async (_event: unknown, { cardId }: { readonly cardId: number }) => statusBefore(cardId),
    async learn(event: StoredEvent) {
      asked.push('learn');
      if ('holder' in event) learned.set(event.acctId, { holder: event.holder });
    },
  };
  const deliverAlert = createDeliverAlert({
    directory,
    advice: {
      for: async (event) => {
        advised.push(event);
        const isAgain = advised.length > 1 && remedyAgain !== undefined;
        return { remedy: isAgain ? remedyAgain : remedy, isIncomplete };
      },
      completeLater: async (id) => void completedLater.push(id),
    },
    countDecline: async (decline) => void counted.push(decline),
    cardUsed: async () => [],
    updateAlert,
    publish,
    paddingCounts,
    now,
  });
  const deliverStatus = createDeliverStatus({
    directory,
    history,
    alerts,
    publish,
    updateAlert,
    showStatus: createShowStatus({
      history,
      alerts,
      factsOf: async (acctId) => ({ ...card, acctId, status: 'CLOSED' }),
      updateAlert,
    }),
  });
  const deliver = async (event: StoredEvent, { hasWaited = true } = {}): Promise<unknown> => {
    const arrival = { hasWaited, isLate: false };
    return event.kind === 'card-status' ? await deliverStatus(event, arrival) : await deliverAlert(event, arrival);
  };
  return {
    directory,
    routes,
    toHolder,
    updated,
    alerts,
    cardOrders,
    fraudCases,
    eventLog,
    outbox,
    groupAlert,
    announce,
    deliver,
    deliverAlert,
    advised,
    counted,
    completedLater,
    history,
  };
}
