import { toWallClock } from '../core/service-time.ts';

/** A stretch of time as the service takes it: `YYYY-MM-DDThh:mm:ss` in its own zone, without offset. */
interface ServiceWindow {
  readonly start: string;
  readonly end: string;
}

/** A stretch of time to ask about. The service takes at most the last twelve months. */
export interface TransactionWindow {
  /** An instant, or the `next` of an earlier answer. */
  readonly from: Date | string;
  readonly to: Date;
}

export interface TransactionQuery extends TransactionWindow {
  readonly includePendings?: boolean;
  readonly includeDeclines?: boolean;
}

/** A stretch of time as query parameters. */
export function windowOf({ from, to }: TransactionWindow, timezone: string): Record<string, string> {
  const { start, end } = toServiceWindow(from, to, timezone);
  return { StartDate: start, EndDate: end };
}

export function queryOf(query: TransactionQuery, timezone: string): Record<string, string> {
  const { includePendings, includeDeclines } = query;
  return {
    ...windowOf(query, timezone),
    ...(includePendings !== undefined && { IncludePendings: String(includePendings) }),
    ...(includeDeclines !== undefined && { IncludeDeclines: String(includeDeclines) }),
  };
}

const TWO_HOURS_MS = 2 * 60 * 60 * 1000;

/**
 * Instants → the service's wall clock.
 *
 * In the hours around a clock change one wall time can mean two instants, so the stretch is widened there by up to two
 * hours on each side: the answer may hold more than was asked for, never less.
 */
export function toServiceWindow(from: Date | string, to: Date, timezone: string): ServiceWindow {
  const start = typeof from === 'string' ? from : toWallClock(clearOfClockChange(from, timezone, -1), timezone);
  return { start, end: toWallClock(clearOfClockChange(roundUp(to), timezone, 1), timezone) };
}

function roundUp(instant: Date): Date {
  return new Date(Math.ceil(instant.getTime() / 1000) * 1000);
}

function clearOfClockChange(instant: Date, timezone: string, direction: -1 | 1): Date {
  const before = new Date(instant.getTime() - TWO_HOURS_MS);
  const after = new Date(instant.getTime() + TWO_HOURS_MS);
  if (offsetMs(before, timezone) === offsetMs(after, timezone)) return instant;
  return direction === -1 ? before : after;
}

function offsetMs(instant: Date, timezone: string): number {
  return Date.parse(`${toWallClock(instant, timezone)}Z`) - Math.floor(instant.getTime() / 1000) * 1000;
}
