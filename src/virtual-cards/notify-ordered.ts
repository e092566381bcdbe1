import { orderResult } from '../../templates/virtual-cards/order.ts';
import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { VirtualCardAlert } from '../alerts/alert.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { VirtualCardEvent } from '../core/event.ts';
import type { Asked, VirtualOrders } from './order.ts';

interface Deps extends Pick<ActionTools, 'record' | 'updateMessages' | 'notifyDirectly'> {
  readonly virtualOrders: Pick<VirtualOrders, 'arrived'>;
  readonly alerts: Pick<Alerts, 'get' | 'setAsked'>;
}

/** Notifies people that the virtual card they asked for exists. Safe to repeat. */
export type OrderNotices = ReturnType<typeof createOrderNotices>;

export function createOrderNotices({ virtualOrders, alerts, record, updateMessages, notifyDirectly }: Deps) {
  return {
    /** A virtual card's webhook came: whoever ordered it, or asked for its details again, is notified. */
    async virtualCardArrived(event: VirtualCardEvent): Promise<void> {
      const asked = await askerOf(event);
      if (asked !== null) await notifyOrdered(asked.action, event.id);
    },
    /** In a direct message, besides the alert in its channel, which says who asked. */
    notifyOrdered,
    /** Notifies about an earlier event with the same name, unless it is older than the order, or somebody else's. */
    async notifyIfAnswer({ action, at }: Asked, eventId: string): Promise<void> {
      const alert = await alertOf(eventId);
      if (alert === null || !isAfter({ action, at }, alert.event.callbackAt)) return;
      const { asked } = alert;
      if (asked != null && (asked.by !== action.actor.userId || asked.at !== action.askedAt)) return;
      await notifyOrdered(action, eventId);
    },
  };

  async function askerOf(event: VirtualCardEvent): Promise<Asked | null> {
    const { id, acctId, virtualCardOrderId, outcome, holder, callbackAt } = event;
    if (outcome === 'resend') {
      const resent = acctId === null ? null : await virtualOrders.arrived({ kind: 'resend', acctId }, id);
      return isAfter(resent, callbackAt) ? resent : null;
    }
    const ordered =
      virtualCardOrderId === null
        ? null
        : await virtualOrders.arrived({ kind: 'order', orderId: virtualCardOrderId }, id);
    if (ordered !== null) return ordered;
    const named = await virtualOrders.arrived({ kind: 'name', name: holder }, id);
    return isAfter(named, callbackAt) ? named : null;
  }

  async function notifyOrdered(action: Action, eventId: string): Promise<void> {
    const alert = await alertOf(eventId);
    if (alert === null) return;
    const { acctId, outcome } = alert.event;
    await record(action, { event: 'confirmed', acctId, detail: outcome, confirmedBy: 'webhook', eventId });
    await alerts.setAsked(eventId, { by: action.actor.userId, at: action.askedAt });
    await updateMessages(eventId);
    await notifyDirectly(action.actor.userId, `virtual-${action.id}-${eventId}`, orderResult(alert));
  }

  async function alertOf(eventId: string): Promise<VirtualCardAlert | null> {
    const alert = await alerts.get(eventId);
    return alert?.kind === 'virtual-card' ? alert : null;
  }
}

/** An event from before somebody asked is not the answer. */
function isAfter(asked: Asked | null, callbackAt: string): boolean {
  return asked !== null && Date.parse(callbackAt) >= Date.parse(asked.at) - CLOCKS_DIFFER_MS;
}

const CLOCKS_DIFFER_MS = 60_000;
