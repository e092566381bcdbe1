import type { CardFacts } from '../core/card-facts.ts';
import type { CardStatus, CardStatusEvent, StatusRecord, StoredEvent } from '../core/event.ts';
import type { StatusAlert, StatusChange } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { Publish } from './announce.ts';
import type { CardHistory } from './card-history.ts';
import type { Arrival } from './deliver-alert.ts';

/** How long an activation waits for a BLOCKED that may follow immediately. */
const PASSING_THROUGH_HOLD_MS = 1200;

/**
 * Blocking an inactive card activates it first, so one change request causes two webhooks. They follow each other
 * immediately. Anything slower is two separate actions.
 */
const PASSING_THROUGH_MS = 60_000;

interface StatusTimeline {
  readonly change: Omit<StatusChange, 'causedBy'>;
  /** The events that share one message. */
  readonly eventIds: readonly string[];
  /** True when a BLOCKED that belongs to it may still follow. */
  readonly mayContinue: boolean;
}

/**
 * Interprets one status event, using everything known about the card.
 *
 * @param history every known status of the card, including this event's, in order of `callbackAt`.
 * @param knownBefore the status in the directory before the first known event, or null.
 */
export function statusTimeline(
  card: { cardId: number; last4: string },
  eventId: string,
  history: readonly StatusRecord[],
  knownBefore: CardStatus | null,
): StatusTimeline {
  const index = history.findIndex((record) => record.eventId === eventId);
  const own = history[index];
  if (own === undefined) throw new Error('the card history does not contain the event');

  const activation = passingActivation(history, index, knownBefore);
  const steps = activation === null ? [own] : history.slice(activation, activation + 2);
  const start = activation ?? index;
  const from = history[start - 1]?.status ?? (start === 0 ? knownBefore : null);
  const later = history[start + steps.length];

  return {
    change: {
      ...card,
      // The directory may have read the new status before the webhook arrived. The previous status is then unknown.
      from: start === 0 && from === steps[0]?.status ? null : from,
      steps: steps.map(({ status, callbackAt }) => ({ status, at: callbackAt })),
      supersededBy: later === undefined ? null : (history.at(-1)?.status ?? null),
    },
    eventIds: steps.map((step) => step.eventId),
    mayContinue:
      activation === null && own.status === 'ACTIVE' && later === undefined && (from === 'INACTIVE' || from === null),
  };
}

/** Index of an ACTIVE that was only a step from INACTIVE to BLOCKED, if the event is one of the two. */
function passingActivation(
  history: readonly StatusRecord[],
  index: number,
  knownBefore: CardStatus | null,
): number | null {
  for (const start of [index, index - 1]) {
    const [active, blocked] = [history[start], history[start + 1]];
    if (active?.status !== 'ACTIVE' || blocked?.status !== 'BLOCKED') continue;
    const before = history[start - 1]?.status ?? (start === 0 ? knownBefore : null);
    if (before !== null && before !== 'INACTIVE') continue;
    if (Date.parse(blocked.callbackAt) - Date.parse(active.callbackAt) <= PASSING_THROUGH_MS) return start;
  }
  return null;
}

interface Deps {
  readonly directory: {
    readonly factsOf: (event: StoredEvent) => Promise<CardFacts>;
    readonly learn: (event: StoredEvent) => Promise<void>;
    readonly statusBefore: (
      event: CardStatusEvent,
      card: { readonly cardId: number; readonly last4: string },
    ) => Promise<CardStatus | null>;
  };
  readonly history: Pick<CardHistory, 'addStatus' | 'expectedBy'>;
  readonly alerts: Pick<Alerts, 'get' | 'save'>;
  readonly publish: Publish;
  readonly updateAlert: (alertId: string) => Promise<void>;
}

/** @returns milliseconds until the next run, or null when the event is delivered. */
type DeliverStatus = (event: CardStatusEvent, arrival: Arrival) => Promise<number | null>;

/** Delivers a status change. Two events that belong together share one alert. Idempotent. */
export function createDeliverStatus({ directory, history, alerts, publish, updateAlert }: Deps): DeliverStatus {
  return async function deliverStatus(event, { hasWaited, isLate }) {
    const timelines = await timelinesOf(event);
    const [first] = timelines;
    const single = timelines.length === 1 && first !== undefined ? first : null;
    if (single?.mayContinue === true && !hasWaited && !isLate) return PASSING_THROUGH_HOLD_MS;

    const changes = await Promise.all(timelines.map(({ change }) => withCause(event, change)));
    const card = await directory.factsOf(event);
    await directory.learn(event);
    const alert: StatusAlert = {
      kind: 'card-status',
      event,
      card,
      outcomes: [],
      late: isLate,
      changes,
      progress: null,
    };
    const earlier = single === null ? null : await earlierAlert(event, single);
    if (earlier === null) {
      await publish(alert);
    } else {
      await publishMerged(alert, earlier, single?.eventIds.at(-1) === event.id);
    }
    return null;
  };

  async function timelinesOf(event: CardStatusEvent): Promise<StatusTimeline[]> {
    const timelines: StatusTimeline[] = [];
    for (const { cardId, last4, status } of event.cards) {
      const before = await directory.statusBefore(event, { cardId, last4 });
      const { id: eventId, callbackAt, receivedAt } = event;
      const known = await history.addStatus(cardId, { eventId, status, callbackAt, receivedAt });
      timelines.push(statusTimeline({ cardId, last4 }, event.id, known, before));
    }
    return timelines;
  }

  async function withCause(event: CardStatusEvent, change: StatusTimeline['change']): Promise<StatusChange> {
    const status = change.steps.at(-1)?.status;
    const causedBy = status === undefined ? null : await history.expectedBy(event.acctId, status, event.id);
    return { ...change, causedBy };
  }

  /** The alert of the other event of INACTIVE → ACTIVE → BLOCKED, if that event arrived first. */
  async function earlierAlert({ id }: CardStatusEvent, { eventIds }: StatusTimeline): Promise<StatusAlert | null> {
    for (const other of eventIds.filter((eventId) => eventId !== id)) {
      const alert = await alerts.get(other);
      if (alert?.kind === 'card-status') return alert;
    }
    return null;
  }

  /**
   * Both events share the earlier alert, whose messages now show both. If a mute withheld the activation, it has no message
   * yet. A block passes every mute, so it is routed separately, and the card's holder is notified.
   *
   * @param isBlock false when the block arrived first: it was already routed, and this is its activation.
   */
  async function publishMerged(alert: StatusAlert, earlier: StatusAlert, isBlock: boolean): Promise<void> {
    const merged: StatusAlert = {
      ...alert,
      event: earlier.event,
      // The earlier alert knew the card's previous status. The directory now knows only the new one.
      changes: alert.changes.map((change, i) => ({ ...change, from: change.from ?? earlier.changes[i]?.from ?? null })),
    };
    if (isBlock) await publish(merged, alert.event);
    else await alerts.save(merged);
    await updateAlert(merged.event.id);
  }
}
