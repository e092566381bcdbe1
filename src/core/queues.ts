import { type ConnectionOptions, Queue } from 'bullmq';
import { queuePrefix } from './keys.ts';
import { keyPrefixOf, type RedisClient, withoutKeyPrefix } from './redis.ts';
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
  /** The connection for those who work on them, and what their names in Redis begin with in a shard. */
  readonly connection: RedisClient;
  readonly prefixOf: (shard: number) => string;
  /** It was opened for them alone. */
  readonly isOwnConnection: boolean;
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
  const keyPrefix = keyPrefixOf(redis);
  // BullMQ puts its prefix in front itself, and refuses a connection that does.
  const client = keyPrefix === '' ? redis : withoutKeyPrefix(redis);
  const prefixOf = (shard: number): string => `${keyPrefix}${queuePrefix(shard)}`;
  const open = (name: QueueName, shard = 0): Queue => {
    const connection = client as ConnectionOptions;
    const prefix = prefixOf(shard);
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
