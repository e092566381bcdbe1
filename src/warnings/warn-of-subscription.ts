import { subscriptionWarning } from '../../templates/warnings/warnings.ts';
import { merchantKey } from '../alerts/aggregation-group-store.ts';
import type { TransactionAlert } from '../alerts/alert.ts';
import { type Alerts, alertsOfKind } from '../alerts/alert-store.ts';
import type { CardHistory } from '../alerts/card-history.ts';
import { contentId } from '../core/content-id.ts';
import type { TransactionEvent } from '../core/event.ts';
import { createWarnBoth, type WarnDeps, type Warned } from './warned-store.ts';

/** A subscription is tried again on other days: the same amount, without the card. */
const DAYS_MIN = 3;
const SHORTEST_DAY_MS = 23 * 3_600_000;
const LOOK_BACK_MS = 90 * 24 * 3_600_000;
const DECLINES_MAX = 50;
/** Then people are told again. */
const SILENT_MS = 30 * 24 * 3_600_000;

interface Deps extends WarnDeps {
  readonly alerts: Pick<Alerts, 'get'>;
  readonly history: Pick<CardHistory, 'recentAlerts'>;
  readonly warned: Warned;
  /** The channel of declines. */
  readonly channel: string;
  /** The day of an instant at the card service, `2026-11-20`. */
  readonly dayOf: (instant: string) => string;
  readonly now: () => Date;
}

/** Whether a decline may be one of a subscription that fails: only then is it worth reading the declines before it. */
export async function mayBeSubscription(
  event: TransactionEvent,
  history: Pick<CardHistory, 'declinesLast'>,
): Promise<boolean> {
  // What happens within 24 hours is on two days at most; a day may be an hour shorter than that.
  return event.isCardPresent !== true && (await history.declinesLast(event.acctId)) >= (DAYS_MIN - 2) * SHORTEST_DAY_MS;
}

/**
 * The same amount was declined at the same merchant on several days, without the card and never paid in between: somebody
 * should raise the limit, or cancel the subscription. The holder and the channel are told once a month. Safe to repeat.
 */
export function createWarnOfSubscription(deps: Deps): (alertId: string) => Promise<void> {
  const { alerts, history, warned, channel } = deps;
  const warnBoth = createWarnBoth(deps);
  return async function warnOfSubscription(alertId) {
    const alert = await alerts.get(alertId);
    if (alert?.kind !== 'transaction' || alert.event.decline === null || alert.event.isCardPresent) return;
    const tries = await triesOf(alert);
    const days = new Set(tries.map(({ event }) => deps.dayOf(event.occurredAt)));
    const first = tries.at(-1)?.event.occurredAt;
    if (days.size < DAYS_MIN || first === undefined) return;
    const { acctId, amountCents } = alert.event;
    const id = contentId('subscription_', [acctId, merchantKey(alert.event), amountCents]);
    if (await warned.has(id)) return;
    // The id of a message is used for good, so it names the try that led to it.
    const messageId = `${id}-${alert.event.id}`;
    const failing = { alert, days: days.size, since: first };
    await warnBoth('failing-subscriptions', { channel, acctId, id: messageId }, (audience) =>
      subscriptionWarning(failing, audience),
    );
    await warned.add(id, SILENT_MS);
  };

  /** Tries of the same purchase since it was last paid, newest first. */
  async function triesOf({ event }: TransactionAlert): Promise<TransactionAlert[]> {
    const ids = await history.recentAlerts(event.acctId, 'declines', DECLINES_MAX);
    const since = new Date(deps.now().getTime() - LOOK_BACK_MS).toISOString();
    const same = (await alertsOfKind('transaction', ids, alerts)).filter(
      ({ event: other }) =>
        merchantKey(other) === merchantKey(event) &&
        other.amountCents === event.amountCents &&
        !other.isCardPresent &&
        other.occurredAt >= since,
    );
    const paid = same.findIndex(({ outcomes }) => outcomes.some(({ verb }) => verb === 'paid'));
    return paid === -1 ? same : same.slice(0, paid);
  }
}
