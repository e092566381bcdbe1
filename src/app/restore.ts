import { ConfigError } from '../core/errors.ts';
import { intakeKey, QUEUE_PREFIX, restoredKey, stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { BackupError, type BackupHeader, type BackupKey, readBackup } from './backup.ts';
import { claimFormat, RESTORING, whyUnreadable, writeFormat } from './stored-format.ts';

/** How long every message is looked for in its channel before it is posted: it may have been posted after the backup. */
const DOUBT_MS = 30 * 60_000;

/**
 * What would change a card once more, though it may have been done after the backup: what people had asked for, what
 * waits for an approval, and forms that are open. People ask again.
 */
const leftOut = [
  intakeKey('actions'),
  `${QUEUE_PREFIX}:actions:`,
  stateKey('requests-open'),
  stateKey('request:'),
  stateKey('pending:'),
  // A delegate who was dismissed since must not come back.
  stateKey('delegations'),
];

interface Restored {
  readonly takenAt: string;
  readonly keys: number;
  /** How many were not restored, because they could repeat an action. */
  readonly leftOut: number;
}

/**
 * Puts a backup into a Redis that has nothing of Cardbell's. A process that is started before it is complete ends with 78.
 *
 * @throws BackupError when the file cannot be used, or Redis is not empty; ConfigError when this build cannot read it.
 * Nothing was changed then.
 */
export async function restoreBackup(redis: RedisClient, file: string, now: () => Date): Promise<Restored> {
  const header = await checked(file);
  const why = whyUnreadable(header.format);
  if (why !== null) throw new ConfigError([why]);
  if (await hasKeys(redis)) throw new BackupError('Redis is not empty: it has keys of Cardbell');

  await writeFormat(redis, RESTORING);
  const restored = { takenAt: header.takenAt, keys: 0, leftOut: 0 };
  for await (const line of readBackup(file)) {
    if (!('key' in line) || line.key === stateKey('format')) continue;
    if (leftOut.some((prefix) => line.key.startsWith(prefix))) restored.leftOut += 1;
    else if (await restoreKey(redis, line, now, restored.keys)) restored.keys += 1;
  }
  await redis.set(restoredKey, Date.parse(header.takenAt), 'PX', DOUBT_MS);
  await writeFormat(redis, header.format);
  await claimFormat(redis);
  return restored;
}

/** Reads all of it, so that a damaged file changes nothing. */
async function checked(file: string): Promise<BackupHeader> {
  let header: BackupHeader | null = null;
  for await (const line of readBackup(file)) if (!('key' in line)) header = line;
  if (header === null) throw new BackupError(`${file} is empty`);
  return header;
}

/**
 * A key may be in the backup twice: the later one counts.
 *
 * @param before how many keys were restored before it.
 */
async function restoreKey(redis: RedisClient, { key, expiresAt, dump }: BackupKey, now: () => Date, before: number) {
  if (expiresAt !== 0 && expiresAt <= now().getTime()) return false;
  await redis
    .restore(key, expiresAt, Buffer.from(dump, 'base64'), 'REPLACE', 'ABSTTL')
    .catch(async (error: unknown) => {
      if (!(error instanceof Error && error.message.includes('DUMP payload version'))) throw error;
      // Redis says so at the first key, and is then left as empty as it was.
      if (before === 0) await redis.del(stateKey('format'));
      throw new BackupError(
        'this Redis is older than the one that the backup is from: use the same version, or a newer one',
      );
    });
  return true;
}

async function hasKeys(redis: RedisClient): Promise<boolean> {
  const nodes = 'nodes' in redis ? redis.nodes('master') : [redis];
  for (const node of nodes) {
    for await (const keys of node.scanStream({ match: '{cardbell:*', count: 1000 }) as AsyncIterable<string[]>)
      if (keys.length > 0) return true;
  }
  return false;
}
