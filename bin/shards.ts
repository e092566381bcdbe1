import './unexpected-error.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { EX_CONFIG } from '../src/app/config.ts';
import { MOVING, readFormat, readShards } from '../src/app/stored-format.ts';
import type { RedisClient } from '../src/core/redis.ts';
import { isRefused } from '../src/core/redis-refused.ts';
import { SHARDS_MAX } from '../src/core/shards.ts';
import { countOf } from '../templates/core/blocks.ts';
import { endMisused, readArguments, requireNoMore } from './arguments.ts';
import { commandConfig, reachRedis } from './reach-redis.ts';
import { lastBeat } from './shards/last-beat.ts';
import { moveToShards } from './shards/move-shards.ts';

const usage = `Splits webhooks, their stored state and their jobs into shards, which a Redis Cluster spreads over its nodes.

  cardbell shards         how many there are
  cardbell shards N       moves the stored data to N shards, from 1 to ${SHARDS_MAX}
  npm run shards -- N     the same, with the variables of .env

Stop all web and worker processes first; start them afterwards with REDIS_SHARDS=N. If it was interrupted, run it again.
Reads the worker's REDIS_URL. Exit code: 0 when it is done, 1 when a process still runs (nothing was changed), 64 for a
wrong command line, 69 when Redis does not answer, 78 for a variable that is bad, a user that Redis refuses, or data that
this version cannot read.
`;
const LOOK_MS = 500;

const command = { name: 'shards', usage };
const [wanted, ...more] = readArguments(command, {}).positionals;
const isNumber = wanted !== undefined && /^[1-9]\d?$/.test(wanted) && Number(wanted) <= SHARDS_MAX;
if (wanted !== undefined && !isNumber)
  endMisused(command, `expected a number of shards from 1 to ${SHARDS_MAX}, not ${wanted}`);
requireNoMore(command, wanted ?? 'shards', more);

/** Waits until it is certain whether a process runs. */
async function isSomeProcessRunning(redis: RedisClient): Promise<boolean> {
  const first = await lastBeat(redis);
  if (first !== null) process.stderr.write('Waiting up to 45 s to see that no process runs.\n');
  for (let last = first; last !== null; last = await lastBeat(redis)) {
    if (last > (first ?? 0)) return true;
    await sleep(LOOK_MS);
  }
  return false;
}

async function move(redis: RedisClient, shards: number): Promise<number> {
  if (await isSomeProcessRunning(redis)) {
    process.stderr.write('A web or worker process still runs: stop all of them first. Nothing was changed.\n');
    return 1;
  }
  const { entries, jobs, seen } = await moveToShards(redis, shards);
  process.stdout.write(
    `Moved ${countOf(entries, 'waiting webhook')}, ${countOf(jobs, 'job')} and the memory of ${countOf(seen, 'webhook')}.\n`,
  );
  process.stdout.write(`Start web and worker now, with REDIS_SHARDS=${shards}.\n`);
  return 0;
}

const redis = await reachRedis('shards', commandConfig(), {
  isMove: wanted !== undefined,
  ...(wanted === undefined
    ? {}
    : { ifLost: 'If the move has begun, web and worker do not start until it is done: run it again.' }),
});
try {
  if (wanted === undefined) process.stdout.write(`${await readShards(redis)}\n`);
  else process.exitCode = await move(redis, Number(wanted));
} catch (error) {
  if (!isRefused(error) || (await readFormat(redis)) !== MOVING) throw error;
  process.stderr.write(
    "Redis refuses this user or password. The move is not finished, and web and worker do not start until it is: run it again with the worker's REDIS_URL.\n",
  );
  process.exitCode = EX_CONFIG;
} finally {
  redis.disconnect();
}
