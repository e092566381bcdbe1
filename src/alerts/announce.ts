import type { CardFacts } from '../core/card-facts.ts';
import { type AlertCategory, kindTraits, type StoredEvent } from '../core/event.ts';
import { type Alert, CardTestingAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { Step } from './event-log.ts';
import type { GroupAlert, Grouping } from './group-alert.ts';

/** A channel that gets an event. */
export interface Delivery {
  readonly channel: string;
  /** Milliseconds: end of the channel's quiet hours. Null: post immediately. */
  readonly holdUntil: number | null;
  /** The channel has quiet hours now, but this event is exempt from them. */
  readonly passesQuiet: boolean;
}

/**
 * Decides which channels get an event, each once, and why, for its event log. They may be none.
 *
 * @param isFraudCase no mute withholds a fraud case, and no quiet hours hold it.
 */
export type Route = (
  event: StoredEvent,
  card: CardFacts,
  isFraudCase: boolean,
) => Promise<{ readonly deliveries: readonly Delivery[]; readonly steps: readonly Step[] }>;

interface AlertEntry {
  readonly kind: 'tracked';
  readonly id: string;
  readonly subject: { readonly kind: 'alert'; readonly id: string };
  readonly threadId: string | null;
  readonly broadcast: boolean;
  readonly priority: AlertPriority;
  readonly late: boolean;
  /** Milliseconds: quiet hours hold it until then. */
  readonly notBefore: number | null;
}

type AlertPriority = 'fraud' | AlertCategory;

export function priorityOf({ kind, event }: Pick<Alert, 'kind' | 'event'>): AlertPriority {
  return kind === 'fraud-case' || kind === 'card-testing' ? 'fraud' : kindTraits[event.kind].category;
}

interface Deps {
  readonly alerts: Pick<Alerts, 'get' | 'record' | 'save'>;
  readonly route: Route;
  readonly groupAlert: GroupAlert;
  /** `put` returns false when the entry waits already, or was posted. */
  readonly outbox: { put(channel: string, entry: AlertEntry): Promise<boolean> };
  /** True while Redis may lack recent alerts, whose jobs store them again. */
  readonly isInDoubt: () => boolean;
  readonly updateAlert: (alertId: string) => Promise<void>;
}

/**
 * Routes an alert, records it, and adds it to the outbox of each channel that gets it. Idempotent. An alert that cannot be
 * routed is not recorded either, until its job succeeds.
 *
 * @returns whether a payment of its account follows it, if it is a decline. False for other alerts.
 */
export type Announce = (alert: Alert) => Promise<boolean>;

export function createAnnounce(deps: Deps): Announce {
  const { alerts, route, groupAlert, outbox, isInDoubt, updateAlert } = deps;

  return async function announce(alert) {
    const { deliveries, steps } = await route(alert.event, alert.card, alert.kind === 'fraud-case');
    const hasPaymentSince = await alerts.record(alert, steps);
    // It may be a step of what earlier messages show.
    if (deliveries.length === 0) for (const id of (await groupAlert(alert, null)).changes) await updateAlert(id);
    for (const delivery of deliveries) {
      const { shownBy, threadId, broadcast, warning, changes } = await groupAlert(alert, delivery.channel);
      if (warning !== null) await warn(alert, warning, delivery);
      // An alert that is exempt from quiet hours must not wait inside a held message.
      const isUrgent = delivery.passesQuiet && !alert.late;
      if (shownBy === null || isUrgent) {
        const id = shownBy ?? alert.event.id;
        await put({ id, late: alert.late }, delivery, { threadId, broadcast, priority: priorityOf(alert) });
      }
      for (const id of changes) await updateAlert(id);
    }
    return hasPaymentSince;
  };

  /** Posts the warning before the declines in its thread, and adds each further card to it. */
  async function warn(
    { event, card, late }: Alert,
    { warningId, isCause }: NonNullable<Grouping['warning']>,
    delivery: Delivery,
  ): Promise<void> {
    // The job of the decline that caused the warning may have failed for good. The next decline then creates it.
    if (isCause || (await alerts.get(warningId)) === null) {
      const warning = { kind: 'card-testing', event: { ...event, id: warningId }, card, outcomes: [], late, tried: [] };
      await alerts.save(CardTestingAlert.parse(warning));
    }
    await put({ id: warningId, late }, delivery, { threadId: warningId, broadcast: true, priority: 'fraud' });
    if (!isCause) await updateAlert(warningId);
  }

  async function put(
    { id, late }: Pick<AlertEntry, 'id' | 'late'>,
    { channel, holdUntil }: Delivery,
    how: Pick<AlertEntry, 'threadId' | 'broadcast' | 'priority'>,
  ): Promise<void> {
    // Someone is testing cards right now, so quiet hours do not hold this back.
    const notBefore = how.priority === 'fraud' ? null : holdUntil;
    const entry = { kind: 'tracked', id, subject: { kind: 'alert', id }, ...how, late, notBefore } as const;
    const isNew = await outbox.put(channel, entry);
    // A message that was edited before the alert was stored again does not show it any more.
    if (!isNew && isInDoubt()) await updateAlert(id);
  }
}
