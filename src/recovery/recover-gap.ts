import { PayloadError } from '../core/errors.ts';
import type { TransactionEvent } from '../core/event.ts';
import { type Gap, isUnderWay, windowOf } from '../core/gap.ts';
import type { Log } from '../core/log.ts';
import type { QuarantinedWebhook } from '../core/quarantined-webhook.ts';
import type { Recoveries, RecoveryProgress } from './recovery-store.ts';

/** One question to the service. Its network transactions come without pages, so a stretch must not be too long. */
const SLICE_MS = 12 * 3_600_000;

export interface RecoverDeps {
  /** Network transactions of all accounts, rows as the service sends them. */
  readonly fetchRows: (from: Date, to: Date) => Promise<readonly Record<string, unknown>[]>;
  /** A row as the event that its webhook would have been. @throws PayloadError */
  readonly toEvent: (row: Record<string, unknown>) => TransactionEvent;
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
 * Runs at least once for each gap; the journal says how far it got.
 *
 * @throws CardApiError when the service does not answer; run it again later, it goes on where it stopped.
 */
export async function recoverGap(gap: Gap, deps: RecoverDeps): Promise<RecoveryProgress> {
  const { recoveries, log, now } = deps;
  let progress = await recoveries.read(gap.id);
  if (progress.finishedAt !== null) return progress;
  const { fromMs, toMs } = windowOf(gap, { nowMs: now(), sinceMs: await deps.sinceMs() });
  const share = (atMs: number): number => (toMs > fromMs ? (atMs - fromMs) / (toMs - fromMs) : 1);

  let atMs = progress.position === null ? fromMs : Date.parse(progress.position);
  await deps.onProgress(share(atMs), progress);
  while (atMs < toMs) {
    if (atMs > fromMs) await deps.rest();
    const until = Math.min(atMs + SLICE_MS, toMs);
    const found = await recoverSlice(gap, new Date(atMs), new Date(until), deps);
    await recoveries.write(gap.id, { position: new Date(until).toISOString(), found: progress.found + found });
    atMs = until;
    progress = await recoveries.read(gap.id);
    await deps.onProgress(share(atMs) * 0.99, progress);
  }

  const statuses = await deps.recoverStatuses(gap);
  await recoveries.write(gap.id, { statuses, finishedAt: new Date(now()).toISOString() });
  progress = await recoveries.read(gap.id);
  const { found, recovered, unreadable } = progress;
  log.info({ gap, found, recovered, unreadable, statuses }, 'gap closed');
  return progress;
}

/** @returns how many rows the service showed. */
async function recoverSlice(gap: Gap, from: Date, to: Date, deps: RecoverDeps): Promise<number> {
  const rows = await deps.fetchRows(from, to);
  const events: TransactionEvent[] = [];
  const misfits: QuarantinedWebhook[] = [];
  for (const row of rows) {
    try {
      events.push(deps.toEvent(row));
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
  return rows.length;
}
