import { auditKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import { type AuditEntry, type AuditReader, toHead } from './audit.ts';
import type { CopiedHead, Sink } from './sink.ts';

/** What is wrong with the record or its copy. */
interface CopyProblems {
  /** The sink does not take it. Null: it does. */
  readonly sinkAway: (error: unknown) => Promise<void>;
  readonly sinkBack: () => Promise<void>;
  /** A record that was copied is not there any more, or another one is. */
  readonly recordChanged: (number: number) => Promise<void>;
  /** A record that no worker wrote. */
  readonly recordForged: (number: number) => Promise<void>;
}

interface Deps {
  readonly redis: RedisClient;
  readonly reader: AuditReader;
  readonly isSigned: Signer['verify'];
  readonly sink: Sink;
  readonly problems: CopyProblems;
}

/** Held in memory at once. */
const BATCH = 500;

/**
 * Copies the heads of the chain to the sink, oldest first, from where the last copy ended.
 *
 * The chain itself is what waits: while the sink is away, or when a worker dies on the way, nothing has to be kept
 * elsewhere. What the sink has is noted only afterwards, so that a crash in between copies it twice.
 */
export function createCopyHeads({ redis, reader, isSigned, sink, problems }: Deps): () => Promise<void> {
  const key = auditKey('copied');
  return async function copyHeads() {
    let batch: AuditEntry[] = [];
    try {
      for await (const entry of reader.read({ from: (await start()) + 1 })) {
        batch.push(entry);
        if (batch.length === BATCH) await copy(batch);
        if (batch.length === BATCH) batch = [];
      }
      if (batch.length > 0) await copy(batch);
    } catch (error) {
      if (!(error instanceof SinkError)) throw error;
      return await problems.sinkAway(error.cause);
    }
    await problems.sinkBack();
  };

  /** How many records need no copy any more. */
  async function start(): Promise<number> {
    const copied = toHead(await redis.get(key));
    if (copied.count === 0) return 0;
    const { value: last } = await reader.read({ from: copied.count }).next();
    if (last?.hash === copied.hash) return copied.count;
    await problems.recordChanged(copied.count);
    // Where it changed is not known: all that is there now is evidence.
    return 0;
  }

  async function copy(entries: readonly AuditEntry[]): Promise<void> {
    const forged = entries.find(({ hash, signature }) => !isSigned(hash, signature));
    if (forged !== undefined) await problems.recordForged(forged.number);
    try {
      await sink.append(entries.filter(({ record }) => record !== null).map(headOf));
    } catch (cause) {
      throw new SinkError('not copied', { cause });
    }
    const last = entries.at(-1);
    if (last !== undefined) await redis.set(key, `${last.number}:${last.hash}`);
  }
}

class SinkError extends Error {}

function headOf({ number, hash, signature, record }: AuditEntry): CopiedHead {
  return { record: number, hash, at: record?.at ?? '', signature };
}
