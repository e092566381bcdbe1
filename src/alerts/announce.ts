import type { CardFacts } from '../core/card-facts.ts';
import { kindTraits, type StoredEvent, type WebhookKind } from '../core/event.ts';
import { type Alert, CardTestingAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { GroupAlert, Grouping } from './group-alert.ts';

/** One channel that gets an event. */
export interface Delivery {
  readonly channel: string;
  /** Not to be posted before this time (ms): the channel's quiet hours. Null: at once. */
  readonly holdUntil: number | null;
  /** The channel is quiet now, but not for this event. */
  readonly passesQuiet: boolean;
}

/** Decides which channels get an event, each once; none when it is posted nowhere. Says why in the event log. */
export type Route = (event: StoredEvent, card: CardFacts) => Promise<Delivery[]>;

/** An alert on its way into a channel's outbox. */
export interface AlertEntry {
  readonly kind: 'tracked';
  readonly id: string;
  readonly subject: { readonly kind: 'alert'; readonly id: string };
  readonly threadId: string | null;
  readonly broadcast: boolean;
  readonly priority: AlertPriority;
  readonly late: boolean;
  /** Quiet hours hold it until then (ms). */
  readonly notBefore: number | null;
}

export type AlertPriority = 'fraud' | 'decline' | 'status' | 'shipping' | 'virtual' | 'spend';

/** How urgent an event of a kind is by itself. */
export function priorityOf({ kind }: { readonly kind: WebhookKind }): AlertPriority {
  return kindTraits[kind].category;
}

export interface AnnounceDeps {
  readonly alerts: Alerts;
  /** The channels that get an event. */
  readonly route: Route;
  readonly groupAlert: GroupAlert;
  readonly outbox: { put(channel: string, entry: AlertEntry): Promise<unknown> };
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly updateMessages: (alertId: string) => Promise<void>;
}

/**
 * Puts an alert into every channel that it goes to. Safe to repeat.
 *
 * @param occasion the event that decides which channels those are, where it is not the alert's own.
 */
export async function announce(alert: Alert, deps: AnnounceDeps, occasion: StoredEvent = alert.event): Promise<void> {
  await deps.alerts.save(alert);
  for (const delivery of await deps.route(occasion, alert.card)) {
    const { toldBy, threadId, broadcast, warning, changes } = await deps.groupAlert(alert, delivery.channel);
    if (warning !== null) await warn(alert, warning, delivery, deps);
    // What quiet hours let pass must not wait with the message that they hold and that tells it as well.
    const isUrgent = delivery.passesQuiet && !alert.late;
    if (toldBy === null || isUrgent) {
      const id = toldBy ?? alert.event.id;
      await put({ id, late: alert.late }, delivery, { threadId, broadcast, priority: priorityOf(alert.event) }, deps);
    }
    for (const id of changes) await deps.updateMessages(id);
  }
}

/** The warning comes before the declines that answer it; every further card is added to it. */
async function warn(
  { event, card, late }: Alert,
  { warningId, isCause }: NonNullable<Grouping['warning']>,
  delivery: Delivery,
  deps: AnnounceDeps,
): Promise<void> {
  // Whoever brought it about may have been given up on the way: then it begins with the next.
  if (isCause || (await deps.alerts.get(warningId)) === null) {
    const kind = 'card-testing';
    const about = { kind, event: { ...event, id: warningId }, card, outcomes: [], late, tried: [] };
    await deps.alerts.save(CardTestingAlert.parse(about));
  }
  await put({ id: warningId, late }, delivery, { threadId: warningId, broadcast: true, priority: 'fraud' }, deps);
  if (!isCause) await deps.updateMessages(warningId);
}

async function put(
  { id, late }: { readonly id: string; readonly late: boolean },
  { channel, holdUntil }: Delivery,
  how: { readonly threadId: string | null; readonly broadcast: boolean; readonly priority: AlertPriority },
  { outbox, wakeOutbox }: AnnounceDeps,
): Promise<void> {
  // Somebody is trying cards now: that is what quiet hours are not for.
  const notBefore = how.priority === 'fraud' ? null : holdUntil;
  await outbox.put(channel, { kind: 'tracked', id, subject: { kind: 'alert', id }, ...how, late, notBefore });
  await wakeOutbox(channel);
}
