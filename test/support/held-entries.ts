import { outboxKey } from '../../src/core/keys.ts';
import type { RedisClient } from '../../src/core/redis.ts';
import { type OutboxEntry, parseEntry } from '../../src/outbox/entry.ts';

/** The entries that quiet hours hold in a channel, and until when (ms), soonest first. */
export async function heldIn(redis: RedisClient, channel: string): Promise<{ entry: OutboxEntry; untilMs: number }[]> {
  const held = [];
  for (const id of await redis.zrange(outboxKey(channel, 'held'), '0', '-1')) {
    const entry = parseEntry(id, (await redis.hget(outboxKey(channel, 'entries'), id)) ?? '');
    if ('unreadable' in entry) throw new Error(`the held entry ${id} cannot be read`);
    held.push({ entry, untilMs: Number(await redis.zscore(outboxKey(channel, 'held'), id)) });
  }
  return held;
}
