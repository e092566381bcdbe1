import { shouldStayBlocked } from '../../templates/alerts/decline-words.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { type CardStatusEvent, declineCode, type StoredEvent, type TransactionEvent } from '../core/event.ts';
import type { Advice } from '../limits/remedy.ts';
import type { TransactionAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { Announce } from './announce.ts';

/** How an event reached us. */
export interface Arrival {
  /** Its delivery was already postponed once. */
  readonly hasWaited: boolean;
  /** The event was missed and fetched later, or replayed: its alert says so, and nobody is pinged. */
  readonly isLate: boolean;
}

/** After this time, what is known about a card is newer than its decline. */
const KNOWN_WITHIN_MS = 10 * 60_000;

/** True if what is read about a card now may be newer than its decline. */
function isKnownLater({ occurredAt }: TransactionEvent, isLate: boolean, now: Date): true | undefined {
  return isLate || now.getTime() - Date.parse(occurredAt) > KNOWN_WITHIN_MS || undefined;
}

/** What the directory knows about cards, and learns from events. */
export interface KnownCards {
  /** Nulls while the card API is down. Always answers quickly. */
  readonly factsOf: (event: StoredEvent) => Promise<CardFacts>;
  readonly learn: (event: StoredEvent) => Promise<void>;
}

/** Counts a decline for the digests, by the reason that is known then. The first call for an event counts. */
type CountDecline = (decline: Pick<TransactionAlert, 'event' | 'card' | 'remedy'>) => Promise<void>;

interface DeliverDeps extends Pick<ActionTools, 'updateAlert' | 'now'> {
  readonly directory: KnownCards;
  readonly advice: {
    readonly for: (event: TransactionEvent) => Promise<Advice>;
    /** Asks again later, for an alert that was posted incomplete. */
    readonly completeLater: (alertId: string) => Promise<void>;
  };
  readonly countDecline: CountDecline;
  /** Records that a card was used. @returns the alerts whose messages now need to show it. */
  readonly cardUsed: (event: TransactionEvent) => Promise<readonly string[]>;
  readonly publish: Announce;
  /** Whether the amount held on top of a purchase counts: see `CardApiAssumptions`. */
  readonly paddingCounts: { readonly againstLimits: boolean; readonly againstBalance: boolean };
}

/**
 * Delivers any event except a status change, which `deliver-status.ts` delivers.
 *
 * @returns whether a payment of the account follows the event, if it is a decline.
 */
export type DeliverAlert = (event: Exclude<StoredEvent, CardStatusEvent>, arrival: Arrival) => Promise<boolean>;

/**
 * The worker's half of an alert: enriches it, routes it, stores it, and adds it to the outbox of each channel.
 *
 * Runs at least once per event. Every step is idempotent.
 */
export function createDeliverAlert(deps: DeliverDeps): DeliverAlert {
  const { directory, advice, publish } = deps;

  return async function deliverAlert(received, arrival) {
    // From here on, all code sees the amount that counts.
    const event = 'paddingCents' in received ? { ...received, ...paddingOf(received) } : received;
    // First, because it reads an account that nobody knows from the card API: one that an event told of counts as known.
    const before = await directory.factsOf(event);
    await directory.learn(event);
    // These name a holder, who may be new.
    const isNamed = event.kind === 'card-shipping' || event.kind === 'virtual-card';
    const card = isNamed ? await directory.factsOf(event) : before;
    const base = { card, outcomes: [], late: arrival.isLate };
    if (event.kind === 'card-shipping') {
      return await publish({ ...base, kind: 'card-shipping', event, progress: null });
    }
    if (event.kind === 'virtual-card') return await publish({ ...base, kind: 'virtual-card', event, asked: null });
    const alert = { ...base, kind: 'transaction', event, remedy: null, repeats: {}, timeline: null } as const;
    if (event.kind === 'decline') {
      const { remedy, isIncomplete } = await advice.for(event);
      const known = { ...alert, isKnownLater: isKnownLater(event, arrival.isLate, deps.now()) };
      const [hasPaymentSince] = await Promise.all([
        publish({ ...known, remedy }),
        // Without all numbers the reason is a guess: it is counted when the alert is completed.
        isIncomplete ? null : deps.countDecline({ event, card, remedy }),
      ]);
      if (isIncomplete) await advice.completeLater(event.id);
      // Closing a fraud case changes only alerts that are listed by then.
      const again = shouldStayBlocked({ remedy }) ? (await advice.for(event)).remedy : null;
      if (again?.kind === 'unblock' && !shouldStayBlocked({ remedy: again })) {
        await publish({ ...known, remedy: again });
        await deps.updateAlert(event.id);
      }
      return hasPaymentSince;
    }
    if (event.direction === 'debit') for (const id of await deps.cardUsed(event)) await deps.updateAlert(id);
    return await publish(alert);
  };

  function paddingOf({ decline, paddingCents }: TransactionEvent): Partial<TransactionEvent> {
    const { againstLimits, againstBalance } = deps.paddingCounts;
    const ofBalance = againstBalance ? paddingCents : 0;
    const ofLimits = againstLimits ? paddingCents : 0;
    const own = declineCode(decline) === 'decline.balance.card' ? ofBalance : ofLimits;
    return { paddingCents: own, ...(own !== ofBalance && { balancePaddingCents: ofBalance }) };
  }
}

/** How long to wait before asking a slow or unavailable card API again. */
export const ENRICH_AFTER_MS = 2000;
const ENRICH_AGAIN_MS = 15_000;

interface EnrichDeps extends Pick<ActionTools, 'updateAlert' | 'now'> {
  readonly alerts: Pick<Alerts, 'get' | 'save'>;
  /** Gives the card API more time than an alert can wait. */
  readonly adviceFor: (event: TransactionEvent) => Promise<Advice>;
  readonly countDecline: CountDecline;
}

/**
 * Adds the missing numbers to an alert that was posted without them, counts its decline, and updates its messages.
 *
 * @returns milliseconds until the next try, or null when done.
 */
export async function enrichAlert(alertId: string, hasWaited: boolean, deps: EnrichDeps): Promise<number | null> {
  const alert = await deps.alerts.get(alertId);
  if (alert?.kind !== 'transaction') return null;
  const { remedy, isIncomplete } = await deps.adviceFor(alert.event);
  if (isIncomplete && !hasWaited) return ENRICH_AGAIN_MS;
  const isCompleted = !isIncomplete && remedy !== null;
  // First, so that the digests have it even if the rest fails.
  await deps.countDecline(isCompleted ? { ...alert, remedy } : alert);
  if (!isCompleted) return null;
  // The card may have been closed while the card API answered.
  const current = await deps.alerts.get(alertId);
  if (current?.kind !== 'transaction') return null;
  await deps.alerts.save({ ...current, remedy, isKnownLater: isKnownLater(alert.event, alert.late, deps.now()) });
  // A repeat is shown by the message of the first try.
  for (const id of new Set([alertId, ...Object.values(alert.leaders ?? {})])) await deps.updateAlert(id);
  return null;
}
