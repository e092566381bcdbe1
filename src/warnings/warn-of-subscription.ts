import { subscriptionWarning } from '../../templates/warnings/warnings.ts';
import { merchantKey } from '../alerts/aggregation-group-store.ts';
import type { LatestKind, TransactionAlert } from '../alerts/alert.ts';
import { type Alerts, alertsOfKind } from '../alerts/alert-store.ts';
import type { CardHistory } from '../alerts/card-history.ts';
import type { EventLog } from '../alerts/event-log.ts';
import { isPaid, isReversed } from '../alerts/resolve-declines.ts';
import { LATEST_MAX } from '../alerts/save-alerts.ts';
import { contentId } from '../core/content-id.ts';
import type { TransactionEvent } from '../core/event.ts';
import { CLOCK_SKEW_MS } from '../core/service-time.ts';
import type { WarnBoth, Warned } from './warned-store.ts';

/** A subscription is retried on other days: same amount, no card present. */
const DAYS_MIN = 3;
const SHORTEST_DAY_MS = 23 * 3_600_000;
const LOOK_BACK_MS = 90 * 24 * 3_600_000;
const DECLINES_MAX = 50;
/** The warning is repeated after this time. */
const SILENT_MS = 30 * 24 * 3_600_000;

interface Deps {
  readonly warnBoth: WarnBoth;
  readonly warned: Pick<Warned, 'messageOf'>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly history: Pick<CardHistory, 'recentAlerts'>;
  readonly eventLog: Pick<EventLog, 'read'>;
  /** The channel for declines. */
  readonly channel: string;
  /** The card service's date of an instant, `2026-11-20`. */
  readonly dayOf: (instant: string) => string;
  readonly now: () => Date;
}

/** Whether a decline may belong to a failing subscription. Only then are the earlier declines read. */
export async function mayBeSubscription(
  event: TransactionEvent,
  history: Pick<CardHistory, 'declinesLast'>,
): Promise<boolean> {
  // Events within 24 hours fall on at most two days. A day may be an hour shorter than that.
  return event.isCardPresent !== true && (await history.declinesLast(event.acctId)) >= (DAYS_MIN - 2) * SHORTEST_DAY_MS;
}

/**
 * Detects that the same amount was declined at the same merchant on several days, without the card present and never paid
 * in between: someone should raise the limit or cancel the subscription. Notifies the holder and the channel, each once a
 * month. Idempotent.
 *
 * Of a card that pays much, only the payments of the last days are listed, so one before them may be missed. What the
 * warning says, on how many days it was declined, is true all the same.
 *
 * @returns milliseconds until the next run, or null when done.
 */
export function createWarnOfSubscription(deps: Deps): (alertId: string) => Promise<number | null> {
  const { warnBoth, alerts, history, warned, eventLog, channel } = deps;
  return async function warnOfSubscription(alertId) {
    const alert = await alerts.get(alertId);
    if (alert?.kind !== 'transaction' || alert.event.decline === null || alert.event.isCardPresent) return null;
    const tries = await triesOf(alert);
    if (failingIn(alert, tries) === null) return null;
    const { acctId, amountCents } = alert.event;
    const id = contentId('subscription_', [acctId, merchantKey(alert.event), amountCents]);
    const isMuted = (await eventLog.read(alertId)).some((each) => each.step === 'muted' && each.channel === channel);
    return await warnBoth('failing-subscriptions', { channel, acctId, id, keptMs: SILENT_MS }, async () => ({
      // A message id is never reused, so it names the attempt that caused it.
      messageId: await warned.messageOf(id, `${id}-${alert.event.id}`, SILENT_MS),
      messageFor({ audience, linkedAt }) {
        // The channel must not read of a decline that a mute withheld from it. It is warned at the next one that it gets.
        if (isMuted && audience === 'team') return null;
        // What arrived before somebody got the card was for the holder before. The clocks of web and worker may differ.
        const sinceMs = linkedAt === null ? 0 : Date.parse(linkedAt) - CLOCK_SKEW_MS;
        const theirs = tries.filter(({ event }) => Date.parse(event.receivedAt) >= sinceMs);
        const failing = failingIn(alert, theirs);
        return failing && subscriptionWarning(failing, audience);
      },
    }));
  };

  /** On how many days it was tried, and since when; null: on too few. @param tries newest first */
  function failingIn(alert: TransactionAlert, tries: readonly TransactionAlert[]) {
    const days = new Set(tries.map(({ event }) => deps.dayOf(event.occurredAt))).size;
    const first = tries.at(-1)?.event.occurredAt;
    return days < DAYS_MIN || first === undefined ? null : { alert, days, since: first };
  }

  /** Attempts at the same purchase since it was last paid, newest first. */
  async function triesOf({ event }: TransactionAlert): Promise<TransactionAlert[]> {
    const [declines, payments] = await Promise.all([
      sameAs(event, 'declines', DECLINES_MAX),
      sameAs(event, 'payments', LATEST_MAX),
    ]);
    const paidAt = payments[0]?.event.occurredAt ?? '';
    const same = declines.filter((alert) => alert.event.occurredAt > paidAt);
    // Shown as paid with a slightly different amount.
    const paid = same.findIndex(({ outcomes }) => outcomes.some(isPaid));
    return paid === -1 ? same : same.slice(0, paid);
  }

  /** Newest first. */
  async function sameAs(event: TransactionEvent, kind: LatestKind, most: number): Promise<TransactionAlert[]> {
    const ids = await history.recentAlerts(event.acctId, kind, most);
    const since = new Date(deps.now().getTime() - LOOK_BACK_MS).toISOString();
    const all = await alertsOfKind('transaction', ids, alerts);
    const events = all.map((alert) => alert.event);
    return all.filter(
      ({ event: other }) =>
        other.kind !== 'reversal' &&
        // What was reversed in full paid for nothing.
        !isReversed(other, events) &&
        merchantKey(other) === merchantKey(event) &&
        other.amountCents === event.amountCents &&
        !other.isCardPresent &&
        other.occurredAt >= since,
    );
  }
}
