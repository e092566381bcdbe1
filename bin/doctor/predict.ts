/**
 * Memory of one decline in Redis, in bytes, measured by `npm run bench -- bytes` with one decline per message: see
 * docs/performance.md. Initially, and on average over the 30 days for which its alert is kept.
 */
const DECLINE_BYTES = { atFirst: 1490, average: 880 } as const;
const KEPT_DAYS = 30;
/** Events that one worker handles per second, by `npm run bench -- waiting`: 1,375 on a busy machine with two cores. */
export const WORKER_PER_SECOND = 1000;

/** What the doctor found in Redis. */
export interface Waits {
  /** Webhooks that no worker has taken. */
  readonly inbox: number;
  /** Events in the queues of all shards. */
  readonly queues: number;
  /** Outbox entries that may be posted now, by channel. Held ones are not included. */
  readonly outboxes: ReadonlyMap<string, number>;
  /** Events of the last 24 hours, and of all days that are kept. */
  readonly lastDay: number;
  readonly kept: number;
}

/** Redis' memory use in bytes. A limit of 0 means none. */
export interface Memory {
  readonly used: number;
  readonly max: number;
}

/** @param batchMax the most entries that share a message. @param postMs how long a channel waits between messages. */
export function predictDrain(
  { inbox, queues, outboxes }: Pick<Waits, 'inbox' | 'queues' | 'outboxes'>,
  { batchMax, postMs }: { readonly batchMax: number; readonly postMs: number },
): { readonly fullest: number; readonly shortestMs: number; readonly longestMs: number } {
  // Their channels are not known yet. In the worst case all go to the fullest one.
  const fullest = Math.max(0, ...outboxes.values()) + inbox + queues;
  const workMs = ((inbox + queues) / WORKER_PER_SECOND) * 1000;
  const shortestMs = Math.max(Math.ceil(fullest / batchMax) * postMs, workMs);
  return { fullest, shortestMs, longestMs: Math.max(fullest * postMs, workMs) };
}

/** Null when Redis does not report its memory use. */
export function predictMemory(
  { inbox, queues, lastDay, kept }: Omit<Waits, 'outboxes'>,
  { used, max }: Memory,
  fullAt: number,
): {
  readonly stored: number;
  readonly level: number;
  readonly limit: number | null;
  readonly isTooMuch: boolean;
} | null {
  if (!(used > 0)) return null;
  const stored = used + (inbox + queues) * DECLINE_BYTES.atFirst;
  // Memory not used by events stays the same.
  const others = Math.max(0, used - kept * DECLINE_BYTES.average);
  const level = others + lastDay * KEPT_DAYS * DECLINE_BYTES.average;
  const limit = max > 0 ? max * fullAt : null;
  return { stored, level, limit, isTooMuch: limit !== null && Math.max(stored, level) > limit };
}
