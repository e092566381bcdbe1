import type { Gap } from '../core/gap.ts';

/** The service retries a webhook for about an hour, and the last retry may have been in the gap. */
const BEFORE_MS = 65 * 60_000;
/** After a shorter gap the service repeats its webhooks within four minutes. */
const REPEATED_MS = 225_000;
/** The service's clock may be ahead of ours. */
const AFTER_MS = 60_000;
/** The webhook of an event after the gap that is younger than this is still on its way. */
const UNDER_WAY_MS = 30_000;
/** The service can be asked about the last twelve months. */
export const ASKABLE_MS = 364 * 24 * 3_600_000;
/** What people call twelve months, in days, may be a little longer. */
const YEAR_MS = 366 * 24 * 3_600_000;
/** For somebody who asks about a time before that. */
export const NOT_ASKABLE = 'The card service can be asked about the last 12 months only.';
/** A little less than the time for which events are remembered. */
const REMEMBERED_MS = 7 * 24 * 3_600_000 - 3_600_000;

/**
 * The period to ask the card service about: the gap plus a margin at both ends, at most as long as events are
 * remembered.
 *
 * @param sinceMs when Cardbell first ran. It checks nothing earlier unless someone asks.
 */
export function windowOf(
  { from, to, cause }: Pick<Gap, 'from' | 'to' | 'cause'>,
  { nowMs, sinceMs }: { nowMs: number; sinceMs: number },
): { readonly fromMs: number; readonly toMs: number } {
  const [gapFrom, gapTo] = [Date.parse(from), Date.parse(to)];
  const oldest = nowMs - ASKABLE_MS;
  if (cause === 'asked') return { fromMs: Math.max(gapFrom, oldest), toMs: gapTo };
  const margin = Math.max(gapFrom - BEFORE_MS, Math.min(gapFrom, sinceMs), nowMs - REMEMBERED_MS);
  // The gap is over: by a slow clock of this machine, it may still be in the future.
  const toMs = Math.max(gapTo, Math.min(gapTo + AFTER_MS, nowMs));
  return { fromMs: Math.max(Math.min(gapFrom, margin), oldest), toMs };
}

/** True when somebody asks about a time of which the service lists nothing. */
export function isTooLongAgo(fromMs: number, nowMs: number): boolean {
  return nowMs - fromMs > YEAR_MS;
}

/** True when the service does not repeat all webhooks of the gap on its own. */
export function isLong({ from, to }: Pick<Gap, 'from' | 'to'>): boolean {
  return Date.parse(to) - Date.parse(from) >= REPEATED_MS;
}

/** True for an event after the gap that is so recent that its webhook is still on its way. */
export function isUnderWay(gap: Pick<Gap, 'to'>, occurredAt: string, nowMs: number): boolean {
  const atMs = Date.parse(occurredAt);
  return atMs > Date.parse(gap.to) && nowMs - atMs < UNDER_WAY_MS;
}
