import { createReadStream, createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { z } from 'zod';
import { keyPrefixes, outboxKey, stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { readScript } from '../core/redis-script.ts';
import { version } from '../core/version.ts';
import { readFormat } from './stored-format.ts';

/** A backup is a compressed file of lines: this one, one for each key, and how many there were, so that none is cut off. */
export const BackupHeader = z.strictObject({
  cardbell: z.literal('backup'),
  format: z.int(),
  version: z.string(),
  takenAt: z.iso.datetime(),
});
export type BackupHeader = z.infer<typeof BackupHeader>;
const BackupKey = z.strictObject({
  key: z.string(),
  /** Milliseconds since 1970; 0: it does not expire. */
  expiresAt: z.int(),
  dump: z.base64(),
});
export type BackupKey = z.infer<typeof BackupKey>;
const BackupEnd = z.strictObject({ keys: z.int() });

const dumpSource = readScript(new URL('./dump.lua', import.meta.url));

/**
 * Families of many records, each of which stands for itself: they are read in pages, so that Redis answers others in
 * between. Everything else under a tag belongs together and is read at one moment.
 */
const readInPages: Readonly<Record<string, readonly string[]>> = {
  '{cardbell:in}:': ['seen:'],
  '{cardbell:state}:': ['alert:', 'messages', 'event-log:', 'history:', 'purchases:', 'group', 'latest:', 'decisions'],
};
/** The channels that have an outbox. */
const channelsKey = stateKey('outbox-channels');
const ofOutboxInPages = ['sent:', 'batch:', 'thread:'];

/**
 * Writes everything that Cardbell has in Redis to a file, while it runs.
 *
 * What work comes from is read before what it goes to: the memory for duplicates, inbox, queue, state, audit, outboxes.
 * So what moves on meanwhile is in the backup twice, which every step is made for, never missing. The file is complete or
 * is not there.
 *
 * @returns how many keys there are.
 */
export async function takeBackup(redis: RedisClient, file: string, now: () => Date): Promise<number> {
  const unfinished = `${file}.unfinished`;
  let keys = 0;
  async function* lines(): AsyncGenerator<string> {
    const header = { cardbell: 'backup', format: await readFormat(redis), version, takenAt: now().toISOString() };
    yield lineOf(BackupHeader.parse(header));
    for (const prefix of keyPrefixes) yield* keysUnder(prefix, readInPages[prefix] ?? []);
    for (const channel of await redis.smembers(channelsKey)) yield* keysUnder(outboxKey(channel, ''), ofOutboxInPages);
    // Last: nobody would post what waits in a channel that is not among them.
    yield* dump('page', channelsKey);
    yield lineOf({ keys });
  }
  async function* keysUnder(prefix: string, families: readonly string[]): AsyncGenerator<string> {
    const paged = families.map((family) => `${prefix}${family}`);
    // An event whose inbox entry is not in the backup must not be remembered as taken.
    const isFirst = prefix === keyPrefixes[0];
    if (isFirst) for (const family of paged) yield* dump('page', family);
    yield* dump('all', prefix, [...paged, channelsKey]);
    if (!isFirst) for (const family of paged) yield* dump('page', family);
  }
  async function* dump(mode: 'all' | 'page', prefix: string, leftOut: readonly string[] = []): AsyncGenerator<string> {
    let cursor = '0';
    do {
      const args = [dumpSource.lua, 1, prefix, cursor, mode, `${prefix}*`, ...leftOut] as const;
      const [next, ...dumped] = (await redis.callBuffer('EVAL', ...args)) as Buffer[];
      for (let index = 0; index < dumped.length; index += 3) {
        const [key, expiresAt, value] = dumped.slice(index, index + 3);
        keys += 1;
        yield lineOf({ key: String(key), expiresAt: Number(expiresAt), dump: value?.toString('base64') });
      }
      cursor = String(next);
    } while (cursor !== '0');
  }
  try {
    const output = createWriteStream(unfinished, { mode: 0o600, flush: true });
    await pipeline(Readable.from(lines()), createGzip(), output);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
  return keys;
}

const lineOf = (line: object): string => `${JSON.stringify(line)}\n`;

/** A file that is no backup, or not a whole one. */
export class BackupError extends Error {}

/**
 * Reads a backup line by line: the header first, then each key.
 *
 * @throws BackupError when it is none, or is cut off.
 */
export async function* readBackup(file: string): AsyncGenerator<BackupHeader | BackupKey> {
  const unpacked = createGunzip();
  const input = createReadStream(file);
  const unreadable = new Set<unknown>();
  input.on('error', (error) => {
    unreadable.add(error);
    unpacked.destroy(error);
  });
  let keys = 0;
  let isWhole = false;
  try {
    let isFirst = true;
    for await (const line of createInterface({ input: input.pipe(unpacked) })) {
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
    throw new BackupError(`${file} is no backup of Cardbell, or is damaged`, { cause: error });
  }
  if (!isWhole) throw new BackupError(`${file} is cut off`);
}
