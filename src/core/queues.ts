import { Queue } from 'bullmq';
import { queuePrefix } from './keys.ts';
import { keyPrefixOf, type RedisClient, withoutKeyPrefix } from './redis.ts';
import { shardOf, shardsOf } from './shards.ts';
import { queueTelemetry } from './trace.ts';

/**
 * Separate queues, so that jobs waiting in one do not hold up the others. Jobs in `bursts` each hold several events; a
 * build that does not know them leaves that queue alone.
 */
export const queueNames = ['alerts', 'bursts', 'outbox', 'updates', 'actions', 'maintenance'] as const;
export type QueueName = (typeof queueNames)[number];

/** The shards that have this queue: all shards for queues that carry events, otherwise only the first. */
export const shardsWith = (name: QueueName, shards: number): number[] =>
  shardsOf(name === 'alerts' || name === 'bursts' ? shards : 1);

interface OpenQueue {
  readonly name: QueueName;
  readonly shard: number;
  readonly queue: Queue;
}

/** Queues by name; these are shard 0's. */
export type Queues = Readonly<Record<QueueName, Queue>> & {
  /** The connection for workers, and the key prefix of a shard's queues. */
  readonly connection: RedisClient;
  readonly prefixOf: (shard: number) => string;
  /** The connection was opened for the queues alone. */
  readonly isOwnConnection: boolean;
  readonly shards: number;
  /** The queues of all shards. */
  readonly all: readonly OpenQueue[];
  /** The queue that holds jobs with this key. */
  of(name: QueueName, key: string): Queue;
};

/**
 * Opens every queue to add and inspect jobs. The worker runs them.
 *
 * @param onlyLook writes nothing; otherwise opening a queue creates its key.
 */
export function openQueues(redis: RedisClient, shards = 1, { onlyLook = false } = {}): Queues {
  const keyPrefix = keyPrefixOf(redis);
  // BullMQ adds the prefix itself and rejects a connection that has one.
  const client = keyPrefix === '' ? redis : withoutKeyPrefix(redis);
  const prefixOf = (shard: number): string => `${keyPrefix}${queuePrefix(shard)}`;
  const open = (name: QueueName, shard = 0): Queue => {
    const prefix = prefixOf(shard);
    const options = { connection: client, prefix, skipVersionCheck: true, skipMetasUpdate: onlyLook };
    const queue = new Queue(name, { ...options, ...queueTelemetry() });
    // The connection logs its own errors.
    queue.on('error', () => {});
    return queue;
  };
  const first = Object.fromEntries(queueNames.map((name) => [name, open(name)])) as Record<QueueName, Queue>;
  const all = queueNames.flatMap((name) =>
    shardsWith(name, shards).map((shard) => ({ name, shard, queue: shard === 0 ? first[name] : open(name, shard) })),
  );
  return {
    ...first,
    connection: client,
    isOwnConnection: client !== redis,
    prefixOf,
    shards,
    all,
    of(name, key) {
      const shard = shardOf(key, shardsWith(name, shards).length);
      return all.find((one) => one.name === name && one.shard === shard)?.queue ?? first[name];
    },
  };
}

export async function closeQueues({ all, connection, isOwnConnection }: Queues): Promise<void> {
  await Promise.all(all.map(({ queue }) => queue.close()));
  if (isOwnConnection) connection.disconnect();
}
