import { currentState } from '../../templates/actions/outcomes.ts';
import type { CardStatus, CardStatusEvent } from '../core/event.ts';
import type { TransactionAlert } from './alert.ts';
import { type Alerts, alertsOfKind } from './alert-store.ts';
import type { CardHistory } from './card-history.ts';
import { declineReason } from './decline-reason.ts';

/** Older declines are not tried again. */
const WITHIN_MS = 7 * 24 * 3_600_000;

interface Deps {
  readonly history: Pick<CardHistory, 'alertsBetween' | 'expectedAction'>;
  readonly alerts: Pick<Alerts, 'get' | 'setOutcome'>;
  readonly updateAlert: (alertId: string) => Promise<void>;
}

/** A card has a new status, wherever it was changed: the declines that the old one caused, or that name it, show it. Idempotent. */
export type ShowStatus = (event: CardStatusEvent, status: CardStatus) => Promise<void>;

export function createShowStatus({ history, alerts, updateAlert }: Deps): ShowStatus {
  return async function showStatus(event, status) {
    const { id, acctId, callbackAt: at } = event;
    if (status !== 'ACTIVE' && status !== 'BLOCKED') return;
    const atMs = Date.parse(at);
    const ids = await history.alertsBetween(acctId, 'declines', atMs - WITHIN_MS, atMs);
    const declines = await alertsOfKind('transaction', ids, alerts);
    const by = declines.length === 0 ? null : await history.expectedAction(event, status);
    for (const alert of declines) {
      const verb = verbFor(alert, status);
      if (verb === null) continue;
      const outcome = { verb, by: by?.userId ?? null, at, state: 'done', text: '' } as const;
      // Under the id of the action that changed it: if that was asked for on this alert, its own report replaces this.
      await alerts.setOutcome(alert.event.id, by?.actionId ?? `status-${id}`, outcome);
      await updateAlert(alert.event.id);
    }
  };
}

/** What the alert has to show; null: nothing, or it shows it already. */
function verbFor({ event, card, remedy, outcomes }: TransactionAlert, status: 'ACTIVE' | 'BLOCKED') {
  const cause = event.decline === null ? 'none' : declineReason(event.decline, remedy).remedy;
  // Whatever declined the purchase, the alert says that the card was blocked since.
  const wanted = card.status === 'BLOCKED' ? 'unblock' : cause;
  if (wanted !== 'activate' && wanted !== 'unblock') return null;
  const { isActivated, isUnblocked, isBlocked, isPaid } = currentState(outcomes);
  const isUsable = (isActivated || isUnblocked) && !isBlocked;
  if (isPaid || isUsable === (status === 'ACTIVE')) return null;
  if (status === 'BLOCKED') return 'block';
  return isBlocked ? 'unblock' : wanted;
}
