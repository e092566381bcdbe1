import { Redis } from 'ioredis';
import { startRedis } from '../local/redis.ts';
import { intakeKey } from '../src/core/keys.ts';
import { createIntake, inboxKeys } from '../src/intake/intake.ts';
import { row, table } from './report.ts';
import { declineBody } from './sample.ts';
import { stopRedis, takeAll } from './worker.ts';

/** Redis' memory per waiting and per remembered event, and the cost of one more, as the memory grows. */
export async function benchMemory(sizes: readonly number[]): Promise<void> {
  const server = await startRedis();
  const redis = new Redis(server.url);
  const intake = createIntake(redis, { deadlineMs: 30_000 });
  const used = async (): Promise<number> => Number(/used_memory:(\d+)/.exec(await redis.info('memory'))?.[1] ?? 0);
  await redis.ping();
  const empty = await used();
  const rows: (readonly string[])[] = [];
  let sequence = 0;
  for (const size of sizes) {
    let lastMs = 0;
    while (sequence < size) {
      const chunk = Math.min(2000, size - sequence);
      const startedAt = performance.now();
      await takeAll(
        intake,
        Array.from({ length: chunk }, () => {
          sequence += 1;
          return declineBody(sequence);
        }),
      );
      lastMs = (performance.now() - startedAt) / chunk;
      // Waiting events are measured separately: normally the worker would have taken them long ago.
      if (sequence < size || size > 10_000) await redis.del(inboxKeys.webhooks);
    }
    const waiting = await redis.xlen(inboxKeys.webhooks);
    const withWaiting = await used();
    await redis.del(inboxKeys.webhooks);
    const remembered = (await used()) - empty;
    rows.push(
      row(size.toLocaleString('en-US'), [
        (remembered / 1e6).toFixed(1),
        Math.round(remembered / size).toString(),
        waiting === 0 ? '' : Math.round((withWaiting - remembered - empty) / waiting).toString(),
        (lastMs * 1000).toFixed(0),
      ]),
    );
  }
  if ((await redis.exists(intakeKey('webhooks'))) !== 0) throw new Error('the inbox should be empty');
  table('Memory of events in Redis', ['MB', 'bytes each', 'bytes each waiting', 'µs for one more'], rows);
  await stopRedis(redis, server);
}
