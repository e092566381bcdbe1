import { createBlocks } from '../actions/block-store.ts';
import { createLatestChanges, createProgress } from '../actions/progress-store.ts';
import { createLooks, createRefusalCounts } from '../actions/record-limits.ts';
import { createAggregationGroups } from '../alerts/aggregation-group-store.ts';
import { createAlerts } from '../alerts/alert-store.ts';
import { createCardHistory } from '../alerts/card-history.ts';
import { createCardOrders } from '../alerts/card-order-store.ts';
import { createCardTesting } from '../alerts/card-testing-store.ts';
import { createEventLog } from '../alerts/event-log.ts';
import { createFraudCases } from '../alerts/fraud-case-store.ts';
import { createPurchases } from '../alerts/purchase-store.ts';
import { createRequests } from '../approvals/request-store.ts';
import type { WithLock } from '../core/lock.ts';
import type { RedisClient } from '../core/redis.ts';
import { createSeals } from '../core/seal.ts';
import { createSettingOrder } from '../core/setting-order.ts';
import { createSigner } from '../core/sign.ts';
import { createDigests } from '../digests/schedule-store.ts';
import { createShownDeclines } from '../digests/shown-declines.ts';
import { createPending } from '../dispatch/pending-form-store.ts';
import { createClaims } from '../holders/claim-store.ts';
import { createLinks } from '../holders/link-store.ts';
import { createPreferences } from '../holders/preference-store.ts';
import { createRecentRaises } from '../limits/recent-raise-store.ts';
import { createRuleWrites } from '../limits/rule-write-store.ts';
import { createTemporaryChanges } from '../limits/temporary-change-store.ts';
import { createOutbox } from '../outbox/outbox-store.ts';
import { createTrackedMessages } from '../outbox/tracked-message-store.ts';
import { createDecisionStore } from '../policy/decision-store.ts';
import { createDelegations } from '../policy/delegation-store.ts';
import { createBackfilled } from '../recovery/recover-statuses.ts';
import { createLongAlerts, createQuietHours, createSubscriptions } from '../routing/channel-rules-store.ts';
import { createMutes } from '../routing/mute-store.ts';
import { createAwaitedOrders } from '../virtual-cards/order.ts';
import { createWarned } from '../warnings/warned-store.ts';
import { createQuarantineStore } from '../webhooks/quarantine.ts';
import type { WorkerConfig } from './config.ts';
import { secretOf } from './programs.ts';

export type Stores = ReturnType<typeof createStores>;

/** The keys that sign and seal stored data. */
export const signersOf = (config: Pick<WorkerConfig, 'slackBotToken' | 'program' | 'audit'>) => ({
  /** Records that only workers write, for one purpose. */
  stored: (purpose: string) => createSigner(config.audit.secrets, purpose),
  /** The meaning of buttons; both processes write it. */
  control: createSigner(secretOf(config), 'control'),
  delegation: createSeals(secretOf(config)).delegation,
});

interface StoreDeps extends ReturnType<typeof signersOf> {
  readonly withLock: WithLock;
  readonly now: () => Date;
}

/**
 * The stores that several capabilities share, and those whose writes must survive a Redis that comes back with older data.
 * Any other store is opened by its user.
 */
export function createStores(redis: RedisClient, { stored, control, delegation, withLock, now }: StoreDeps) {
  return {
    outbox: createOutbox(redis),
    trackedMessages: createTrackedMessages(redis, now),
    alerts: createAlerts(redis, now),
    aggregationGroups: createAggregationGroups(redis),
    cardTesting: createCardTesting(redis),
    purchases: createPurchases(redis, withLock),
    history: createCardHistory(redis),
    cardOrders: createCardOrders(redis),
    requests: createRequests(redis, stored('request')),
    temporaryChanges: createTemporaryChanges(redis, stored('temporary change')),
    links: createLinks(redis, now),
    claims: createClaims(redis, stored('claim')),
    latestChanges: createLatestChanges(redis),
    progress: createProgress(redis),
    refusalCounts: createRefusalCounts(redis),
    looks: createLooks(redis),
    blocks: createBlocks(redis, stored('block')),
    recentRaises: createRecentRaises(redis),
    ruleWrites: createRuleWrites(redis),
    decisions: createDecisionStore(redis),
    awaitedOrders: createAwaitedOrders(redis),
    pending: createPending(redis, control),
    eventLog: createEventLog(redis, now),
    quarantined: createQuarantineStore(redis),
    subscriptions: createSubscriptions(redis),
    quietHours: createQuietHours(redis),
    longAlerts: createLongAlerts(redis),
    preferences: createPreferences(redis),
    settingOrder: createSettingOrder(redis, now),
    delegations: createDelegations(redis, delegation),
    fraudCases: createFraudCases(redis),
    mutes: createMutes(redis, now),
    digests: createDigests(redis),
    shownDeclines: createShownDeclines(redis),
    warned: createWarned(redis),
    backfilled: createBackfilled(redis),
  };
}
