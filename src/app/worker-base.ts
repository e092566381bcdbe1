import { createBlocks } from '../actions/block-store.ts';
import { createLatestChanges, createProgress } from '../actions/progress-store.ts';
import { createRefusalCounts } from '../actions/refusal-count.ts';
import { createAlerts } from '../alerts/alert-store.ts';
import { createCardHistory } from '../alerts/card-history.ts';
import { createEventLog } from '../alerts/event-log.ts';
import { createRequests } from '../approvals/request-store.ts';
import { type Clock, createClock } from '../core/clock.ts';
import { createLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import type { Queues } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';
import { createRedo, type Redo } from '../core/redo.ts';
import { createPending } from '../dispatch/pending-form-store.ts';
import { createClaims } from '../holders/claim-store.ts';
import { createLinks } from '../holders/link-store.ts';
import { NotifyPerson, type NotifyPersonLater } from '../holders/notify-holder.ts';
import { type MemoryWatch, watchMemory } from '../intake/memory.ts';
import { createRecentRaises } from '../limits/recent-raise-store.ts';
import { createTemporaryChanges } from '../limits/temporary-change-store.ts';
import { countAlertJobs } from '../ops/health.ts';
import type { Metrics } from '../ops/metrics.ts';
import { createOutbox } from '../outbox/outbox-store.ts';
import { createPostNotice, type PostNotice } from '../outbox/tracked-message.ts';
import { createTrackedMessages } from '../outbox/tracked-message-store.ts';
import { createDecisions } from '../policy/decision-store.ts';
import type { PolicySource } from '../policy/policy-source.ts';
import { createVirtualOrders } from '../virtual-cards/order.ts';
import { createQuarantineStore } from '../webhooks/quarantine.ts';
import type { WorkerConfig } from './config.ts';
import { createEnqueue, type Enqueue } from './enqueue.ts';
import { rememberWrites } from './remember-writes.ts';

/** What every capability of the worker stands on. */
export interface WorkerBase {
  readonly config: WorkerConfig;
  readonly policy: PolicySource;
  readonly redis: RedisClient;
  readonly queues: Queues;
  readonly enqueue: Enqueue;
  readonly stores: Stores;
  readonly send: Send;
  readonly memory: MemoryWatch;
  readonly redo: Redo;
  readonly clock: Clock;
  readonly now: () => Date;
  readonly metrics: Metrics;
  readonly log: Log;
}

/** The stores that several capabilities share. What one uses alone, it opens itself. */
export type Stores = ReturnType<typeof createStores>;

/** Ways to people that several capabilities use. */
export interface Send {
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly notifyPerson: NotifyPersonLater;
  readonly postNotice: PostNotice;
}

export function createWorkerBase(
  config: WorkerConfig,
  redis: RedisClient,
  queues: Queues,
  { policy, log, metrics }: Pick<WorkerBase, 'policy' | 'log' | 'metrics'>,
): WorkerBase {
  const redo = createRedo(redis, log);
  const stores = rememberWrites(redo, createStores(redis, log));
  const clock = createClock(redis);
  const enqueue = createEnqueue(queues, clock.now);
  const wakeOutbox = (channel: string): Promise<void> => enqueue('flush-outbox', { channel });
  const send: Send = {
    wakeOutbox,
    notifyPerson: (userId, entry) => enqueue('notify-person', NotifyPerson.parse({ userId, entry })),
    postNotice: createPostNotice({ outbox: stores.outbox, wakeOutbox }),
  };
  const memory = watchMemory(redis, { fullAt: config.redisFullAt, inHand: () => countAlertJobs(queues) });
  return { config, policy, redis, queues, enqueue, stores, send, memory, redo, clock, now: clock.now, metrics, log };
}

function createStores(redis: RedisClient, log: Log) {
  return {
    outbox: createOutbox(redis),
    trackedMessages: createTrackedMessages(redis),
    alerts: createAlerts(redis),
    history: createCardHistory(redis),
    requests: createRequests(redis),
    temporaryChanges: createTemporaryChanges(redis),
    links: createLinks(redis),
    claims: createClaims(redis),
    latestChanges: createLatestChanges(redis),
    progress: createProgress(redis),
    refusalCounts: createRefusalCounts(redis),
    blocks: createBlocks(redis),
    recentRaises: createRecentRaises(redis),
    decisions: createDecisions(redis),
    virtualOrders: createVirtualOrders(redis),
    pending: createPending(redis),
    eventLog: createEventLog(redis),
    quarantined: createQuarantineStore(redis),
    withLock: createLock(redis, { log }),
  };
}
