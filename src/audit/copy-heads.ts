import { auditKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import * as auditIssue from '../ops/audit-issue.ts';
import type { NotifyOps, NotifyResolved } from '../ops/notify-ops.ts';
import { type AuditEntry, type AuditReader, toHead } from './audit.ts';
import type { CopiedHead, Sink } from './sink.ts';

interface Deps {
  readonly redis: RedisClient;
  readonly reader: AuditReader;
  readonly isSigned: Signer['verify'];
  readonly sink: Pick<Sink, 'id' | 'append'>;
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
  readonly log: Log;
}

/** Where it is stored how much of the record this sink has. Absent: it never took any head. */
export const copiedKey = ({ id }: Pick<Sink, 'id'>): string => auditKey(`copied:${id}`);

/** Records held in memory at once. */
const BATCH = 500;

/**
 * Copies the heads of the chain to the sink, oldest first, from where the last copy ended.
 *
 * The chain itself is the queue: if the sink is down or a worker dies, nothing needs to be stored elsewhere. The
 * position is saved only after the sink has the heads, so a crash in between copies them twice.
 */
export function createCopyHeads(deps: Deps): () => Promise<void> {
  const { redis, reader, isSigned, sink, notifyOps, notifyResolved, log } = deps;
  // A sink that is new gets all heads.
  const key = copiedKey(sink);
  return async function copyHeads() {
    let batch: AuditEntry[] = [];
    for await (const entry of reader.read({ from: (await start()) + 1 })) {
      batch.push(entry);
      if (batch.length < BATCH) continue;
      if (!(await copy(batch))) return;
      batch = [];
    }
    if (batch.length === 0 || (await copy(batch))) await notifyResolved(auditIssue.auditSinkAway);
  };

  /** How many records are already copied. */
  async function start(): Promise<number> {
    const copied = toHead(await redis.get(key));
    if (copied.count === 0) return 0;
    // The loop closes the file that the record may be in.
    for await (const { hash } of reader.read({ from: copied.count })) {
      if (hash === copied.hash) return copied.count;
      break;
    }
    await notifyOps(auditIssue.auditRecordChanged(copied.count));
    // The point of the change is unknown, so everything there now is copied as evidence.
    return 0;
  }

  /** @returns false when the sink is down. */
  async function copy(entries: readonly AuditEntry[]): Promise<boolean> {
    const forged = entries.find(({ hash, signature }) => !isSigned(hash, signature));
    if (forged !== undefined) await notifyOps(auditIssue.auditRecordForged(forged.number));
    try {
      await sink.append(entries.filter(({ record }) => record !== null).map(headOf));
    } catch (error) {
      log.warn({ err: error }, 'could not copy the audit record; retrying');
      await notifyOps(auditIssue.auditSinkAway);
      return false;
    }
    const last = entries.at(-1);
    if (last !== undefined) await redis.set(key, `${last.number}:${last.hash}`);
    return true;
  }
}

function headOf({ number, hash, signature, record }: AuditEntry): CopiedHead {
  return { record: number, hash, at: record?.at ?? '', signature };
}
