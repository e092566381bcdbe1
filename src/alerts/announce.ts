import type { CardFacts } from '../core/card-facts.ts';
import { kindTraits, type StoredEvent } from '../core/event.ts';
import { type Alert, CardTestingAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { GroupAlert, Grouping } from './group-alert.ts';

/** One channel that gets an event. */
export interface Delivery {
  readonly channel: string;
  /** Milliseconds: the end of the channel's quiet hours. Null: post immediately. */
  readonly holdUntil: number | null;
  /** The channel has quiet hours now, but this event is exempt from them. */
  readonly passesQuiet: boolean;
}

/**
 * Decides which channels get an event, each listed once, and logs why. Empty when none does.
 *
 * @param passesMutes whoever muted the card did not mean this.
 */
export type Route = (event: StoredEvent, card: CardFacts, passesMutes: boolean) => Promise<Delivery[]>;

/** An alert on its way into a channel's outbox. */
interface AlertEntry {
  readonly kind: 'tracked';
  readonly id: string;
  readonly subject: { readonly kind: 'alert'; readonly id: string };
  readonly threadId: string | null;
  readonly broadcast: boolean;
  readonly priority: AlertPriority;
  readonly late: boolean;
  /** Milliseconds: held by quiet hours until then. */
  readonly notBefore: number | null;
}

type AlertPriority = 'fraud' | 'decline' | 'status' | 'shipping' | 'virtual' | 'spend';

/** How urgent an alert is by its kind. */
export function priorityOf({ kind, event }: Pick<Alert, 'kind' | 'event'>): AlertPriority {
  return kind === 'fraud-case' ? 'fraud' : kindTraits[event.kind].category;
}

interface Deps {
  readonly alerts: Pick<Alerts, 'get' | 'save'>;
  readonly route: Route;
  readonly groupAlert: GroupAlert;
  readonly outbox: { put(channel: string, entry: AlertEntry): Promise<unknown> };
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly updateMessages: (alertId: string) => Promise<void>;
}

/**
 * Stores an alert and puts it into every channel that gets it. Safe to repeat.
 *
 * @param occasion the event that decides which channels these are, if not the alert's own.
 */
export type Announce = (alert: Alert, occasion?: StoredEvent) => Promise<void>;

/** Announces an alert and notifies the holder of the card. Safe to repeat. */
export type Publish = Announce;

export function createAnnounce(deps: Deps): Announce {
  const { alerts, route, groupAlert, outbox, wakeOutbox, updateMessages } = deps;

  return async function announce(alert, occasion = alert.event) {
    await alerts.save(alert);
    for (const delivery of await route(occasion, alert.card, alert.kind === 'fraud-case')) {
      const { shownBy, threadId, broadcast, warning, changes } = await groupAlert(alert, delivery.channel);
      if (warning !== null) await warn(alert, warning, delivery);
      // An alert that is exempt from quiet hours must not wait inside a message that they hold.
      const isUrgent = delivery.passesQuiet && !alert.late;
      if (shownBy === null || isUrgent) {
        const id = shownBy ?? alert.event.id;
        await put({ id, late: alert.late }, delivery, { threadId, broadcast, priority: priorityOf(alert) });
      }
      for (const id of changes) await updateMessages(id);
    }
  };

  /** Posts the warning before the declines that answer it. Every further card is added to it. */
  async function warn(
    { event, card, late }: Alert,
    { warningId, isCause }: NonNullable<Grouping['warning']>,
    delivery: Delivery,
  ): Promise<void> {
    // The job of the decline that caused it may have failed for good: then the next decline creates it.
    if (isCause || (await alerts.get(warningId)) === null) {
      const warning = { kind: 'card-testing', event: { ...event, id: warningId }, card, outcomes: [], late, tried: [] };
      await alerts.save(CardTestingAlert.parse(warning));
    }
    await put({ id: warningId, late }, delivery, { threadId: warningId, broadcast: true, priority: 'fraud' });
    if (!isCause) await updateMessages(warningId);
  }

  async function put(
    { id, late }: Pick<AlertEntry, 'id' | 'late'>,
    { channel, holdUntil }: Delivery,
    how: Pick<AlertEntry, 'threadId' | 'broadcast' | 'priority'>,
  ): Promise<void> {
    // Somebody is testing cards right now: no quiet hours hold that back.
    const notBefore = how.priority === 'fraud' ? null : holdUntil;
    await outbox.put(channel, { kind: 'tracked', id, subject: { kind: 'alert', id }, ...how, late, notBefore });
    await wakeOutbox(channel);
  }
}
