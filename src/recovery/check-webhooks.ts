import type { TransactionEvent, TransactionKind } from '../core/event.ts';
import { type Gap, gapOf } from '../core/gap.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps, NotifyResolved } from '../ops/notify-ops.ts';
import type { createRecoverGap } from './recover-gap.ts';
import { WEBHOOK_DUE_AFTER_MS } from './recover-statuses.ts';
import type { Recoveries, readUptime } from './recovery-store.ts';

/** At most this much is asked for in one call. The next run continues there. */
const SPAN_MS = 12 * 3_600_000;
/** The progress of the check is stored like that of a recovery. */
const CHECK_ID = 'webhooks';
/** Their webhooks come as soon as they happen. Those of settlements and reversals may come hours later. */
const immediate: ReadonlySet<TransactionKind> = new Set(['authorization', 'pin', 'decline']);

interface Deps extends Pick<Parameters<typeof createRecoverGap>[0], 'fetchRows' | 'readRow'> {
  readonly readUptime: () => ReturnType<typeof readUptime>;
  /** How many of these events were not reported yet. */
  readonly countUnreported: (events: readonly TransactionEvent[]) => Promise<number>;
  readonly recoveries: Pick<Recoveries, 'read' | 'write'>;
  /** Enqueues the recovery. */
  readonly recoverGap: (gap: Gap) => Promise<void>;
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
}

/**
 * Checks whether the webhooks have arrived of what happened since the last check: web cannot notice that none reach it.
 * If some are missing, notifies ops and has them recovered. Recorded gaps have a recovery of their own.
 *
 * The first check asks nothing. Changes nothing itself, so it may run beside a recovery.
 *
 * @throws CardApiError when the card service does not answer; the next check asks for this time as well.
 */
export function createCheckWebhooks(deps: Deps) {
  const { recoveries, notifyOps, notifyResolved } = deps;

  return async function checkWebhooks(): Promise<void> {
    const { untilMs, wasReceiving } = await deps.readUptime();
    if (untilMs === null) return;
    const dueMs = untilMs - WEBHOOK_DUE_AFTER_MS;
    const { position } = await recoveries.read(CHECK_ID);
    const fromMs = position === null ? dueMs : Date.parse(position);
    const toMs = Math.min(dueMs, fromMs + SPAN_MS);
    if (fromMs < toMs) {
      const events = await fetchEvents(fromMs, toMs);
      const due = events.filter(({ kind, occurredAt }) => {
        const atMs = Date.parse(occurredAt);
        return immediate.has(kind) && atMs <= toMs && wasReceiving(atMs);
      });
      if ((await deps.countUnreported(due)) > 0) {
        await notifyOps(opsIssue.webhooksMissing());
        await deps.recoverGap(gapOf(fromMs, toMs, 'unnoticed'));
      } else if (due.length > 0) await notifyResolved(opsIssue.webhooksMissing());
    }
    if (fromMs <= toMs) await recoveries.write(CHECK_ID, { position: new Date(toMs).toISOString() });
  };

  async function fetchEvents(fromMs: number, toMs: number): Promise<TransactionEvent[]> {
    const rows = (await deps.fetchRows(new Date(fromMs), new Date(toMs))).map(deps.readRow);
    return rows.flatMap((row) => (row.kind === 'event' ? [row.event] : []));
  }
}
