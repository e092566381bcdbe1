import { type Alerts, alertsOfKind } from '../alerts/alert-store.ts';
import type { TransactionEvent } from '../core/event.ts';
import { type Gap, gapOf } from '../core/gap.ts';
import * as opsIssue from '../ops/issue.ts';
import type { NotifyOps, NotifyResolved } from '../ops/notify-ops.ts';
import type { createRecoverGap } from './recover-gap.ts';
import { WEBHOOK_DUE_AFTER_MS } from './recover-statuses.ts';
import type { Recoveries, readUptime } from './recovery-store.ts';
import { isSent } from './sent-kinds.ts';

/** At most this much is asked for in one call. The next run continues there. */
const CALL_SPAN_MAX_MS = 12 * 3_600_000;
/** The progress of the check is stored like that of a recovery. */
const CHECK_ID = 'webhooks';
/** Their webhooks come as soon as they happen. Those of settlements and reversals may come hours later. */
const immediate = ['authorization', 'pin', 'decline'] as const;
type ImmediateKind = (typeof immediate)[number];
/** When one of the kind was last missing, perhaps because no address is configured for it, is stored there for 30 days. */
const unsentId = (kind: ImmediateKind): string => `${CHECK_ID}-unsent-${kind}`;

interface Deps extends Pick<Parameters<typeof createRecoverGap>[0], 'fetchRows' | 'readRow'> {
  readonly readUptime: () => ReturnType<typeof readUptime>;
  readonly readArrivals: ReturnType<typeof createReadArrivals>;
  readonly recoveries: Pick<Recoveries, 'read' | 'write'>;
  /** Enqueues the recovery. */
  readonly enqueueRecovery: (gap: Gap) => Promise<void>;
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
}

/**
 * Checks whether the webhooks for everything since the last check have arrived: web cannot notice that none reach it.
 * If some are missing, notifies ops and has them recovered. Recorded gaps have a recovery of their own.
 *
 * A kind whose webhooks are not sent does not count as missing ({@link isSent}). The doctor says so: see
 * {@link readUnsentKinds}.
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
    const storedMs = position === null ? dueMs : Date.parse(position);
    // Redis' clock went back: what was checked since then is not known.
    const fromMs = storedMs > dueMs ? dueMs - CALL_SPAN_MAX_MS : storedMs;
    const toMs = Math.min(dueMs, fromMs + CALL_SPAN_MAX_MS);
    const reached = { position: new Date(toMs).toISOString() };
    if (fromMs < toMs) {
      const events = await fetchEvents(fromMs, toMs);
      const due = events.filter(({ occurredAt }) => {
        const atMs = Date.parse(occurredAt);
        return atMs <= toMs && wasReceiving(atMs);
      });
      let isIncomplete = false;
      for (const kind of immediate) {
        const { hasArrived, isMissing } = await deps.readArrivals(due.filter((event) => event.kind === kind));
        if (isMissing && (await isSent(kind, recoveries))) {
          await notifyOps(opsIssue.webhooksMissing(kind));
          isIncomplete = true;
        } else if (isMissing) await recoveries.write(unsentId(kind), reached);
        else if (hasArrived) await notifyResolved(opsIssue.webhooksMissing(kind));
      }
      if (isIncomplete) await deps.enqueueRecovery(gapOf(fromMs, toMs, 'unnoticed'));
    }
    await recoveries.write(CHECK_ID, reached);
  };

  async function fetchEvents(fromMs: number, toMs: number): Promise<TransactionEvent[]> {
    const rows = (await deps.fetchRows(new Date(fromMs), new Date(toMs))).map(deps.readRow);
    return rows.flatMap((row) => (row.kind === 'event' ? [row.event] : []));
  }
}

/** The kinds that the card service lists and sends no webhooks of, in the last 30 days. */
export async function readUnsentKinds(recoveries: Pick<Recoveries, 'read'>): Promise<ImmediateKind[]> {
  const isUnsent = await Promise.all(
    immediate.map(
      async (kind) => (await recoveries.read(unsentId(kind))).position !== null && !(await isSent(kind, recoveries)),
    ),
  );
  return immediate.filter((_kind, index) => isUnsent[index]);
}

interface ArrivalDeps {
  readonly alerts: Pick<Alerts, 'get'>;
  /** How many of these events were not reported yet. */
  readonly countUnreported: (events: readonly TransactionEvent[]) => Promise<number>;
}

/** Whether the webhook of one of some events has arrived, and whether one of them was not reported at all. */
export function createReadArrivals({ alerts, countUnreported }: ArrivalDeps) {
  return async function readArrivals(events: readonly TransactionEvent[]) {
    const isMissing = (await countUnreported(events)) > 0;
    for (const { id } of events) {
      const [alert] = await alertsOfKind('transaction', [id], alerts);
      // What a recovery has fetched is stored as late.
      if (alert?.late === false) return { hasArrived: true, isMissing };
    }
    return { hasArrived: false, isMissing };
  };
}
