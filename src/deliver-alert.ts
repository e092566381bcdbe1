import { type Alert, type CardFacts, CardTestingAlert, type StatusAlert, type StatusChange } from './alert/alert.ts';
import type { CardStatus, CardStatusEvent, StoredEvent, TransactionEvent } from './alert/event.ts';
import { type StatusStory, tellStatusStory } from './alert/status-story.ts';
import { type Urgency, urgencyOf } from './alert/urgency.ts';
import type { PlaceAlert } from './place-alert.ts';
import type { Advice } from './remedy.ts';
import type { Delivery, Route } from './routing/route.ts';
import type { Alerts } from './store/alerts.ts';
import type { CardHistory } from './store/card-history.ts';
import type { Outbox } from './store/outbox.ts';

/** How long an activation waits for the BLOCKED that may follow it at once. */
export const PASSING_THROUGH_HOLD_MS = 1200;

interface Deps {
  /** What the directory knows; nulls where the card API is away. Answers soon either way. */
  readonly factsOf: (event: StoredEvent) => Promise<CardFacts>;
  /** Status of a card as the directory knew it before this event. */
  readonly knownStatus: (acctId: number, card: { cardId: number; last4: string }) => Promise<CardStatus | null>;
  /** Tells the directory what the event says. */
  readonly learn: (event: StoredEvent) => Promise<void>;
  /** What would have let a declined purchase pass; null when nothing would, or nobody can say now. */
  readonly adviceFor: (event: TransactionEvent) => Promise<Advice>;
  /** The channels that get an event. */
  readonly route: Route;
  /** Asks the card API again later, where an alert had to go out without its numbers. */
  readonly enrichLater: (alertId: string) => Promise<void>;
  readonly placeAlert: PlaceAlert;
  /** The first use of a card that was activated. Answers with the alerts whose messages say so from now on. */
  readonly cardUsed: (event: TransactionEvent) => Promise<readonly string[]>;
  /** Tells the holder of the card as well, in a direct message, where one is linked. */
  readonly tellHolder: (alert: Alert) => Promise<void>;
  readonly history: CardHistory;
  /** For the digests. Safe to repeat. */
  readonly countDecline: (event: TransactionEvent, card: CardFacts) => Promise<void>;
  readonly alerts: Alerts;
  readonly outbox: Outbox;
  readonly wakeOutbox: (channel: string) => Promise<void>;
  readonly updateMessages: (alertId: string) => Promise<void>;
}

type AnnounceDeps = Pick<Deps, 'alerts' | 'route' | 'placeAlert' | 'outbox' | 'wakeOutbox' | 'updateMessages'>;

/** How an event came to its delivery. */
export interface Coming {
  /** It was already held back once. */
  readonly hasWaited: boolean;
  /** It was missed and fetched afterwards: its alert says so, and nobody is pinged. */
  readonly isLate: boolean;
}

/**
 * Worker half of an alert: enrich, remember, route, and put it into its channel's outbox.
 *
 * Runs at least once for each event; every step may be repeated and adds nothing the second time.
 *
 * @returns milliseconds after which to run again, or null when it is done.
 */
export async function deliverAlert(event: StoredEvent, coming: Coming, deps: Deps): Promise<number | null> {
  if (event.kind === 'card-status') return await deliverStatus(event, coming, deps);

  const card = await deps.factsOf(event);
  await deps.learn(event);
  const base = { card, outcomes: [], late: coming.isLate };
  if (event.kind === 'card-shipping') {
    await deps.history.addAlert(event.acctId, 'shipments', event.id, Date.parse(event.callbackAt));
    await deliver({ ...base, event, isReminder: false }, deps);
  } else if (event.kind === 'virtual-card') {
    await deliver({ ...base, event }, deps);
  } else {
    if (event.kind === 'decline') {
      await deps.history.addAlert(event.acctId, 'declines', event.id, Date.parse(event.occurredAt));
      await deps.countDecline(event, card);
    }
    if (event.kind !== 'decline' && event.direction === 'debit') {
      for (const id of await deps.cardUsed(event)) await deps.updateMessages(id);
    }
    const noAdvice = { remedy: null, isIncomplete: false };
    const { remedy, isIncomplete } = event.kind === 'decline' ? await deps.adviceFor(event) : noAdvice;
    await deliver({ ...base, event, remedy, repeats: {}, story: null }, deps);
    if (isIncomplete) await deps.enrichLater(event.id);
  }
  return null;
}

async function deliverStatus(event: CardStatusEvent, coming: Coming, deps: Deps): Promise<number | null> {
  const stories: StatusStory[] = [];
  for (const { cardId, last4, status } of event.cards) {
    const known = await deps.knownStatus(event.acctId, { cardId, last4 });
    const record = { eventId: event.id, status, callbackAt: event.callbackAt };
    const history = await deps.history.addStatus(cardId, record);
    stories.push(tellStatusStory({ cardId, last4 }, event.id, history, known));
  }
  const isSingle = stories.length === 1;
  if (isSingle && stories[0]?.mayContinue === true && !coming.hasWaited && !coming.isLate)
    return PASSING_THROUGH_HOLD_MS;

  const changes: StatusChange[] = [];
  for (const { change } of stories) {
    const last = change.steps.at(-1)?.status;
    const causedBy = last === undefined ? null : await deps.history.expectedBy(event.acctId, last, event.id);
    changes.push({ ...change, causedBy });
  }
  const card = await deps.factsOf(event);
  await deps.learn(event);
  const alert: StatusAlert = { event, card, outcomes: [], late: coming.isLate, changes };

  const told = isSingle ? await toldAlready(event, stories[0] as StatusStory, deps) : null;
  if (told === null) {
    await deliver(alert, deps);
  } else {
    // Where the card came from was known then; by now the directory knows only where it went.
    const merged = alert.changes.map((change, i) => ({
      ...change,
      from: change.from ?? told.changes[i]?.from ?? null,
    }));
    await deps.alerts.save({ ...alert, event: told.event, changes: merged });
    await deps.updateMessages(told.event.id);
  }
  return null;
}

/** The alert of the other event of INACTIVE → ACTIVE → BLOCKED, if it came first. */
async function toldAlready(event: CardStatusEvent, story: StatusStory, { alerts }: Deps): Promise<StatusAlert | null> {
  if (story.change.steps.length < 2) return null;
  for (const id of story.eventIds) {
    if (id === event.id) continue;
    const stored = await alerts.get(id);
    if (stored !== null && 'changes' in stored.alert) return stored.alert;
  }
  return null;
}

async function deliver(alert: Alert, deps: Deps): Promise<void> {
  await announce(alert, deps);
  await deps.tellHolder(alert);
}

/** Puts an alert into every channel that it goes to. Safe to repeat. */
export async function announce(alert: Alert, deps: AnnounceDeps): Promise<void> {
  await deps.alerts.save(alert);
  for (const delivery of await deps.route(alert.event, alert.card)) {
    const { toldBy, threadId, broadcast, warning, changes } = await deps.placeAlert(alert, delivery.channel);
    if (warning !== null) await warn(alert, warning, delivery, deps);
    if (toldBy === null) await put(alert, delivery, { threadId, broadcast, urgency: urgencyOf(alert.event) }, deps);
    for (const id of changes) await deps.updateMessages(id);
  }
}

/** The warning comes before the decline that brought it about, which answers it; every further card is added to it. */
async function warn(
  { event, card, late }: Alert,
  { warningId, isCause }: { readonly warningId: string; readonly isCause: boolean },
  delivery: Delivery,
  deps: AnnounceDeps,
): Promise<void> {
  if (!isCause) return await deps.updateMessages(warningId);
  const warning = CardTestingAlert.parse({ event: { ...event, id: warningId }, card, outcomes: [], late, tried: [] });
  await deps.alerts.save(warning);
  await put(warning, delivery, { threadId: warningId, broadcast: true, urgency: 'fraud' }, deps);
}

async function put(
  alert: Alert,
  { channel, holdUntil }: Delivery,
  how: { readonly threadId: string | null; readonly broadcast: boolean; readonly urgency: Urgency },
  { outbox, wakeOutbox }: AnnounceDeps,
): Promise<void> {
  const { id } = alert.event;
  // Somebody is trying cards now: that is what quiet hours are not for.
  const notBefore = how.urgency === 'fraud' ? null : holdUntil;
  await outbox.put(channel, { kind: 'alert', id, alertId: id, ...how, late: alert.late, notBefore });
  await wakeOutbox(channel);
}
