import { type ConnectionOptions, Queue } from 'bullmq';
import { queuePrefix } from './keys.ts';
import type { RedisClient } from './redis.ts';
import { shardOf, shardsOf } from './shards.ts';
import { queueTelemetry } from './trace.ts';

/**
 * Separate queues, because jobs that wait in one must not hold up the others. Those in `bursts` each hold several events: a
 * build that does not know them leaves that queue alone.
 */
export const queueNames = ['alerts', 'bursts', 'outbox', 'updates', 'actions', 'maintenance'] as const;
export type QueueName = (typeof queueNames)[number];

/** The shards that have a queue: of those that carry events all, of the others the first. */
export const shardsWith = (name: QueueName, shards: number): number[] =>
  shardsOf(name === 'alerts' || name === 'bursts' ? shards : 1);

interface OpenQueue {
  readonly name: QueueName;
  readonly shard: number;
  readonly queue: Queue;
}

/** By their names, those of shard 0. */
export type Queues = Readonly<Record<QueueName, Queue>> & {
  /** How many shards there are. */
  readonly shards: number;
  /** Those of all shards. */
  readonly all: readonly OpenQueue[];
  /** Where jobs of this key wait. */
  of(name: QueueName, key: string): Queue;
};

/**
 * Opens every queue, to add jobs and to look at them. The worker runs them.
 *
 * @param onlyLook writes nothing; otherwise opening a queue makes its key.
 */
export function openQueues(redis: RedisClient, shards = 1, { onlyLook = false } = {}): Queues {
  const open = (name: QueueName, shard = 0): Queue => {
    const connection = redis as ConnectionOptions;
    const prefix = queuePrefix(shard);
    const options = { connection, prefix, skipVersionCheck: true, skipMetasUpdate: onlyLook };
    const queue = new Queue(name, { ...options, ...queueTelemetry() });
    // The connection logs its own errors.
    queue.on('error', () => {});
    return queue;
  };
  const first = {
    alerts: open('alerts'),
    bursts: open('bursts'),
    outbox: open('outbox'),
    updates: open('updates'),
    actions: open('actions'),
    maintenance: open('maintenance'),
  };
  const all = queueNames.flatMap((name) =>
    shardsWith(name, shards).map((shard) => ({ name, shard, queue: shard === 0 ? first[name] : open(name, shard) })),
  );
  return {
    ...first,
    shards,
    all,
    of(name, key) {
      const shard = shardOf(key, shardsWith(name, shards).length);
      return all.find((one) => one.name === name && one.shard === shard)?.queue ?? first[name];
    },
  };
}

export async function closeQueues({ all }: Queues): Promise<void> {
  await Promise.all(all.map(({ queue }) => queue.close()));
}
