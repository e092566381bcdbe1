import type { CardStatus } from '../core/event.ts';
import type { StatusChange } from './alert.ts';

/** One status that a card is known to have had. Ordered by `callbackAt`, never by arrival. */
export interface StatusRecord {
  readonly eventId: string;
  readonly status: CardStatus;
  /** UTC ISO 8601, sorts as text. */
  readonly callbackAt: string;
}

/**
 * Blocking an inactive card first activates it: two webhooks for one wish. They follow one another at once; anything
 * slower is two separate things that people did.
 */
const PASSING_THROUGH_MS = 60_000;

export interface StatusTimeline {
  readonly change: Omit<StatusChange, 'causedBy'>;
  /** The events that belong together: one message tells them all. */
  readonly eventIds: readonly string[];
  /** True when a BLOCKED may still follow and belong to it. */
  readonly mayContinue: boolean;
}

/**
 * What one status event means among all that is known of its card.
 *
 * @param history every known status of the card, this event's included, in order of `callbackAt`.
 * @param knownBefore what the directory said before the first known event, or null.
 */
export function statusTimeline(
  card: { cardId: number; last4: string },
  eventId: string,
  history: readonly StatusRecord[],
  knownBefore: CardStatus | null,
): StatusTimeline {
  const index = history.findIndex((record) => record.eventId === eventId);
  const own = history[index];
  if (own === undefined) throw new Error('the history does not hold the event');

  const activation = passingActivation(history, index, knownBefore);
  const steps = activation === null ? [own] : history.slice(activation, activation + 2);
  const start = activation ?? index;
  const from = history[start - 1]?.status ?? (start === 0 ? knownBefore : null);
  const later = history[start + steps.length];

  return {
    change: {
      ...card,
      // The directory may already have read what this event tells; that is no news of where the card came from.
      from: start === 0 && from === steps[0]?.status ? null : from,
      steps: steps.map(({ status, callbackAt }) => ({ status, at: callbackAt })),
      supersededBy: later === undefined ? null : (history.at(-1)?.status ?? null),
    },
    eventIds: steps.map((step) => step.eventId),
    mayContinue:
      activation === null && own.status === 'ACTIVE' && later === undefined && (from === 'INACTIVE' || from === null),
  };
}

/** Index of an ACTIVE that was only the way from INACTIVE to BLOCKED, when the event is one end of it. */
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
