import { z } from 'zod';
import { contentId } from './content-id.ts';

/** A stretch of time in which webhooks may have found no open door. */
export const Gap = z.strictObject({
  id: z.string().regex(/^(gap|act)_[0-9a-z]+$/),
  /** UTC ISO 8601: the last moment known to be good. */
  from: z.string(),
  /** When the door was open again, or up to when somebody asked. */
  to: z.string(),
  /**
   * `start`: a web process came up. `away`: Redis did not take writes. `stalled`: the process stood still.
   * `asked`: a person wants to be sure.
   */
  cause: z.enum(['start', 'away', 'stalled', 'asked']),
});
export type Gap = z.infer<typeof Gap>;

/** The gap between two moments (ms): the same ones make the same gap. */
export function gapOf(fromMs: number, toMs: number, cause: Gap['cause']): Gap {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()];
  return { id: contentId('gap_', [from, to]), from, to, cause };
}

/** How long the gap was. */
export function lengthOf({ from, to }: Pick<Gap, 'from' | 'to'>): number {
  return Date.parse(to) - Date.parse(from);
}

/** The service repeats a webhook for about an hour; the last repetition may have fallen into this gap. */
const BEFORE_MS = 65 * 60_000;
/** The service's clock may be ahead of ours. */
const AFTER_MS = 60_000;
/** What happened after the door was open again and is younger is on its way by itself. */
const UNDER_WAY_MS = 30_000;
/** The service can be asked about the last twelve months. */
const ASKABLE_MS = 364 * 24 * 3_600_000;
/** How long what was taken is remembered, less a little. */
const REMEMBERED_MS = 7 * 24 * 3_600_000 - 3_600_000;

/**
 * What to ask the card service about a gap: a margin on both ends, as far as what was taken then is still remembered.
 *
 * @param sinceMs when Cardbell first ran: what was before has never been its business, unless somebody asks.
 */
export function windowOf(
  { from, to, cause }: Pick<Gap, 'from' | 'to' | 'cause'>,
  { nowMs, sinceMs }: { nowMs: number; sinceMs: number },
): { readonly fromMs: number; readonly toMs: number } {
  const [gapFrom, gapTo] = [Date.parse(from), Date.parse(to)];
  const oldest = nowMs - ASKABLE_MS;
  if (cause === 'asked') return { fromMs: Math.max(gapFrom, oldest), toMs: Math.min(gapTo, nowMs) };
  const margin = Math.max(gapFrom - BEFORE_MS, Math.min(gapFrom, sinceMs), nowMs - REMEMBERED_MS);
  return { fromMs: Math.max(Math.min(gapFrom, margin), oldest), toMs: Math.min(gapTo + AFTER_MS, nowMs) };
}

/** True for what happened so lately, with the door open, that its webhook is still coming. */
export function isUnderWay(gap: Pick<Gap, 'to'>, occurredAt: string, nowMs: number): boolean {
  const atMs = Date.parse(occurredAt);
  return atMs > Date.parse(gap.to) && nowMs - atMs < UNDER_WAY_MS;
}
