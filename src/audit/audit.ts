import { hash } from 'node:crypto';
import { contentId } from '../core/content-id.ts';
import { ConfigError } from '../core/errors.ts';
import { auditKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';
import { createSigner, type Signer } from '../core/sign.ts';
import { type Archive, ArchiveError } from './archive.ts';
import { type AuditRecord, type Described, type InForce, Statement } from './audit-record.ts';

export interface AuditEntry {
  /** Counted from 1. */
  readonly number: number;
  /** Null when the stored line cannot be read any more. */
  readonly record: AuditRecord | null;
  readonly previous: string;
  readonly hash: string;
  /** The signature over the hash by the worker that wrote it. */
  readonly signature: string;
  /** The complete stored line. */
  readonly line: string;
}

/** The length of the chain and the hash that its next record builds on. */
export interface AuditHead {
  readonly count: number;
  readonly hash: string;
}

export type AuditReader = ReturnType<typeof createAuditReader>;
export type Audit = ReturnType<typeof createAudit>;

/** The hash before the first record. */
export const GENESIS = '0'.repeat(64);

/** A failed job is kept for 14 days and may be run again on the last day. */
const MEMORY_TTL_SECONDS = 15 * 24 * 3600;
const PAGE = 500;

const appendSource = readScript(new URL('./append.lua', import.meta.url));

/** Each hash covers the record and the previous hash, so changing or removing a record breaks every later one. */
export function chainHash(previous: string, record: unknown): string {
  return hash('sha256', `${previous}\n${JSON.stringify(record)}`);
}

/** What is wrong with a record, alone or after the previous one; null: nothing. */
export function whyNotFollows({ record, previous: before, hash }: AuditEntry, previous: string): string | null {
  if (record === null) return 'cannot be read';
  if (before !== previous) return 'does not follow the record before it: one was removed, added or moved';
  return hash === chainHash(before, record) ? null : 'was changed after it was written';
}

/**
 * Signs records of the chain, so that write access to Redis is not enough to forge one. @param secrets held by the
 * workers only.
 */
export const createRecordSigner = (secrets: readonly string[]): Signer => createSigner(secrets, 'audit record');

interface AuditDeps {
  readonly redis: RedisClient;
  /** Signs a record's hash with a key that is not in Redis. */
  readonly sign: (hash: string) => string;
  readonly inForce: (statement: Pick<Statement, 'verb' | 'acctId'>) => InForce | Promise<InForce>;
  readonly describe?: (statement: Statement) => Promise<Described>;
  /** A message's permalink; null if unknown. Must be fast. */
  readonly permalink?: (channel: string, ts: string) => Promise<string | null>;
  /** Logs the new head with each record, so that a copy exists outside Redis. */
  readonly log?: Log;
  /** Where old months are stored; null: the complete chain is in Redis. */
  readonly archive?: Archive | null;
}

const [chain, head, archived] = [auditKey('chain'), auditKey('head'), auditKey('archived')];

/** The append-only record of what people did, kept permanently: a record leaves Redis only after a file has it. */
export function createAudit({ redis, sign, inForce, describe, permalink, log, archive = null }: AuditDeps) {
  const script = defineScript(redis, appendSource);

  return {
    /** Adds a record. The same statement about the same action is added only once, because jobs may run twice. */
    async append(given: Statement): Promise<void> {
      const { at, ...statement } = Statement.parse(given);
      const memory = auditKey(`recorded:${contentId('', [JSON.stringify(statement)])}`);
      const { channel, messageTs } = statement;
      const link = channel === null || messageTs === null ? null : ((await permalink?.(channel, messageTs)) ?? null);
      const described = await describe?.(given);
      const permalinked = link === null ? {} : { permalink: link };
      const record = { at, ...statement, ...described, ...(await inForce(given)), ...permalinked };
      let previous = (await redis.get(head)) ?? GENESIS;
      for (;;) {
        const own = chainHash(previous, record);
        const line = JSON.stringify({ record, previous, hash: own, signature: sign(own) });
        const args = [previous, line, own, MEMORY_TTL_SECONDS];
        const [answer, value] = (await script.run([chain, head, memory, archived], args)) as [string, string | number];
        if (answer === 'known') return;
        if (answer === 'added') {
          log?.info({ record: value, auditHead: own, actionId: record.actionId, event: record.event }, 'on record');
          return;
        }
        // Another writer appended a record in between.
        previous = String(value);
      }
    },
    ...createAuditReader(redis, archive),
  };
}

/** How many records were moved to files, and the hash of the last of them. */
export async function readArchived(redis: RedisClient): Promise<AuditHead> {
  return toHead(await redis.get(archived));
}

/** The last records, oldest first, without those that were moved to files. */
export async function readLatest(redis: RedisClient, count: number): Promise<Omit<AuditEntry, 'number'>[]> {
  return (await redis.lrange(chain, -count, -1)).map(toEntry);
}

/** @param to the last record that was moved to files. */
function given(archive: Archive | null, to: number): Archive {
  if (archive !== null) return archive;
  throw new ConfigError([
    `AUDIT_ARCHIVE: expected the folder with records 1 to ${to}, which were moved there from Redis.`,
  ]);
}

/** Checks that all records that were moved to files are there, without reading them. @throws what `read` does. */
export async function checkFiles(redis: RedisClient, archive: Archive | null): Promise<void> {
  const { count } = await readArchived(redis);
  if (count === 0) return;
  const files = given(archive, count);
  const missing = await files.firstMissing(count);
  if (missing !== null) throw new ArchiveError(missing, 'is missing: no file in AUDIT_ARCHIVE has it');
  await files.checkReadable();
}

/** @param archive null: the complete chain must be in Redis. */
export function createAuditReader(redis: RedisClient, archive: Archive | null = null) {
  async function* readFiles(from: number, to: number): AsyncGenerator<AuditEntry, void> {
    let number = from;
    for await (const line of given(archive, to).read(from, to)) {
      yield { number, ...toEntry(line) };
      number += 1;
    }
  }

  return {
    /**
     * Oldest first, read in pages, exactly as stored: archived records from files, then the rest from Redis.
     *
     * @throws ConfigError when the archive folder is not configured. @throws ArchiveError when a file is missing.
     */
    async *read({ from = 1 }: { readonly from?: number } = {}): AsyncGenerator<AuditEntry, void> {
      let next = from;
      let { count: moved } = await readArchived(redis);
      for (;;) {
        if (next <= moved) yield* readFiles(next, moved);
        next = Math.max(next, moved + 1);
        const start = next - 1 - moved;
        const page =
          (await redis
            .multi()
            .get(archived)
            .lrange(chain, start, start + PAGE - 1)
            .exec()) ?? [];
        const movedNow = toHead(page[0]?.[1]).count;
        if (movedNow !== moved) {
          // A month was moved in between.
          moved = movedNow;
          continue;
        }
        const lines = page[1]?.[1] as string[];
        for (const line of lines) {
          yield { number: next, ...toEntry(line) };
          next += 1;
        }
        if (lines.length < PAGE) return;
      }
    },
    async head(): Promise<AuditHead> {
      const [count, last, moved] = (await redis.multi().llen(chain).get(head).get(archived).exec()) ?? [];
      return {
        count: Number(count?.[1] ?? 0) + toHead(moved?.[1]).count,
        hash: typeof last?.[1] === 'string' ? last[1] : GENESIS,
      };
    },
  };
}

/** `COUNT:HASH`, or the start of the chain. */
export function toHead(text: unknown): AuditHead {
  const parts = /^(\d+):(.*)$/.exec(typeof text === 'string' ? text : '');
  return parts === null ? { count: 0, hash: GENESIS } : { count: Number(parts[1]), hash: parts[2] ?? '' };
}

/** Not checked against the schema, because older records must be verified as they were written. */
function toEntry(line: string): Omit<AuditEntry, 'number'> {
  try {
    return { ...(JSON.parse(line) as Omit<AuditEntry, 'number' | 'line'>), line };
  } catch {
    return { record: null, previous: '', hash: '', signature: '', line };
  }
}

/**
 * The records since a time, oldest first. The chain only grows, so it is read from the end. Unreadable records are
 * skipped.
 */
export async function readRecordsSince(
  { head, read }: Pick<AuditReader, 'head' | 'read'>,
  sinceMs: number,
): Promise<AuditRecord[]> {
  const { count } = await head();
  for (let size = PAGE; ; size *= 4) {
    const from = Math.max(1, count - size + 1);
    const records: AuditRecord[] = [];
    for await (const { record } of read({ from })) if (record !== null) records.push(record);
    const [oldest] = records;
    const isAll = from === 1 || (oldest !== undefined && Date.parse(oldest.at) < sinceMs);
    if (isAll) return records.filter(({ at }) => Date.parse(at) >= sinceMs);
  }
}
