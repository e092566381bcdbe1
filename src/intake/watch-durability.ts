import { Cluster, Redis } from 'ioredis';
import { ConfigError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { type RedisClient, whenReady } from '../core/redis.ts';
import {
  answersTooSoon,
  type DiskWait,
  type Durability,
  diskWaitOf,
  problemsOf,
  type RedisSettings,
  readSettings,
  type SettingsProblem,
} from './durability.ts';

/** How long a start waits for Redis to tell its settings. */
const FIRST_LOOK_MS = 1500;

const cannotBeTrusted =
  'REDIS_DURABILITY: disk needs a Redis whose WAITAOF waits, and this one answers before its disk can have the write (https://github.com/redis/redis/pull/13793): set appendfsync always, or update Redis';

export interface DurabilityWatch {
  /** How the disk is waited for; null while `disk` is asked for and not, or not yet, to be had. */
  diskWait(): DiskWait | null;
}

/**
 * Looks at Redis' settings at the start and whenever the connection comes back: a restart may have changed them.
 *
 * @param options.onProblems told once for each set of problems.
 * @throws ConfigError when `disk` is asked for and Redis, at the start, says that it cannot.
 */
export async function watchDurability(
  redis: RedisClient,
  options: {
    wanted: Durability;
    log: Log;
    onProblems?: (problems: readonly SettingsProblem[]) => Promise<void>;
  },
): Promise<DurabilityWatch> {
  const { wanted, log, onProblems } = options;
  let wait: DiskWait | null = wanted === 'redis' ? 'none' : null;
  let known = '';
  const look = async (): Promise<void> => {
    if (wanted === 'disk') wait = null;
    const settings = await readSettings(redis);
    await notify(settings);
    const found = diskWaitOf(wanted, settings, redis instanceof Cluster);
    if (found === 'waitaof' && redis instanceof Redis && (await isLying(redis)))
      throw new ConfigError([cannotBeTrusted]);
    wait = found;
  };
  const lookAgain = (): void => {
    look().catch((error: unknown) => {
      log.error({ err: error }, wanted === 'disk' ? 'the disk cannot be waited for' : 'redis settings not read');
    });
  };

  if (wanted === 'disk') {
    await whenReady(redis, FIRST_LOOK_MS);
    if (redis.status === 'ready') await look();
  } else if (redis.status === 'ready') {
    lookAgain();
  }
  redis.on('ready', lookAgain);
  return { diskWait: () => wait };

  async function notify(settings: readonly RedisSettings[]): Promise<void> {
    const problems = problemsOf(settings);
    const text = JSON.stringify(problems);
    if (text === known) return;
    known = text;
    for (const { what, todo } of problems) log.warn({ what, todo }, 'redis settings can lose events');
    if (problems.length > 0) await onProblems?.(problems);
  }
}

/** Asked by a connection of its own: a question about the disk holds up for seconds whatever comes behind it. */
async function isLying(redis: Redis): Promise<boolean> {
  const asking = redis.duplicate({ enableOfflineQueue: true });
  asking.on('error', () => {
    // The question fails, and the first connection says why.
  });
  try {
    return await answersTooSoon(asking);
  } finally {
    asking.disconnect();
  }
}
