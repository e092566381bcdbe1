import type { CardFacts } from '../core/card-facts.ts';
import type { CardStatus, CardStatusEvent, StoredEvent, TransactionEvent } from '../core/event.ts';
import type { Remedy } from '../limits/remedy-change.ts';
import type { Alert, StatusAlert, StatusChange } from './alert.ts';
import { type AnnounceDeps, announce } from './announce.ts';
import type { CardHistory } from './card-history.ts';
import { type StatusTimeline, statusTimeline } from './status-timeline.ts';

/** How long an activation waits for the BLOCKED that may follow it at once. */
export const PASSING_THROUGH_HOLD_MS = 1200;

/** What would let a declined purchase pass. */
export interface Advice {
  /** Null: nothing of ours would, or the card API did not say in time. */
  readonly remedy: Remedy | null;
  /** The card API did not say all that there is to say: it is worth asking again later. */
  readonly isIncomplete: boolean;
}

interface Deps extends AnnounceDeps {
  /** What the directory knows; nulls where the card API is away. Answers soon either way. */
  readonly factsOf: (event: StoredEvent) => Promise<CardFacts>;
  /** Status of a card as the directory knew it before this event. */
  readonly knownStatus: (acctId: number, card: { cardId: number; last4: string }) => Promise<CardStatus | null>;
  /** Tells the directory what the event says. */
  readonly learn: (event: StoredEvent) => Promise<void>;
  readonly adviceFor: (event: TransactionEvent) => Promise<Advice>;
  /** Asks the card API again later, where an alert had to go out without its numbers. */
  readonly enrichLater: (alertId: string) => Promise<void>;
  /** The first use of a card that was activated. Answers with the alerts whose messages say so from now on. */
  readonly cardUsed: (event: TransactionEvent) => Promise<readonly string[]>;
  /** Tells the holder of the card as well, in a direct message, where one is linked. */
  readonly notifyHolder: (alert: Alert) => Promise<void>;
  /** Whether what is set aside on top of a purchase counts against limits: see `CardApiAssumptions`. */
  readonly paddingCounts: boolean;
  readonly history: CardHistory;
  /** For the digests. Safe to repeat. */
  readonly countDecline: (event: TransactionEvent, card: CardFacts) => Promise<void>;
}

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
export async function deliverAlert(stored: StoredEvent, coming: Coming, deps: Deps): Promise<number | null> {
  // All that looks at a purchase from here on reads the amount that limits see.
  const event = !deps.paddingCounts && 'paddingCents' in stored ? { ...stored, paddingCents: 0 } : stored;
  if (event.kind === 'card-status') return await deliverStatus(event, coming, deps);

  const card = await deps.factsOf(event);
  await deps.learn(event);
  const base = { card, outcomes: [], late: coming.isLate };
  if (event.kind === 'card-shipping') {
    await deps.history.addAlert(event.acctId, 'shipments', event.id, Date.parse(event.callbackAt));
    await deliver({ ...base, kind: 'card-shipping', event, progress: null }, deps);
  } else if (event.kind === 'virtual-card') {
    await deliver({ ...base, kind: 'virtual-card', event, asked: null }, deps);
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
    await deliver({ ...base, kind: 'transaction', event, remedy, repeats: {}, timeline: null }, deps);
    if (isIncomplete) await deps.enrichLater(event.id);
  }
  return null;
}

async function deliverStatus(event: CardStatusEvent, coming: Coming, deps: Deps): Promise<number | null> {
  const timelines: StatusTimeline[] = [];
  for (const { cardId, last4, status } of event.cards) {
    const known = await deps.knownStatus(event.acctId, { cardId, last4 });
    const record = { eventId: event.id, status, callbackAt: event.callbackAt };
    const history = await deps.history.addStatus(cardId, record);
    timelines.push(statusTimeline({ cardId, last4 }, event.id, history, known));
  }
  const isSingle = timelines.length === 1;
  if (isSingle && timelines[0]?.mayContinue === true && !coming.hasWaited && !coming.isLate)
    return PASSING_THROUGH_HOLD_MS;

  const changes: StatusChange[] = [];
  for (const { change } of timelines) {
    const last = change.steps.at(-1)?.status;
    const causedBy = last === undefined ? null : await deps.history.expectedBy(event.acctId, last, event.id);
    changes.push({ ...change, causedBy });
  }
  const card = await deps.factsOf(event);
  await deps.learn(event);
  const late = coming.isLate;
  const alert: StatusAlert = { kind: 'card-status', event, card, outcomes: [], late, changes, progress: null };

  const told = isSingle ? await toldAlready(event, timelines[0] as StatusTimeline, deps) : null;
  if (told === null) {
    await deliver(alert, deps);
  } else {
    // Where the card came from was known then; by now the directory knows only where it went.
    const merged = alert.changes.map((change, i) => ({
      ...change,
      from: change.from ?? told.changes[i]?.from ?? null,
    }));
    const isLast = timelines[0]?.eventIds.at(-1) === event.id;
    await notifyMerged({ ...alert, event: told.event, changes: merged }, isLast ? event : null, deps);
  }
  return null;
}

/** The alert of the other event of INACTIVE → ACTIVE → BLOCKED, if it came first. */
async function toldAlready(
  event: CardStatusEvent,
  timeline: StatusTimeline,
  { alerts }: Deps,
): Promise<StatusAlert | null> {
  if (timeline.change.steps.length < 2) return null;
  for (const id of timeline.eventIds) {
    if (id === event.id) continue;
    const stored = await alerts.get(id);
    if (stored?.kind === 'card-status') return stored;
  }
  return null;
}

/**
 * Both events are one alert, whose messages say the rest now. Where a mute withheld the activation it has none yet: the
 * block comes through, so it is routed by itself, and so is the holder's message.
 *
 * @param newer the block; null where it came first and went wherever it goes, and this is its activation.
 */
async function notifyMerged(alert: StatusAlert, newer: CardStatusEvent | null, deps: Deps): Promise<void> {
  if (newer !== null) {
    await announce(alert, deps, newer);
    await deps.notifyHolder(alert);
  } else {
    await deps.alerts.save(alert);
  }
  await deps.updateMessages(alert.event.id);
}

async function deliver(alert: Alert, deps: Deps): Promise<void> {
  await announce(alert, deps);
  await deps.notifyHolder(alert);
}
