import { Cluster, Redis } from 'ioredis';
import { ConfigError } from '../core/errors.ts';
import { intakeKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import { type RedisClient, STARTUP_WAIT_MS, serversOf, whenReady } from '../core/redis.ts';
import { createRepeatedCheck } from '../core/repeated-check.ts';

/** `redis`: as durable as Redis' settings. `disk`: a 200 response means that the webhook is on disk. */
type Durability = 'redis' | 'disk';

/** Settings of a server. Null when it does not report them, as with some managed servers. */
export interface RedisSettings {
  readonly version: string;
  readonly policy: string | null;
  readonly isAppendOnly: boolean | null;
  readonly fsync: string | null;
}

/** How to wait for the disk: not at all, because Redis syncs before each answer, or by asking after each write. */
export type DiskWait = 'none' | 'fsync-always' | 'waitaof';

/** Of each server. */
export const readSettings = (redis: RedisClient): Promise<RedisSettings[]> =>
  Promise.all(serversOf(redis).map(settingsOf));

async function settingsOf(node: Redis): Promise<RedisSettings> {
  const info = (await Promise.all(['server', 'memory', 'persistence'].map((part) => node.info(part)))).join('\n');
  const said = (name: string): string | null => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1] ?? null;
  const set = async (name: string): Promise<string | null> => {
    const answer = (await node.config('GET', name).catch(() => null)) as string[] | null;
    return answer?.[1] ?? null;
  };
  const appendOnly = said('aof_enabled');
  return {
    version: said('redis_version') ?? '0',
    policy: said('maxmemory_policy') ?? (await set('maxmemory-policy')),
    isAppendOnly: appendOnly === null ? null : appendOnly === '1',
    fsync: await set('appendfsync'),
  };
}

interface SettingsProblem {
  /** False when Redis does not report the setting. */
  readonly isCertain: boolean;
  readonly what: string;
  readonly todo: string;
}

/** Settings that can lose acknowledged events in other ways than a power failure within a second. */
export function problemsOf(settings: readonly RedisSettings[]): SettingsProblem[] {
  const problems = new Map<string, SettingsProblem>();
  const add = (what: string, todo: string, isCertain = true) => problems.set(what, { isCertain, what, todo });
  for (const { policy, isAppendOnly, fsync } of settings) {
    if (policy === null) add('Redis does not report its maxmemory-policy', 'make sure that it is noeviction', false);
    else if (policy !== 'noeviction')
      add(
        `maxmemory-policy is ${policy}: events can be evicted when memory is short`,
        'set maxmemory-policy noeviction',
      );
    if (isAppendOnly === null)
      add('Redis does not report whether it keeps an append-only file', 'make sure that appendonly is on', false);
    else if (!isAppendOnly) add('appendonly is off: a restart of Redis loses events', 'set appendonly yes');
    else if (fsync === 'no')
      add('appendfsync is no: a power failure loses up to half a minute', 'set appendfsync everysec or always');
  }
  return [...problems.values()];
}

/**
 * How to make sure that a write is on disk.
 *
 * @throws ConfigError when `disk` is configured and these servers cannot do it.
 */
export function diskWaitOf(wanted: Durability, settings: readonly RedisSettings[], isCluster: boolean): DiskWait {
  if (wanted === 'redis') return 'none';
  if (settings.every(({ isAppendOnly, fsync }) => isAppendOnly === true && fsync === 'always')) return 'fsync-always';
  const canAsk = settings.every(({ isAppendOnly, version }) => isAppendOnly === true && isAtLeast(version, 7, 2));
  if (canAsk && !isCluster) return 'waitaof';
  const versions = [...new Set(settings.map(({ version }) => version))].join(', ');
  throw new ConfigError([
    `REDIS_DURABILITY: disk needs Redis with appendonly yes and appendfsync always, or one server from version 7.2; this is ${versions}${isCluster ? ', a cluster' : ''}, and its appendfsync could not be seen to be always`,
  ]);
}

/** Redis syncs once a second, and sometimes takes twice as long. Shorter than the command timeout (`core/redis.ts`). */
export const SYNC_WITHIN_MS = 1900;

/** Whether the disk has a write in time, and so everything that this connection wrote before. */
export async function syncedWrite(redis: Pick<RedisClient, 'set' | 'call'>, maxWaitMs = SYNC_WITHIN_MS) {
  const [, synced] = await Promise.all([
    redis.set(intakeKey('on-disk'), '1'),
    redis.call('WAITAOF', 1, 0, maxWaitMs) as Promise<unknown[]>,
  ]);
  return Number(synced[0]) > 0;
}

/** The next sync comes at the earliest a second after the last one. An earlier answer cannot be true. */
const TOO_SOON_MS = 300;
const ROUNDS = 3;

/**
 * Whether a server that syncs once a second reports a write as synced too early.
 *
 * Redis 7.4 and its relatives do (https://github.com/redis/redis/pull/13793), under several version numbers, so we test
 * it: a second write right after a sync has to wait for the next sync.
 */
export async function answersTooSoon(redis: Pick<RedisClient, 'set' | 'call'>): Promise<boolean> {
  for (let round = 0; round < ROUNDS; round += 1) {
    // On a slow disk, a sync may take so long that the next one is already due.
    if (!(await syncedWrite(redis)) || !(await syncedWrite(redis, TOO_SOON_MS))) return false;
  }
  return true;
}

function isAtLeast(version: string, major: number, minor: number): boolean {
  const [ownMajor = 0, ownMinor = 0] = version.split('.').map(Number);
  return ownMajor > major || (ownMajor === major && ownMinor >= minor);
}

/** @throws ConfigError as {@link diskWaitOf}, and when a server answers before its disk can have a write. */
export async function checkedDiskWait(
  redis: RedisClient,
  wanted: Durability,
  settings: readonly RedisSettings[],
): Promise<DiskWait> {
  const wait = diskWaitOf(wanted, settings, redis instanceof Cluster);
  if (wait === 'waitaof' && redis instanceof Redis && (await isLying(redis))) throw new ConfigError([cannotBeTrusted]);
  return wait;
}

const cannotBeTrusted =
  'REDIS_DURABILITY: disk needs a Redis whose WAITAOF waits, and this one answers before its disk can have the write (https://github.com/redis/redis/pull/13793): set appendfsync always, or update Redis';

/**
 * Checks Redis' settings at startup and whenever the connection comes back, because a restart may have changed them. While
 * `disk` is not available, it checks again and again, because all webhooks are refused.
 *
 * @param options.onProblems called once for each set of problems.
 * @returns how to wait for the disk; null while `disk` is configured but not (yet) available.
 * @throws ConfigError when `disk` is configured and Redis cannot do it at startup.
 */
export async function watchDurability(
  redis: RedisClient,
  options: {
    wanted: Durability;
    log: Log;
    onProblems?: (problems: readonly SettingsProblem[]) => Promise<void>;
  },
): Promise<() => DiskWait | null> {
  const { wanted, log, onProblems } = options;
  let wait: DiskWait | null = wanted === 'redis' ? 'none' : null;
  let known = '';
  let failure = '';
  const read = async (): Promise<void> => {
    if (wanted === 'disk') wait = null;
    const settings = await readSettings(redis);
    await notify(settings);
    wait = await checkedDiskWait(redis, wanted, settings);
    failure = '';
  };
  const { start } = createRepeatedCheck(async () => {
    try {
      await read();
      return false;
    } catch (error) {
      // One line per cause, not per attempt.
      if (String(error) !== failure)
        log.error(
          { err: error },
          wanted === 'disk' ? 'cannot wait for the disk of redis' : 'the settings of redis could not be read',
        );
      failure = String(error);
      return wait === null && redis.status === 'ready';
    }
  });

  if (wanted === 'disk') {
    await whenReady(redis, STARTUP_WAIT_MS);
    if (redis.status === 'ready')
      await read().catch((error: unknown) => {
        if (error instanceof ConfigError) throw error;
        start();
      });
  } else if (redis.status === 'ready') {
    start();
  }
  redis.on('ready', start);
  return () => wait;

  async function notify(settings: readonly RedisSettings[]): Promise<void> {
    const problems = problemsOf(settings);
    const text = JSON.stringify(problems);
    if (text === known) return;
    known = text;
    for (const { what, todo } of problems) log.warn({ what, todo }, 'redis settings can lose events');
    if (problems.length > 0) await onProblems?.(problems);
  }
}

/** Uses its own connection, because waiting for the disk blocks a connection for seconds. */
async function isLying(redis: Redis): Promise<boolean> {
  const asking = redis.duplicate({ enableOfflineQueue: true });
  asking.on('error', () => {
    // The call fails, and the first connection logs why.
  });
  try {
    return await answersTooSoon(asking);
  } finally {
    asking.disconnect();
  }
}
