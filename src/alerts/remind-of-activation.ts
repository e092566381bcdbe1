import { contentId } from '../core/content-id.ts';
import type { Log } from '../core/log.ts';
import type { DirectoryAccount } from '../directory/account.ts';
import { ActivationReminder, type Alert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { Awaited, CardOrders } from './card-order-store.ts';

/** One run reminds of so many; the others come with the next. */
const AT_ONCE_MAX = 50;

interface Deps {
  readonly cardOrders: CardOrders;
  readonly alerts: Pick<Alerts, 'get'>;
  /** An account straight from the card API; null when it would not tell. */
  readonly reload: (acctId: number) => Promise<DirectoryAccount | null>;
  /** Puts an alert where alerts of its kind go. Safe to repeat. */
  readonly announce: (alert: Alert) => Promise<void>;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Reminds once of each card that is still not activated long after it was shipped, unless it was activated, closed or
 * replaced meanwhile: the card API is asked now, nothing is taken from memory.
 *
 * A crash in between repeats the reminder under the same id, which adds nothing. Without an answer of the card API the
 * card waits for a later run, behind those that were not asked for yet.
 */
export async function remindOfActivation(deps: Deps): Promise<void> {
  const nowMs = deps.now().getTime();
  for (const awaited of await deps.cardOrders.overdue(nowMs, AT_ONCE_MAX)) {
    const verdict = await judge(awaited, deps);
    if (verdict === 'unknown') {
      await deps.cardOrders.restore(awaited, nowMs);
      continue;
    }
    if (verdict !== 'done') await deps.announce(verdict);
    await deps.cardOrders.forget(awaited);
  }
}

async function judge({ acctId, cardOrderId, alertId }: Awaited, deps: Deps): Promise<Alert | 'done' | 'unknown'> {
  const orders = await deps.cardOrders.ofAccount(acctId);
  const own = orders.find(({ progress }) => progress.cardOrderId === cardOrderId)?.progress;
  if (own === undefined || own.activated !== null || own.used !== null || own.closed !== null) return 'done';
  // A later order of the same account is its replacement.
  if (orders.some(({ progress }) => (progress.shipped ?? '') > (own.shipped ?? ''))) return 'done';
  const shipped = await deps.alerts.get(alertId);
  if (shipped?.kind !== 'card-shipping') return 'done';

  const account = await deps.reload(acctId);
  if (account === null) {
    deps.log.warn({ acctId }, 'the card API did not say whether a card was activated, asking again later');
    return 'unknown';
  }
  const { event } = shipped;
  const card = account.cards.find(({ last4, status }) => last4 === event.last4 && status !== 'CLOSED');
  const isReplaced = account.cards.some(({ cardId }) => (cardId ?? 0) > (card?.cardId ?? 0));
  if (card?.status !== 'INACTIVE' || isReplaced) return 'done';
  const id = contentId('evt_', ['reminder', event.id]);
  return ActivationReminder.parse({ ...shipped, kind: 'activation-reminder', event: { ...event, id }, outcomes: [] });
}
