import { type ConnectionOptions, Queue } from 'bullmq';
import { QUEUE_PREFIX } from './keys.ts';
import type { RedisClient } from './redis.ts';
import { queueTelemetry } from './trace.ts';

/**
 * Separate queues, because jobs that wait in one must not hold up the others. Those in `bursts` each hold several events: a
 * build that does not know them leaves that queue alone.
 */
export const queueNames = ['alerts', 'bursts', 'outbox', 'updates', 'actions', 'maintenance'] as const;
export type QueueName = (typeof queueNames)[number];

export type Queues = Readonly<Record<QueueName, Queue>>;

/** Opens every queue, to add jobs and to look at them. The worker runs them. */
export function openQueues(redis: RedisClient): Queues {
  const open = (name: QueueName): Queue => {
    const connection = redis as ConnectionOptions;
    const queue = new Queue(name, { connection, prefix: QUEUE_PREFIX, skipVersionCheck: true, ...queueTelemetry() });
    // The connection logs its own errors.
    queue.on('error', () => {});
    return queue;
  };
  return {
    alerts: open('alerts'),
    bursts: open('bursts'),
    outbox: open('outbox'),
    updates: open('updates'),
    actions: open('actions'),
    maintenance: open('maintenance'),
  };
}

export async function closeQueues(queues: Queues): Promise<void> {
  await Promise.all(Object.values(queues).map((queue) => queue.close()));
}
