import { cardInUse } from '../actions/send-status.ts';
import type { CardStatus, CardStatusEvent, StatusRecord } from '../core/event.ts';
import { type Alert, lastStep, type StatusAlert, type StatusChange } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { Announce } from './announce.ts';
import type { CardHistory } from './card-history.ts';
import type { Arrival, KnownCards } from './deliver-alert.ts';
import type { ShowStatus } from './show-status.ts';

/** How long an activation waits for a BLOCKED that may follow immediately. */
const PASSING_THROUGH_HOLD_MS = 1200;

/**
 * Blocking an inactive card activates it first, so one change request causes two webhooks. They follow each other
 * immediately. Anything slower is two separate actions, and so is a block of a card whose activation was already reported.
 */
const PASSING_THROUGH_MS = 60_000;

type StatusTimeline = ReturnType<typeof statusTimeline>;

/**
 * Interprets one status event, using everything known about the card.
 *
 * @param known every known status of the card, including this event's, in order of `callbackAt`.
 * @param knownBefore the status in the directory before the first known event, or null.
 * @param isAlone the event has an alert of its own, whatever it may belong to.
 */
export function statusTimeline(
  card: { cardId: number; last4: string },
  eventId: string,
  known: readonly StatusRecord[],
  knownBefore: CardStatus | null,
  { isAlone = false } = {},
) {
  // Final, so whatever seems to follow was only delayed.
  const history = known.toSorted((a, b) => Number(a.status === 'CLOSED') - Number(b.status === 'CLOSED'));
  const wasClosed = knownBefore === 'CLOSED' && history.every(({ status }) => status !== 'CLOSED');
  const before = knownBefore === 'CLOSED' ? null : knownBefore;
  const index = history.findIndex((record) => record.eventId === eventId);
  const own = history[index];
  if (own === undefined) throw new Error('the card history does not contain the event');

  const activation = isAlone ? null : passingActivation(history, index, before);
  const { start, steps } = activation ?? { start: index, steps: [own] as const };
  const [first, ...others] = steps;
  const from = history[start - 1]?.status ?? (start === 0 ? before : null);
  const later = wasClosed ? 'CLOSED' : history.slice(start + steps.length).at(-1)?.status;
  const change: Omit<StatusChange, 'causedBy'> = {
    ...card,
    // The directory may have read the new status before the webhook arrived. The previous status is then unknown.
    from: start === 0 && from === first.status ? null : from,
    steps: [stepOf(first), ...others.map(stepOf)],
    supersededBy: later ?? null,
  };

  return {
    change,
    /** The events that share one message. */
    eventIds: steps.map((step) => step.eventId),
    /** The card had this status before: the event lists it, but is about another card. */
    isRepeat: steps.every(({ status }) => status === (from ?? knownBefore)),
    /** A BLOCKED that belongs to it may still follow. */
    mayContinue:
      activation === null && own.status === 'ACTIVE' && later === undefined && (from === 'INACTIVE' || from === null),
  };
}

const stepOf = ({ status, callbackAt }: StatusRecord): StatusChange['steps'][0] => ({ status, at: callbackAt });

/** An ACTIVE that was only a step from INACTIVE to BLOCKED, with its index, if the event is one of the two. */
function passingActivation(history: readonly StatusRecord[], index: number, knownBefore: CardStatus | null) {
  for (const start of [index, index - 1]) {
    const [active, blocked] = [history[start], history[start + 1]];
    if (active?.status !== 'ACTIVE' || blocked?.status !== 'BLOCKED') continue;
    const before = history[start - 1]?.status ?? (start === 0 ? knownBefore : null);
    if (before !== null && before !== 'INACTIVE') continue;
    if (Date.parse(blocked.callbackAt) - Date.parse(active.callbackAt) <= PASSING_THROUGH_MS)
      return { start, steps: [active, blocked] as const };
  }
  return null;
}

interface Deps {
  readonly directory: KnownCards & {
    readonly statusBefore: (
      event: CardStatusEvent,
      card: { readonly cardId: number; readonly last4: string },
    ) => Promise<CardStatus | null>;
  };
  readonly history: Pick<CardHistory, 'addStatus' | 'expectedAction'>;
  readonly alerts: Pick<Alerts, 'get' | 'save'>;
  readonly publish: Announce;
  readonly updateAlert: (alertId: string) => Promise<void>;
  readonly showStatus: ShowStatus;
}

/** The status of an account after an event: that of its card in use. */
function accountStatusNow(timelines: readonly StatusTimeline[]): CardStatus | undefined {
  const cards = timelines.flatMap(({ change }) =>
    change.supersededBy === null ? { cardId: change.cardId, status: lastStep(change).status } : [],
  );
  return cardInUse({ cards }, null)?.status;
}

/**
 * The cards that an event is about. There is one webhook for each change, but it may list all cards of the account.
 *
 * @param told what an earlier attempt has stored: the directory may have learned the event since.
 */
function changedOf(timelines: readonly StatusTimeline[], told: Alert | null): readonly StatusTimeline[] {
  if (told?.kind === 'card-status') {
    const shown = new Set(told.changes.map(({ cardId }) => cardId));
    return timelines.filter(({ change }) => shown.has(change.cardId));
  }
  const changed = timelines.filter(({ isRepeat }) => !isRepeat);
  return changed.length === 0 ? timelines : changed;
}

/**
 * Delivers a status change. Two events that belong together share the alert of the block. Idempotent. The returned function
 * gives the milliseconds until the next run, or null when the event is delivered.
 */
export function createDeliverStatus(deps: Deps) {
  const { directory, history, alerts, publish, updateAlert, showStatus } = deps;
  return async function deliverStatus(whole: CardStatusEvent, { hasWaited, isLate }: Arrival): Promise<number | null> {
    const all = await timelinesOf(whole);
    const timelines = changedOf(all, await alerts.get(whole.id));
    const ids = new Set(timelines.map(({ change }) => change.cardId));
    const event = { ...whole, cards: whole.cards.filter(({ cardId }) => ids.has(cardId)) };
    const [first] = timelines;
    const single = timelines.length === 1 && first !== undefined ? first : null;
    if (single?.mayContinue === true && !hasWaited && !isLate) return PASSING_THROUGH_HOLD_MS;

    // First, because the event may name a new holder. The account was read above.
    await directory.learn(whole);
    const card = await directory.factsOf(event);
    const block = single === null ? null : await blockAfter(event, single);
    if (single !== null && block !== null) {
      await addActivation(block, single.change);
    } else {
      const changes = await Promise.all(timelines.map(({ change }) => withCause(event, change)));
      await publish({ kind: 'card-status', event, card, outcomes: [], late: isLate, changes, progress: null });
    }
    const status = accountStatusNow(all);
    if (status !== undefined) await showStatus(whole, status);
    return null;
  };

  async function timelinesOf(event: CardStatusEvent): Promise<StatusTimeline[]> {
    const timelines: StatusTimeline[] = [];
    for (const { cardId, last4, status } of event.cards) {
      const before = await directory.statusBefore(event, { cardId, last4 });
      const { id: eventId, callbackAt, receivedAt, changedAfter } = event;
      const known = await history.addStatus(cardId, { eventId, status, callbackAt, receivedAt, changedAfter });
      const timeline = statusTimeline({ cardId, last4 }, event.id, known, before);
      const isAlone = !(await isShared(event, timeline));
      timelines.push(isAlone ? statusTimeline({ cardId, last4 }, event.id, known, before, { isAlone }) : timeline);
    }
    return timelines;
  }

  /**
   * Whether an activation and its block are one alert. If the activation has an alert, people may have read it, and an
   * edit of it would tell nobody about the block.
   */
  async function isShared({ id }: CardStatusEvent, { eventIds }: StatusTimeline): Promise<boolean> {
    const [activation, block] = eventIds;
    if (activation === undefined || block === undefined) return true;
    if ((await alerts.get(activation)) !== null) return false;
    return id === block || (await alerts.get(block)) !== null;
  }

  async function withCause(event: CardStatusEvent, change: StatusTimeline['change']): Promise<StatusChange> {
    const by = await history.expectedAction(event, lastStep(change).status, change.cardId);
    return { ...change, causedBy: by?.userId ?? null };
  }

  /** The alert of the block that follows an activation, if the block was delivered first. */
  async function blockAfter({ id }: CardStatusEvent, { eventIds }: StatusTimeline): Promise<StatusAlert | null> {
    const last = eventIds.at(-1);
    const alert = last === undefined || last === id ? null : await alerts.get(last);
    return alert?.kind === 'card-status' ? alert : null;
  }

  /** The alert of the block now also shows the activation. It knew who caused it, and perhaps the card's previous status. */
  async function addActivation(block: StatusAlert, change: StatusTimeline['change']): Promise<void> {
    const changes = block.changes.map((shown) => {
      if (shown.cardId !== change.cardId) return shown;
      return { ...change, from: change.from ?? shown.from, causedBy: shown.causedBy };
    });
    await alerts.save({ ...block, changes });
    await updateAlert(block.event.id);
  }
}
