import { kindTraits } from '../../src/core/event.ts';
import type { RedisClient } from '../../src/core/redis.ts';
import { readUnsentKinds } from '../../src/recovery/check-webhooks.ts';
import { createRecoveries } from '../../src/recovery/recovery-store.ts';
import type { Report } from './report.ts';

interface Options {
  readonly shards: number;
  readonly inTime: <T>(work: Promise<T>) => Promise<T>;
}

/** Names the kinds whose webhooks never arrive, although the card service lists their events. */
export async function checkWebhooks(redis: RedisClient, { shards, inTime }: Options, report: Report): Promise<void> {
  // The web process's user may not read this.
  const unsent = await inTime(readUnsentKinds(createRecoveries(redis, shards))).catch(() => []);
  for (const kind of unsent)
    report.note(
      `no webhook of ${kindTraits[kind].nouns[1]} has arrived in the last 30 days, although the card service lists some: unless you have no address for the kind ${kind} on purpose, correct it in the dashboard of the card service`,
    );
}
