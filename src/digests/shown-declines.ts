import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Span } from './schedule-store.ts';
import { BUCKET_TTL_SECONDS, wholeQuarter } from './tally-store.ts';

const Shown = z.strictObject({ toMs: z.int() });
type Shown = z.infer<typeof Shown>;

export type ShownDeclines = ReturnType<typeof createShownDeclines>;

/** Until when the digests of a schedule, such as those of a channel and a kind, have shown what was declined. */
export function createShownDeclines(redis: RedisClient) {
  const shown = createRecordStore({
    redis,
    schema: Shown,
    keyOf: (schedule: string) => stateKey(`digest-shown:${schedule}`),
    ttlSeconds: BUCKET_TTL_SECONDS,
  });
  return {
    /** Null before the first digest. */
    lastShown: (schedule: string): Promise<Shown | null> => shown.get(schedule),
    /** Call this once the digest is sent. */
    setShown: (schedule: string, { toMs }: Shown): Promise<void> => shown.put(schedule, { toMs }),
  };
}

/** After both of these, a schedule that has shown nothing has lost its record instead. */
const OWED_MS = 15 * 24 * 3_600_000;
/** More than two, because a February is shorter than the months before it. */
const OWED_PERIODS = 2.5;

interface Digested {
  readonly period: Span;
  /** What the schedule's digests have shown; null before the first one. */
  readonly last: Shown | null;
  /** Since when the schedule owes digests, by whatever times. */
  readonly sinceMs: number;
}

/**
 * What a digest covers: its period, from the end of the last digest. That is longer ago if a digest was not sent, and less
 * long ago if the time of the digests was changed.
 */
export function coveredSpan({ period, last, sinceMs }: Digested): Span {
  // A first digest that was not sent is owed. Longer ago, digests were sent, and their record is lost.
  const owedMs = Math.max(OWED_MS, OWED_PERIODS * (period.toMs - period.fromMs));
  const isLost = last === null && sinceMs < period.fromMs - owedMs;
  const owedFromMs = isLost ? period.fromMs : Math.min(period.fromMs, wholeQuarter(sinceMs));
  return { fromMs: Math.min(period.toMs, Math.max(owedFromMs, last?.toMs ?? owedFromMs)), toMs: period.toMs };
}
