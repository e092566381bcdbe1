import { setTimeout as sleep } from 'node:timers/promises';
import {
  type QuarantinedWebhook,
  type TransactionEvent,
  type TransactionKind,
  transactionKinds,
} from '../core/event.ts';
import type { Gap } from '../core/gap.ts';
import type { Log } from '../core/log.ts';
import { ASKABLE_MS, isUnderWay, windowOf } from './gap-window.ts';
import type { Recoveries, RecoveryProgress } from './recovery-store.ts';

/** Span of a call inside the gap, and the shortest before it: the card service does not paginate. */
const SLICE_MS = 12 * 3_600_000;
/** Target number of rows per call before the gap, judged by the rate of the previous call. */
const ANSWER_ROWS = 5000;

/** A row of the card service: the event that its webhook would have been, or a redacted copy when it cannot be read. */
export type ReadRow =
  | { readonly kind: 'event'; readonly event: TransactionEvent }
  | { readonly kind: 'misfit'; readonly times: Times | null; readonly webhook: QuarantinedWebhook };

/** When something happened. Null in a row: not even that can be read. */
type Times = Pick<TransactionEvent, 'kind' | 'occurredAt' | 'requestedAt' | 'settledAt'>;

/** Which webhooks were due in the gap. */
interface Due {
  readonly isOfGap: (times: Times) => boolean;
  readonly isSent: (kind: TransactionKind) => boolean;
}

interface Deps {
  /** Network transactions of all accounts, as the card service sends them. @throws CardApiError */
  readonly fetchRows: (from: Date, to: Date) => Promise<readonly Record<string, unknown>[]>;
  readonly readRow: (row: Record<string, unknown>) => ReadRow;
  /** Each returns how many were new, and counts them in the progress. */
  readonly intake: {
    /** Stores the events that were not reported yet, marked as late. */
    readonly take: (
      gapId: string,
      events: readonly TransactionEvent[],
      isUnsent: (event: TransactionEvent) => boolean,
    ) => Promise<number>;
    /** Quarantines unreadable rows until someone replays or discards them. */
    readonly quarantineRows: (gapId: string, rows: readonly QuarantinedWebhook[]) => Promise<number>;
  };
  /** Reports card statuses that changed without a webhook, and counts them in the progress. */
  readonly recoverStatuses: (gap: Gap) => Promise<unknown>;
  readonly recoveries: Recoveries;
  readonly horizon: {
    /** When Cardbell first ran (ms); 0 when unknown. */
    readonly sinceMs: () => Promise<number>;
    /**
     * How long before the gap to search too (ms): a settlement or reversal inside the gap is listed at the time when its
     * purchase was requested.
     */
    readonly lookBackMs: number;
    /** Whether webhooks of a kind are sent. Otherwise ops need not hear that one did not arrive. */
    readonly isSent: (kind: TransactionKind) => Promise<boolean>;
  };
  readonly now: () => Date;
  readonly log: Log;
}

/** @param done from 0 to 1. */
export type OnProgress = (done: number, progress: RecoveryProgress) => Promise<void>;

/**
 * Fetches the events of a gap and stores them in the inbox, under the ids that webhooks use: an event whose webhook
 * arrived, before or after, is not stored twice.
 *
 * Runs at least once per gap, and continues from the stored progress.
 *
 * @throws CardApiError when the card service does not answer; run it again later.
 */
export type RecoverGap = (gap: Gap, onProgress: OnProgress) => Promise<RecoveryProgress>;

export function createRecoverGap(deps: Deps): RecoverGap {
  const { recoveries, horizon, now, log } = deps;
  const recoverSlice = createRecoverSlice(deps);

  return async function recoverGap(gap, onProgress) {
    const before = await recoveries.read(gap.id);
    if (before.finishedAt !== null) return before;
    await untilArrived(gap, now().getTime());
    // The rest is for the statuses.
    await recoverTransactions(gap, before, (done, progress) => onProgress(done * 0.99, progress));
    // While webhooks do not arrive, each check has one such gap. The refreshes of the directory report the statuses.
    if (gap.cause !== 'unnoticed') await deps.recoverStatuses(gap);
    await recoveries.finish(gap, { finishedAt: now().toISOString() });
    const progress = await recoveries.read(gap.id);
    const { found, recovered, unsent, unreadable, statuses } = progress;
    log.info({ gap, found, recovered, unsent, unreadable, statuses }, 'gap closed');
    return progress;
  };

  async function recoverTransactions(gap: Gap, before: RecoveryProgress, onProgress: OnProgress): Promise<void> {
    const sinceMs = await horizon.sinceMs();
    const askableMs = now().getTime() - ASKABLE_MS;
    const { toMs, ...found } = windowOf(gap, { nowMs: now().getTime(), sinceMs });
    const { fromMs, position } = placeOf(before, found.fromMs, askableMs);
    const oldestMs = Math.max(fromMs - horizon.lookBackMs, askableMs);
    const wholeMs = toMs - Math.min(oldestMs, fromMs);
    const sent = await Promise.all(transactionKinds.map(horizon.isSent));
    const due: Due = {
      isOfGap: (times) => mayBelong(times, fromMs, sinceMs),
      isSent: (kind) => sent[transactionKinds.indexOf(kind)] === true,
    };
    // Together: a position before the start means that the gap is fetched.
    await recoveries.write(gap.id, {
      start: new Date(fromMs).toISOString(),
      position: new Date(position).toISOString(),
    });
    let progress = before;
    let doneMs = position >= fromMs ? position - fromMs : toMs - position;
    let sliceMs = SLICE_MS;
    // Only calls for adjacent times return the same rows: the last one, and before the gap the first one of the gap.
    const known: { first: ReadonlySet<string> | null; last: ReadonlySet<string> } = { first: null, last: new Set() };
    const ask = async (askedFromMs: number, askedToMs: number, reachedMs: number): Promise<void> => {
      const { rows, ids } = await recoverSlice(gap, new Date(askedFromMs), new Date(askedToMs), due, known.last);
      known.last = ids;
      known.first ??= ids;
      sliceMs = Math.max(SLICE_MS, ((askedToMs - askedFromMs) * ANSWER_ROWS) / Math.max(rows, 1));
      await recoveries.write(gap.id, { position: new Date(reachedMs).toISOString(), found: progress.found + ids.size });
      progress = await recoveries.read(gap.id);
      doneMs += askedToMs - askedFromMs;
      await onProgress(wholeMs > 0 ? doneMs / wholeMs : 1, progress);
    };

    // First the gap itself, forwards. Then backwards from its start, for purchases that were settled or reversed in it.
    await onProgress(wholeMs > 0 ? doneMs / wholeMs : 1, progress);
    for (let atMs = position; atMs >= fromMs && atMs < toMs; ) {
      const untilMs = Math.min(atMs + SLICE_MS, toMs);
      await ask(atMs, untilMs, untilMs);
      atMs = untilMs;
    }
    known.last = known.first ?? known.last;
    for (let atMs = Math.min(position, fromMs); atMs > oldestMs; ) {
      const sinceAskedMs = Math.max(atMs - sliceMs, oldestMs);
      await ask(sinceAskedMs, atMs, sinceAskedMs);
      atMs = sinceAskedMs;
    }
  }
}

/** @returns how many rows the card service returned, and the ids of those that belong to the gap and are not under way. */
function createRecoverSlice({ fetchRows, readRow, intake, now, log }: Omit<Deps, 'horizon' | 'recoveries'>) {
  return async function recoverSlice(
    gap: Gap,
    from: Date,
    to: Date,
    { isOfGap, isSent }: Due,
    known: ReadonlySet<string>,
  ) {
    const rows = await fetchRows(from, to);
    const ids = new Set<string>();
    const isFirst = (id: string): boolean => !known.has(id) && ids.size < ids.add(id).size;
    const read = rows.map(readRow);
    const events = read.flatMap((row) => (row.kind === 'event' && isOfGap(row.event) ? [row.event] : []));
    const misfits = read.flatMap((row) =>
      row.kind === 'misfit' && (row.times === null || isOfGap(row.times)) && isFirst(row.webhook.id) ? [row] : [],
    );
    for (const { webhook } of misfits) log.warn({ issues: webhook.issues }, 'could not read a network transaction');
    // In the order in which they happened, not in the order of the rows.
    const missing = events
      // One that is under way is not known yet: the next call may list it again when it no longer is.
      .filter((event) => !isUnderWay(gap, event.occurredAt, now().getTime()) && isFirst(event.id))
      .toSorted((a, b) => a.occurredAt.localeCompare(b.occurredAt));
    await intake.take(gap.id, missing, ({ kind }) => !isSent(kind));
    const unreadable = misfits.map(({ webhook }) => webhook);
    await intake.quarantineRows(gap.id, unreadable);
    return { rows: rows.length, ids };
  };
}

/**
 * Where a recovery continues. Its window begins where the first run found it: by now it would begin later, maybe behind the
 * position. If the service cannot be asked any more about what was to come next, it begins where that is possible.
 */
function placeOf({ start, position }: RecoveryProgress, windowFromMs: number, askableMs: number) {
  const fromMs = start === null ? windowFromMs : Date.parse(start);
  const positionMs = position === null ? fromMs : Date.parse(position);
  const isPast = positionMs >= fromMs && positionMs < askableMs;
  return isPast ? { fromMs: askableMs, position: askableMs } : { fromMs, position: positionMs };
}

/** A webhook normally comes at once. */
const ARRIVES_WITHIN_MS = 3000;

/**
 * Waits for the webhooks that were on their way when the gap ended: each start of a web process ends one, also while
 * others take webhooks. What they report is not late.
 */
async function untilArrived({ to, cause }: Gap, nowMs: number): Promise<void> {
  const leftMs = Date.parse(to) + ARRIVES_WITHIN_MS - nowMs;
  // Longer: the clocks differ.
  if (cause !== 'asked' && leftMs > 0 && leftMs <= ARRIVES_WITHIN_MS) await sleep(leftMs);
}

/** Funds are moved in batches, or dated to midnight, and the webhook of a settlement may come hours later. */
const SETTLED_BEFORE_MS = 24 * 3_600_000;

/**
 * True when the webhook of an event may have been due in the gap. A settlement has its own time, but its webhook may be
 * later. A reversal only has the time when its purchase was requested, so every reversal since Cardbell first ran may
 * belong. What was already reported is not reported again.
 */
function mayBelong({ kind, occurredAt, requestedAt, settledAt }: Times, fromMs: number, sinceMs: number) {
  if (Date.parse(occurredAt) >= wholeSecond(fromMs)) return true;
  const settledMs = settledAt === null ? Number.NaN : Date.parse(settledAt);
  if (settledMs >= wholeSecond(Math.max(fromMs - SETTLED_BEFORE_MS, sinceMs))) return true;
  const isUndated = kind === 'reversal' || (kind === 'settlement' && settledAt === null);
  return isUndated && Date.parse(requestedAt) >= wholeSecond(sinceMs);
}

/** The card service's times have no fractions: an event in the second when the gap started may seem to precede the gap. */
function wholeSecond(ms: number): number {
  return Math.floor(ms / 1000) * 1000;
}
