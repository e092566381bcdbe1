import { cardClientOf } from '../../src/app/card-client.ts';
import { missedRows } from '../../src/app/compose-recovery.ts';
import type { WorkerConfig } from '../../src/app/config.ts';
import type { QuarantinedWebhook, TransactionEvent } from '../../src/core/event.ts';
import type { Log } from '../../src/core/log.ts';
import type { RedisClient } from '../../src/core/redis.ts';
import { createRecoverGap } from '../../src/recovery/recover-gap.ts';
import {
  createCountNew,
  createUnreportedOnly,
  type Recoveries,
  RecoveryProgress,
} from '../../src/recovery/recovery-store.ts';

/**
 * Counts what would be recovered. Has nothing that could write: a refused token is reported to nobody but the caller.
 *
 * @throws CardApiError
 */
export function composeDryRun(config: WorkerConfig, redis: RedisClient, now: () => Date, log: Log) {
  const card = cardClientOf(config, { now, log });
  const rows = missedRows({ redis, config, card, assumptions: config.cardApiAssumptions, now, log });
  return createRecoverGap({ ...rows, ...createDryRun(config, redis, now), recoverStatuses: async () => 0 });
}

/** Replaces the intake and the progress store: counts what would be recovered, and stores nothing. */
export function createDryRun({ redisShards }: Pick<WorkerConfig, 'redisShards'>, redis: RedisClient, now: () => Date) {
  const countNew = createCountNew(redis, redisShards);
  const unreportedOnly = createUnreportedOnly(redis, now);
  let progress = RecoveryProgress.parse({});
  const recoveries: Recoveries = {
    read: async () => progress,
    async write(_gapId, written) {
      progress = { ...progress, ...written };
    },
    finish: async (_gap, written) => recoveries.write('', written),
  };
  const intake = {
    async take(_gapId: string, events: readonly TransactionEvent[], isUnsent: (event: TransactionEvent) => boolean) {
      const unreported = await unreportedOnly(events);
      const count = await countNew(unreported);
      const unsent = await countNew(unreported.filter(isUnsent));
      progress = { ...progress, recovered: progress.recovered + count, unsent: progress.unsent + unsent };
      return count;
    },
    async quarantineRows(_gapId: string, rows: readonly QuarantinedWebhook[]) {
      const count = await countNew(rows);
      progress = { ...progress, unreadable: progress.unreadable + count };
      return count;
    },
  };
  return { recoveries, intake };
}
