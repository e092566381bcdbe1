import { type ConnectionOptions, Queue } from 'bullmq';
import type { Action } from '../actions/action.ts';
import type { StoredEvent } from '../core/event.ts';
import { QUEUE_PREFIX } from '../core/keys.ts';
import type { QuarantinedWebhook } from '../core/quarantined-webhook.ts';
import type { RedisClient } from '../core/redis.ts';
import { backoff, keepFailedOnly, type QueueName, queueNames } from './jobs.ts';
import { createMaintenanceJobs, type MaintenanceJobs } from './maintenance-jobs.ts';
import { createUpdateJobs, type UpdateJobs } from './update-jobs.ts';

/** Producer side of every queue. Each `add` may be repeated: the job id, or the deduplication id, makes it one job. */
export interface Queues extends UpdateJobs, MaintenanceJobs {
  /** @param isLate it was missed and fetched afterwards. */
  deliverAlert(event: StoredEvent, isLate: boolean): Promise<void>;
  quarantine(webhook: QuarantinedWebhook): Promise<void>;
  performAction(action: Action): Promise<void>;
  recordRefusal(action: Action): Promise<void>;
  /** Wakes a channel's outbox. While it runs, one more run is kept for afterwards. */
  flushOutbox(channel: string): Promise<void>;
  /** Wakes it after `ms`, whatever happens before. */
  flushOutboxIn(channel: string, ms: number): Promise<void>;
  queue(name: QueueName): Queue;
  close(): Promise<void>;
}

export function createQueues(redis: RedisClient): Queues {
  const connection = redis as ConnectionOptions;
  const open = (name: QueueName): Queue => {
    const queue = new Queue(queueNames[name], { connection, prefix: QUEUE_PREFIX, skipVersionCheck: true });
    // The connection logs its own trouble.
    queue.on('error', () => {});
    return queue;
  };
  const queues: Record<QueueName, Queue> = {
    alerts: open('alerts'),
    outbox: open('outbox'),
    updates: open('updates'),
    actions: open('actions'),
    maintenance: open('maintenance'),
  };

  return {
    ...createUpdateJobs(queues.updates),
    ...createMaintenanceJobs(queues.maintenance),
    async deliverAlert(event, isLate) {
      const name = isLate ? 'deliver-late-alert' : 'deliver-alert';
      await queues.alerts.add(name, event, { ...keepFailedOnly, jobId: event.id, attempts: 12, backoff });
    },
    async quarantine(webhook) {
      await queues.alerts.add('quarantine', webhook, {
        ...keepFailedOnly,
        jobId: `quarantine-${webhook.id}`,
        attempts: 12,
        backoff,
      });
    },
    async performAction(action) {
      await queues.actions.add('perform-action', action, { ...keepFailedOnly, jobId: action.id, attempts: 5, backoff });
    },
    async recordRefusal(action) {
      await queues.actions.add('record-refusal', action, {
        ...keepFailedOnly,
        jobId: action.id,
        attempts: 12,
        backoff,
      });
    },
    async flushOutbox(channel) {
      await queues.outbox.add(
        'flush-outbox',
        { channel },
        { ...keepFailedOnly, removeOnFail: true, deduplication: { id: channel, keepLastIfActive: true } },
      );
    },
    async flushOutboxIn(channel, ms) {
      await queues.outbox.add(
        'flush-outbox',
        { channel },
        {
          ...keepFailedOnly,
          removeOnFail: true,
          jobId: `later-${channel}-${Math.round((Date.now() + ms) / 1000)}`,
          delay: Math.ceil(ms),
        },
      );
    },
    queue: (name) => queues[name],
    async close() {
      await Promise.all(Object.values(queues).map((queue) => queue.close()));
    },
  };
}
