import { ConfigError } from '../core/errors.ts';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import { type RedisClient, requireFittingAddress, STARTUP_WAIT_MS, whenReady } from '../core/redis.ts';
import { isRefused } from '../core/redis-refused.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { checkWhileOpen, createRepeatedCheck } from '../core/repeated-check.ts';
import { EX_CONFIG } from './config.ts';

/**
 * The format of everything stored in Redis. Increase it for a change that an older build would misread. New fields need
 * no new format, because each build passes on fields that it does not know.
 */
export const FORMAT = 4;
/** The first format that a release may have written. */
const FIRST_RELEASED = 4;
/** A build reads its own format and the two before it. */
const READS_BACK = 2;
const oldestRead = (format: number): number => Math.max(FIRST_RELEASED, format - READS_BACK);

/** Sharded data has the number of its shards in front: 1602 is format 2 in 16 shards. Builds without shards refuse it. */
const PER_SHARD = 100;
const withShards = (format: number, shards: number): number => (shards === 1 ? format : format + PER_SHARD * shards);
const shardsIn = (stored: number): number => Math.max(1, Math.floor(stored / PER_SHARD));

/** Stored as the format while a backup is restored: no build reads incomplete data. */
export const RESTORING = 999_999;
/** The same while `cardbell shards` moves data. */
export const MOVING = 999_998;

const formatKey = stateKey('format');
const claimSource = readScript(new URL('./claim-format.lua', import.meta.url));

/**
 * Stores this build's format and number of shards.
 *
 * @throws ConfigError when the stored data is newer than this build, too old for it, or has another number of shards.
 * In that case nothing is changed.
 */
export async function claimFormat(redis: RedisClient, shards = 1, format = FORMAT): Promise<void> {
  const own = [withShards(format, shards), oldestRead(format), format];
  const stored = Number(await defineScript(redis, claimSource).run([formatKey], own));
  const why = stored === 0 ? null : (whyUnreadable(stored, format) ?? whyOtherShards(shardsIn(stored), shards));
  if (why !== null) throw new ConfigError([why]);
}

/** Why a build cannot read a stored format, and what to do. Null when it can. */
export function whyUnreadable(stored: number, format = FORMAT): string | null {
  if (stored === RESTORING)
    return 'REDIS_URL: expected all of the data, but a backup is being restored, or its restore was cut off. Wait for it, or empty Redis and restore again. Nothing was changed.';
  if (stored === MOVING)
    return 'REDIS_URL: expected all of the data, but it is being moved to other shards, or that was cut off. Wait for it, or run cardbell shards again. Nothing was changed.';
  const its = stored % PER_SHARD;
  if (its > format)
    return `REDIS_URL: expected data that this build can read (format ${format} or older), but a newer Cardbell wrote format ${its}. Start that version again, or restore a backup that is older. Nothing was changed.`;
  if (its < FIRST_RELEASED)
    return `REDIS_URL: expected data of format ${oldestRead(format)} or newer, but it is format ${its}, from a build before the first release. Use another Redis, or start the build that wrote it. Nothing was changed.`;
  if (its < oldestRead(format))
    return `REDIS_URL: expected data of format ${oldestRead(format)} or newer, but it is format ${its}. Start a version in between first. Nothing was changed.`;
  return null;
}

/** Why a process with this number of shards cannot work on the stored data, and what to do. Null when it can. */
function whyOtherShards(stored: number, wanted: number): string | null {
  if (stored === wanted) return null;
  return `REDIS_SHARDS: expected ${stored}, the number of shards that the stored data has. Set it to ${stored}; or stop all processes, run cardbell shards with the number that you want, and start them again. Nothing was changed.`;
}

export const readFormat = async (redis: RedisClient): Promise<number> => Number((await redis.get(formatKey)) ?? FORMAT);

export const readShards = async (redis: RedisClient): Promise<number> => shardsIn(await readFormat(redis));

/** The same for a Redis. An empty one accepts any number at the first start. */
export async function whyNotShards(redis: RedisClient, wanted: number): Promise<string | null> {
  return (await redis.exists(formatKey)) === 0 ? null : whyOtherShards(await readShards(redis), wanted);
}

/** Records that the data is complete and has this number of shards. */
export const writeShards = (redis: RedisClient, shards: number): Promise<void> =>
  writeFormat(redis, withShards(FORMAT, shards));

export async function writeFormat(redis: RedisClient, format: number): Promise<void> {
  await redis.set(formatKey, format);
}

const refusedUser =
  'REDIS_URL: expected a Redis user with the rights of this process. Redis refuses a command to the user in this address. docs/install/README.md says which user each process needs. Nothing was changed.';

/**
 * Claims the format and the number of shards at startup. If Redis is down, the process starts anyway, and exits as soon
 * as Redis is back with data that this build cannot read, or refuses this user. It also exits if the data was moved to
 * other shards while it was asleep, which does not end a connection.
 *
 * @param mayWrite see {@link whyUnusable}.
 * @throws ConfigError as {@link claimFormat}, and when Redis refuses the user.
 */
export async function watchFormat(
  redis: RedisClient,
  shards: number,
  log: Log,
  mayWrite: readonly string[] = [],
): Promise<void> {
  let isUnread = false;
  // A failover or a restore may have brought other data.
  const check = createRepeatedCheck(() =>
    claim().catch((error: unknown) => {
      log.fatal({ err: error }, 'this process cannot use the stored data');
      process.exit(EX_CONFIG);
    }),
  );
  await whenReady(redis, STARTUP_WAIT_MS);
  if (redis.status === 'ready' && (await claim())) check.start();
  redis.on('ready', check.start);
  checkWhileOpen(redis, () => {
    readShards(redis).then(
      (stored) => stored !== shards && check.start(),
      () => {},
    );
  });

  /** @returns whether to try again. If Redis is down again, the next connection does. */
  async function claim(): Promise<boolean> {
    try {
      await requireFittingAddress(redis);
      await Promise.all(mayWrite.map((key) => redis.del(key)));
      await claimFormat(redis, shards);
      isUnread = false;
      return false;
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      if (isRefused(error)) throw new ConfigError([refusedUser]);
      if (!isUnread) log.warn({ err: error }, 'could not read the format of the stored data');
      isUnread = true;
      return redis.status === 'ready';
    }
  }
}
