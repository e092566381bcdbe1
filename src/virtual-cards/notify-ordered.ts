import { orderResult } from '../../templates/virtual-cards/order.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { auditRecord } from '../actions/report.ts';
import { VirtualCardAlert } from '../alerts/alert.ts';
import type { VirtualCardEvent } from '../core/event.ts';
import type { Asked } from './order-store.ts';

/** A virtual card's webhook came: whoever ordered it, or asked for it again, hears the result. Safe to repeat. */
export async function virtualCardArrived(event: VirtualCardEvent, deps: ActionDeps): Promise<void> {
  const asked = await askerOf(event, deps);
  if (asked !== null) await notifyOrdered(asked.action, event.id, deps);
}

async function askerOf(event: VirtualCardEvent, { virtualOrders }: ActionDeps): Promise<Asked | null> {
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

/** What happened before somebody asked is not the answer. */
function isAfter(asked: Asked | null, callbackAt: string): boolean {
  return asked !== null && Date.parse(callbackAt) >= Date.parse(asked.at) - CLOCKS_DIFFER_MS;
}

const CLOCKS_DIFFER_MS = 60_000;

/** An event of the same name came before: tells it, unless it is older than the order, or somebody else's. Safe to repeat. */
export async function notifyIfAnswer(asked: Asked, eventId: string, deps: ActionDeps): Promise<void> {
  const stored = VirtualCardAlert.safeParse((await deps.alerts.get(eventId))?.alert);
  if (!stored.success || !isAfter(asked, stored.data.event.callbackAt)) return;
  const { action } = asked;
  const known = stored.data.asked;
  if (known != null && (known.by !== action.actor.userId || known.at !== action.askedAt)) return;
  await notifyOrdered(action, eventId, deps);
}

/** In a direct message, besides the alert in its channel, which says who asked. */
export async function notifyOrdered(action: Action, eventId: string, deps: ActionDeps): Promise<void> {
  const stored = VirtualCardAlert.safeParse((await deps.alerts.get(eventId))?.alert);
  if (!stored.success) return;
  const alert = stored.data;
  const { acctId } = alert.event;
  const facts = { acctId, cardId: null, detail: alert.event.outcome, confirmedBy: 'webhook', eventId } as const;
  await deps.audit.append(auditRecord(action, 'confirmed', facts, deps));
  await deps.alerts.setAsked(eventId, { by: action.actor.userId, at: action.askedAt });
  await deps.updateMessages(eventId);
  await deps.notifyDirectly(action.actor.userId, `virtual-${action.id}-${eventId}`, orderResult(alert));
}
