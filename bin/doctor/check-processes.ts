import type { RedisClient } from '../../src/core/redis.ts';
import { countOf } from '../../templates/core/blocks.ts';
import { readBeats } from '../shards/last-beat.ts';
import type { Report } from './report.ts';

/** Three of its beats. */
const WEB_SILENT_MS = 15_000;

/**
 * Whether web and worker use this Redis, wherever they run.
 *
 * @returns whether a worker does.
 */
export async function checkProcesses(redis: RedisClient, report: Report): Promise<boolean> {
  const { webMs, workersMs, nowMs } = await readBeats(redis);
  const todo = 'start it; if it runs, read its log, and compare its REDIS_URL';
  if (nowMs - webMs < WEB_SILENT_MS) report.ok('web uses this Redis');
  else report.fix('no web process uses this Redis: webhooks, commands and clicks do not arrive', todo);
  if (workersMs.length > 0) report.ok(`${countOf(workersMs.length, 'worker')} on this Redis`);
  else report.fix('no worker uses this Redis: alerts are not posted, and commands and clicks do nothing', todo);
  return workersMs.length > 0;
}
