import { PayloadError } from '../core/errors.ts';
import type { TransactionEvent } from '../core/event.ts';
import { type Gap, isUnderWay, windowOf } from '../core/gap.ts';
import type { Log } from '../core/log.ts';
import type { QuarantinedWebhook } from '../core/quarantined-webhook.ts';
import type { Recoveries, RecoveryProgress } from './recovery-store.ts';

/** One question to the service. Its network transactions come without pages, so a stretch must not be too long. */
const SLICE_MS = 12 * 3_600_000;
/** After an answer shorter than this, the next question may be about twice the time. */
const SHORT_ANSWER_ROWS = 2000;
/** The service can be asked about the last twelve months. */
const ASKABLE_MS = 364 * 24 * 3_600_000;

export interface RecoverDeps {
  /** Network transactions of all accounts, rows as the service sends them. */
  readonly fetchRows: (from: Date, to: Date) => Promise<readonly Record<string, unknown>[]>;
  /** A row as the event that its webhook would have been. @throws PayloadError */
  readonly toEvent: (row: Record<string, unknown>) => TransactionEvent;
  /**
   * How long before the gap a purchase may have been requested that was settled or reversed in it (ms). The service
   * finds these steps by the time of the request.
   */
  readonly lookBackMs: number;
  readonly unreportedOnly: (events: readonly TransactionEvent[]) => Promise<readonly TransactionEvent[]>;
  /** Stores what is not remembered, marked as late. @returns how many that were. */
  readonly take: (gapId: string, events: readonly TransactionEvent[]) => Promise<number>;
  /** Keeps aside a row that does not fit, redacted, until somebody replays or discards it. */
  readonly setAside: (gapId: string, rows: readonly QuarantinedWebhook[]) => Promise<number>;
  /** A row that does not fit, redacted. */
  readonly quarantine: (row: Record<string, unknown>, issues: readonly string[]) => QuarantinedWebhook;
  /** Tells card statuses that changed without a webhook. @returns how many. */
  readonly recoverStatuses: (gap: Gap) => Promise<number>;
  readonly recoveries: Recoveries;
  /** @param done from 0 to 1. */
  readonly onProgress: (done: number, progress: RecoveryProgress) => Promise<void>;
  /** Between two questions: others want to ask the service as well. */
  readonly rest: () => Promise<unknown>;
  /** When Cardbell first ran (ms); 0 when unknown. */
  readonly sinceMs: () => Promise<number>;
  readonly now: () => number;
  readonly log: Log;
}

/**
 * Fetches what happened in a gap and hands it to the same inbox as webhooks, under the same ids: what came as a webhook,
 * before or after, adds nothing.
 *
 * Runs at least once for each gap; the journal says how far it got: up to where in the gap, or back to where before it.
 *
 * @throws CardApiError when the service does not answer; run it again later, it goes on where it stopped.
 */
export async function recoverGap(gap: Gap, deps: RecoverDeps): Promise<RecoveryProgress> {
  const { recoveries, log, now } = deps;
  let progress = await recoveries.read(gap.id);
  if (progress.finishedAt !== null) return progress;
  const sinceMs = await deps.sinceMs();
  const { fromMs, toMs } = windowOf(gap, { nowMs: now(), sinceMs });
  const oldestMs = Math.max(fromMs - deps.lookBackMs, now() - ASKABLE_MS);
  const wholeMs = toMs - Math.min(oldestMs, fromMs);
  const isOfGap = (event: TransactionEvent): boolean => mayBelong(event, fromMs, sinceMs);
  let doneMs = 0;
  let isFirst = true;
  const ask = async (askedFromMs: number, askedToMs: number, position: number): Promise<number> => {
    if (!isFirst) await deps.rest();
    isFirst = false;
    const { rows, found } = await recoverSlice(gap, new Date(askedFromMs), new Date(askedToMs), isOfGap, deps);
    await recoveries.write(gap.id, { position: new Date(position).toISOString(), found: progress.found + found });
    progress = await recoveries.read(gap.id);
    doneMs += askedToMs - askedFromMs;
    await deps.onProgress(wholeMs > 0 ? (doneMs / wholeMs) * 0.99 : 0.99, progress);
    return rows;
  };

  // First the time of the gap, forwards; then backwards, what was settled or reversed in it and requested before it.
  const position = progress.position === null ? fromMs : Date.parse(progress.position);
  doneMs = position >= fromMs ? position - fromMs : toMs - position;
  await deps.onProgress(wholeMs > 0 ? doneMs / wholeMs : 1, progress);
  for (let atMs = position; atMs >= fromMs && atMs < toMs; ) {
    const untilMs = Math.min(atMs + SLICE_MS, toMs);
    await ask(atMs, untilMs, untilMs);
    atMs = untilMs;
  }
  let sliceMs = SLICE_MS;
  for (let atMs = Math.min(position, fromMs); atMs > oldestMs; ) {
    const sinceAskedMs = Math.max(atMs - sliceMs, oldestMs);
    const rows = await ask(sinceAskedMs, atMs, sinceAskedMs);
    sliceMs = rows < SHORT_ANSWER_ROWS ? 2 * sliceMs : SLICE_MS;
    atMs = sinceAskedMs;
  }

  const statuses = await deps.recoverStatuses(gap);
  await recoveries.write(gap.id, { statuses, finishedAt: new Date(now()).toISOString() });
  progress = await recoveries.read(gap.id);
  const { found, recovered, unreadable } = progress;
  log.info({ gap, found, recovered, unreadable, statuses }, 'gap closed');
  return progress;
}

/**
 * True for what may have happened in the gap. A settlement says when it did. Of a reversal only the request is certain:
 * it may be any that people were not told of, of a purchase since Cardbell first ran.
 */
function mayBelong({ kind, occurredAt, requestedAt, settledAt }: TransactionEvent, fromMs: number, sinceMs: number) {
  if (Date.parse(occurredAt) >= fromMs) return true;
  const isUndated = kind === 'reversal' || (kind === 'settlement' && settledAt === null);
  return isUndated && Date.parse(requestedAt) >= sinceMs;
}

/** @returns how many rows the service showed, and how many of them are about the gap. */
async function recoverSlice(
  gap: Gap,
  from: Date,
  to: Date,
  isOfGap: (event: TransactionEvent) => boolean,
  deps: RecoverDeps,
): Promise<{ rows: number; found: number }> {
  const rows = await deps.fetchRows(from, to);
  const events: TransactionEvent[] = [];
  const misfits: QuarantinedWebhook[] = [];
  for (const row of rows) {
    try {
      const event = deps.toEvent(row);
      if (isOfGap(event)) events.push(event);
    } catch (error) {
      if (!(error instanceof PayloadError)) throw error;
      misfits.push(deps.quarantine(row, error.issues));
      deps.log.warn({ issues: error.issues }, 'a network transaction could not be read');
    }
  }
  const missing = events.filter((event) => !isUnderWay(gap, event.occurredAt, deps.now()));
  // Told in the order in which it happened, whatever the order of the answer.
  missing.sort((one, other) => one.occurredAt.localeCompare(other.occurredAt));
  await deps.take(gap.id, await deps.unreportedOnly(missing));
  await deps.setAside(gap.id, misfits);
  return { rows: rows.length, found: events.length + misfits.length };
}
