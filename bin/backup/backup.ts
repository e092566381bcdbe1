import { createReadStream, createWriteStream, lstatSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import {
  claimFormat,
  RESTORING,
  readFormat,
  readShards,
  whyUnreadable,
  writeFormat,
} from '../../src/app/stored-format.ts';
import { ConfigError, isFaultOfOurs } from '../../src/core/errors.ts';
import {
  intakeKey,
  outboxKey,
  QUEUE_PREFIX,
  queuePrefix,
  restoredKey,
  stateKey,
  webKeys,
  wholePrefixes,
} from '../../src/core/keys.ts';
import { errorLine } from '../../src/core/log.ts';
import { keyPrefixOf, programOf, type RedisClient } from '../../src/core/redis.ts';
import { readScript } from '../../src/core/redis-script.ts';
import { shardsOf } from '../../src/core/shards.ts';
import { splitLines } from '../../src/core/split-lines.ts';
import { version } from '../../src/core/version.ts';
import { claimantIn } from '../../src/holders/claim-store.ts';
import { createLinks } from '../../src/holders/link-store.ts';
import { seenKey } from '../../src/intake/intake.ts';
import { markFromBackup } from '../../src/limits/temporary-change-store.ts';
import { channelsKey } from '../../src/outbox/outbox-store.ts';
import { scanKeys } from '../scan-keys.ts';
import { removedAtEnd } from './removed-at-end.ts';

/**
 * A backup is a compressed file of lines: this header, one line per key, and their number, so that a truncated file is
 * noticed.
 */
const BackupHeader = z.strictObject({
  cardbell: z.literal('backup'),
  format: z.int(),
  version: z.string(),
  takenAt: z.iso.datetime(),
  /** The card program it belongs to. Empty: the first one. Older backups do not contain it. */
  program: z.string().optional(),
});
type BackupHeader = z.infer<typeof BackupHeader>;
const BackupKey = z.strictObject({
  key: z.string(),
  /** Milliseconds since 1970. 0: never expires. */
  expiresAt: z.int(),
  dump: z.base64(),
});
type BackupKey = z.infer<typeof BackupKey>;
const BackupEnd = z.strictObject({ keys: z.int() });

const dumpSource = readScript(new URL('./dump.lua', import.meta.url));

/**
 * Families of many independent records: read in pages, so that Redis can serve others in between. Everything else under
 * a hash tag belongs together and is read in one step.
 */
const readInPages: Readonly<Record<string, readonly string[]>> = {
  '{cardbell:state}:': [
    'alert:',
    'alerts-kept:',
    'messages',
    'history:',
    'purchases:',
    'group',
    'latest:',
    'decisions',
  ],
};
const ofOutboxInPages = ['sent:', 'batch:', 'thread:'];

/** The file that means standard output for a backup, and standard input for a restore. */
export const STANDARD_STREAM = '-';

/**
 * Writes everything that Cardbell has in Redis to a file, while it runs.
 *
 * Reads in the direction of the data flow: deduplication memory, inbox, queue, state, audit, outboxes. So data that
 * moves during the backup is in it twice, which every step can handle, and never missing. The file is either complete
 * or absent.
 *
 * @returns the number of keys.
 * @throws BackupError when there is nothing to back up, or the file exists already.
 */
export async function takeBackup(redis: RedisClient, file: string, now: () => Date): Promise<number> {
  if (!(await hasKeys(redis)))
    throw new BackupError(`Redis has no data of ${nameOf(programOf(redis))}: correct REDIS_URL or PROGRAM`);
  const keyPrefix = keyPrefixOf(redis);
  let keys = 0;
  async function* lines(): AsyncGenerator<string> {
    const format = await readFormat(redis);
    const header = { cardbell: 'backup', format, version, takenAt: now().toISOString(), program: programOf(redis) };
    yield lineOf(BackupHeader.parse(header));
    const shards = shardsOf(await readShards(redis));
    for (const shard of shards) {
      const [prefix, seen] = [intakeKey('', shard), seenKey('', shard)];
      // An event whose inbox entry is not in the backup must not be remembered as seen.
      yield* dump('page', seen);
      yield* dump('all', prefix, [seen]);
    }
    // A burst makes jobs for single events, in any shard; these make jobs that are only in shard 0.
    const bursts = (shard: number): string => `${queuePrefix(shard)}:bursts:`;
    for (const shard of shards) yield* dump('all', bursts(shard));
    for (const shard of shards.toReversed()) yield* dump('all', `${queuePrefix(shard)}:`, [bursts(shard)]);
    for (const prefix of wholePrefixes) yield* keysUnder(prefix, readInPages[prefix] ?? []);
    for (const channel of await redis.smembers(channelsKey)) yield* keysUnder(outboxKey(channel, ''), ofOutboxInPages);
    // Last: messages in a channel that is not in this set would never be posted.
    yield* dump('page', channelsKey);
    // Data that moves between shards during the backup may be in none of those that were read.
    if ((await readFormat(redis)) !== format)
      throw new Error('the stored data was moved, restored or upgraded during the backup: run it again');
    yield lineOf({ keys });
  }
  async function* keysUnder(prefix: string, families: readonly string[]): AsyncGenerator<string> {
    const paged = families.map((family) => `${prefix}${family}`);
    yield* dump('all', prefix, [...paged, channelsKey]);
    for (const family of paged) yield* dump('page', family);
  }
  async function* dump(mode: 'all' | 'page', prefix: string, except: readonly string[] = []): AsyncGenerator<string> {
    let cursor = '0';
    do {
      // ioredis prefixes only the key, so add the card program's prefix to the patterns here.
      const whole = [`${prefix}*`, ...except].map((key) => `${keyPrefix}${key}`);
      const args = [dumpSource.lua, 1, prefix, cursor, mode, ...whole] as const;
      const [next, ...dumped] = (await redis.callBuffer('EVAL', ...args)) as Buffer[];
      for (let index = 0; index < dumped.length; index += 3) {
        const [key, expiresAt, value] = dumped.slice(index, index + 3);
        keys += 1;
        yield lineOf({
          key: String(key).slice(keyPrefix.length),
          expiresAt: Number(expiresAt),
          dump: value?.toString('base64'),
        });
      }
      cursor = String(next);
    } while (cursor !== '0');
  }
  await writeWhole(file, lines());
  return keys;
}

async function writeWhole(file: string, lines: AsyncIterable<string>): Promise<void> {
  if (file === STANDARD_STREAM) return await pipeline(Readable.from(lines), createGzip(), process.stdout);
  // Also a device or a link: renaming a file to it would replace it.
  if (lstatSync(file, { throwIfNoEntry: false }) !== undefined)
    throw new BackupError(`${file} is there already: choose another name`);
  const unfinished = `${file}.unfinished`;
  const stop = removedAtEnd(unfinished);
  try {
    const output = createWriteStream(unfinished, { mode: 0o600, flush: true });
    await pipeline(Readable.from(lines), createGzip(), output);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    stop();
  }
}

const nameOf = (program: string): string => (program === '' ? 'the first card program' : `card program ${program}`);

const lineOf = (line: object): string => `${JSON.stringify(line)}\n`;

/** A backup that cannot be taken, or a file that is none or not a complete one. */
export class BackupError extends Error {}

/**
 * Reads a backup line by line: the header first, then each key.
 *
 * @throws BackupError when it is not a backup or is truncated.
 */
export async function* readBackup(
  file: string,
  open = (): Readable => createReadStream(file),
): AsyncGenerator<BackupHeader | BackupKey> {
  const unpacked = createGunzip();
  const input = open();
  const unreadable = new Set<unknown>();
  input.on('error', (error) => {
    unreadable.add(error);
    unpacked.destroy(error);
  });
  // The checksum of a damaged file is compared after the loop below has ended at a line that is no JSON.
  unpacked.on('error', () => undefined);
  let keys = 0;
  let isWhole = false;
  try {
    let isFirst = true;
    for await (const line of splitLines(input.pipe(unpacked).setEncoding('utf8'))) {
      const parsed: unknown = JSON.parse(line);
      if (isFirst) yield BackupHeader.parse(parsed);
      else if (BackupEnd.safeParse(parsed).data?.keys === keys) isWhole = true;
      else {
        keys += 1;
        yield BackupKey.parse(parsed);
      }
      isFirst = false;
    }
  } catch (error) {
    if (unreadable.has(error) && error instanceof Error)
      throw new BackupError(`${file} cannot be read: ${error.message}`, { cause: error });
    throw new BackupError(`${file} is not a backup of Cardbell, or is damaged`, { cause: error });
  }
  if (!isWhole) throw new BackupError(`${file} is cut off`);
}

/**
 * Entries that would change a card again although it may have happened after the backup, or that people may have decided
 * since: pending actions, requests and claims that wait for an approver, and open forms. People must ask again.
 */
const leftOut = [
  intakeKey('actions'),
  `${QUEUE_PREFIX}:actions:`,
  stateKey('requests-open'),
  stateKey('request:'),
  stateKey('claims-open'),
  stateKey('claim:'),
  stateKey('pending:'),
  // What was set since the backup must not count as what a late call has overwritten.
  stateKey('rule-writes:'),
  stateKey('rule-writes-pending'),
  // A delegate who was dismissed since the backup must not come back.
  stateKey('delegations'),
];

interface Restored {
  readonly takenAt: string;
  readonly keys: number;
}

/**
 * Restores a backup into a Redis without any Cardbell data. A process that is started before the restore is complete
 * exits with 78.
 *
 * @throws BackupError when the file cannot be used or Redis is not empty; ConfigError when this build cannot read it.
 * In both cases nothing was changed. BackupError also when Redis refuses a key, which leaves a part of the backup there.
 */
export async function restoreBackup(redis: RedisClient, file: string, now: () => Date): Promise<Restored> {
  const open = file === STANDARD_STREAM ? await openTwice(process.stdin) : undefined;
  const header = await checked(file, open);
  const why = whyUnreadable(header.format);
  if (why !== null) throw new ConfigError([why]);
  const [its = programOf(redis), own] = [header.program, programOf(redis)];
  // Both programs may have the same account under the same id.
  if (its !== own)
    throw new BackupError(
      `${file} is of ${nameOf(its)}, and PROGRAM says ${nameOf(own)}: correct PROGRAM. ${UNCHANGED}`,
    );
  if (await hasKeys(redis))
    throw new BackupError(`Redis is not empty: it has keys of Cardbell. Restore into an empty Redis. ${UNCHANGED}`);

  await writeFormat(redis, RESTORING);
  const restored = { takenAt: header.takenAt, keys: 0 };
  const claimants: NonNullable<ReturnType<typeof claimantIn>>[] = [];
  for await (const line of readBackup(file, open)) {
    if (!('key' in line) || line.key === stateKey('format')) continue;
    if (leftOut.some((prefix) => line.key.startsWith(prefix))) {
      if (line.key.startsWith(stateKey('claim:')))
        claimants.push(...(await claimantOf(redis, line, now, restored.keys)));
    } else if (await restoreKey(redis, line, now, restored.keys)) restored.keys += 1;
  }
  await markFromBackup(redis);
  // Nobody decides about their own card, also while their claim to it is left out.
  const { expectHolder } = createLinks(redis, now);
  for (const { acctId, userId } of claimants) await expectHolder(acctId, userId);
  // Messages may have been posted after the backup. It expires a while after the first start (`src/core/data-loss-window.ts`).
  await redis.set(restoredKey, Date.parse(header.takenAt));
  await writeFormat(redis, header.format);
  await claimFormat(redis, await readShards(redis));
  return restored;
}

/** Redis unpacks the claim, which does not stay. */
async function claimantOf(redis: RedisClient, line: BackupKey, now: () => Date, before: number) {
  if (!(await restoreKey(redis, line, now, before))) return [];
  const text = await redis.getdel(line.key);
  try {
    return [text === null ? null : claimantIn(text)].filter((one) => one !== null);
  } catch (error) {
    if (!isFaultOfOurs(error)) throw error;
    return [];
  }
}

const UNCHANGED = 'Nothing was changed.';

/** Keeps the compressed backup in memory, because standard input can only be read once. */
async function openTwice(input: Readable): Promise<() => Readable> {
  const whole = await buffer(input);
  return () => Readable.from([whole]);
}

/** Reads all of it first, so that a damaged file changes nothing. */
async function checked(file: string, open?: () => Readable): Promise<BackupHeader> {
  let header: BackupHeader | null = null;
  try {
    for await (const line of readBackup(file, open)) if (!('key' in line)) header = line;
  } catch (error) {
    throw error instanceof BackupError ? new BackupError(`${error.message}. ${UNCHANGED}`, { cause: error }) : error;
  }
  if (header === null) throw new BackupError(`${file} is empty. ${UNCHANGED}`);
  return header;
}

/**
 * A key may be in the backup twice; the later one wins.
 *
 * @param before how many keys were restored before it.
 */
async function restoreKey(redis: RedisClient, { key, expiresAt, dump }: BackupKey, now: () => Date, before: number) {
  if (expiresAt !== 0 && expiresAt <= now().getTime()) return false;
  await redis
    .restore(key, expiresAt, Buffer.from(dump, 'base64'), 'REPLACE', 'ABSTTL')
    .catch(async (error: unknown) => {
      if (!(error instanceof Error)) throw error;
      if (!error.message.includes('DUMP payload version'))
        throw new BackupError(
          `Redis did not take everything (${errorLine(error)}). It holds a part of the backup now: empty it before you try again`,
          { cause: error },
        );
      // Redis reports this at the first key. Then leave it as empty as it was.
      if (before === 0) await redis.del(stateKey('format'));
      throw new BackupError(
        'this Redis is older than the one that the backup is from: use the same version, or a newer one',
      );
    });
  return true;
}

/** The doctor's probe says nothing, and goes by itself. */
async function hasKeys(redis: RedisClient): Promise<boolean> {
  for await (const keys of scanKeys(redis, '{cardbell:*', 1000))
    if (keys.some((key) => key !== webKeys.probe)) return true;
  return false;
}
