import type { Redis } from 'ioredis';
import { readShards } from '../src/app/stored-format.ts';
import { intakeKey, queuePrefix } from '../src/core/keys.ts';
import { type QueueName, shardsWith } from '../src/core/queues.ts';
import { shardsOf } from '../src/core/shards.ts';
import { inboxKeys } from '../src/intake/intake.ts';

/** Entries that no worker has taken: webhooks of all shards, and people's requests. */
export async function countInbox(redis: Redis): Promise<number> {
  const webhooks = shardsOf(await readShards(redis)).map((shard) => intakeKey('webhooks', shard));
  return sum(await Promise.all([...webhooks, inboxKeys.actions].map((key) => redis.xlen(key))));
}

/**
 * Unfinished jobs of these queues, in all shards. BullMQ's own count would need several times the commands, and the
 * benchmark counts commands.
 *
 * @param delayedUntilMs jobs delayed for longer are not counted.
 */
export async function countJobs(
  redis: Redis,
  names: readonly QueueName[],
  delayedUntilMs = Number.POSITIVE_INFINITY,
): Promise<number> {
  const shards = await readShards(redis);
  const queues = names.flatMap((name) => shardsWith(name, shards).map((shard) => `${queuePrefix(shard)}:${name}`));
  const counts = queues.flatMap((queue) => [
    redis.llen(`${queue}:wait`),
    redis.llen(`${queue}:active`),
    redis.zcard(`${queue}:prioritized`),
    // BullMQ keeps the time in the upper bits.
    redis.zcount(`${queue}:delayed`, 0, delayedUntilMs === Number.POSITIVE_INFINITY ? '+inf' : delayedUntilMs * 0x1000),
  ]);
  return sum(await Promise.all(counts));
}

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
