import { z } from 'zod';
import { isOpening } from './purchase-state.ts';

/** One event of a purchase. */
export const PurchaseStep = z.strictObject({
  eventId: z.string(),
  kind: z.enum(['authorization', 'pin', 'settlement', 'reversal']),
  networkTransactionId: z.string(),
  authTransactionId: z.string().nullable(),
  /** UTC ISO 8601. */
  at: z.string(),
  /** `at` is an estimate: see `isUndated` of events. */
  isUndated: z.literal(true).optional(),
  cents: z.int().nonnegative(),
  direction: z.enum(['debit', 'credit']),
  /** See `merchantKey`. */
  merchant: z.string(),
  mcc: z.string(),
});
export type PurchaseStep = z.infer<typeof PurchaseStep>;

/** Events of one account that belong to one purchase. */
export interface Purchase {
  /** Oldest first. */
  readonly steps: readonly PurchaseStep[];
  /** Steps that share no id with the purchase but fit by merchant, amount and time. */
  readonly inferred: ReadonlySet<string>;
}

/** Holds usually last five days, and settlements may be a few days late. Anything later is a different purchase. */
export const FOLLOWS_WITHIN_MS = 10 * 24 * 3_600_000;
/** Goods are returned within a month. */
export const REFUND_WITHIN_MS = 31 * 24 * 3_600_000;
/** A merchant's clock may be slow. */
const MERCHANT_CLOCK_MS = 3_600_000;

/** Where people tip, a settlement may exceed the authorization by this many percent. */
const TIP_PERCENT = 30;
const tippedMccs: ReadonlySet<string> = new Set(['4121', '5811', '5812', '5813', '5814', '7230', '7297', '7298']);

/**
 * A fuel pump authorizes one dollar or its maximum, then settles the actual amount: up to this, whatever was authorized.
 */
const FUEL_MAX_CENTS = 25_000;
const fuelMccs: ReadonlySet<string> = new Set(['5541', '5542', '5552', '5983']);

/**
 * Groups an account's events into purchases, independent of the order of arrival.
 *
 * All steps of a purchase share the network's transaction id, or name that of its authorization. A refund and its
 * settlement share the authorization's id. A step without such an id joins the purchase it fits best, and is marked as
 * inferred.
 */
export function groupPurchases(events: readonly PurchaseStep[]): Purchase[] {
  const sorted = events.toSorted((a, b) => a.at.localeCompare(b.at) || a.eventId.localeCompare(b.eventId));
  const groups = byIds(sorted);
  const inferred = new Set<string>();
  for (const orphan of groups.filter((group) => !group.some(isOpening))) {
    // A group that was merged into another is empty.
    const [first] = orphan;
    const home = first === undefined ? undefined : bestHome(first, groups);
    if (home === undefined) continue;
    for (const step of orphan) inferred.add(step.eventId);
    home.push(...orphan.splice(0));
  }
  return groups
    .filter((group) => group.length > 0)
    .map((group) => ({
      steps: group.toSorted((a, b) => a.at.localeCompare(b.at) || a.eventId.localeCompare(b.eventId)),
      inferred,
    }));
}

/**
 * Groups events that share an id, directly or transitively. Ignores references to other merchants, and references of a
 * reversal whose purchase the network's id already names: merchants send incomplete data with reversals.
 */
function byIds(sorted: readonly PurchaseStep[]): PurchaseStep[][] {
  const opened = new Set(sorted.filter(isOpening).map(({ networkTransactionId }) => networkTransactionId));
  const groups: PurchaseStep[][] = [];
  for (const step of sorted) {
    const related = groups.filter((group) => group.some((member) => isRelated(step, member, opened)));
    const [home, ...others] = related;
    if (home === undefined) {
      groups.push([step]);
      continue;
    }
    home.push(step, ...others.flatMap((other) => other.splice(0)));
  }
  return groups;
}

function isRelated(a: PurchaseStep, b: PurchaseStep, opened: ReadonlySet<string>): boolean {
  const isSameId = a.networkTransactionId === b.networkTransactionId;
  if (isSameId && (!isMasked(a.networkTransactionId) || a.merchant === b.merchant)) return true;
  if ([a, b].some((step) => step.kind === 'reversal' && opened.has(step.networkTransactionId))) return false;
  return a.merchant === b.merchant && (isReferringTo(a, b) || isReferringTo(b, a));
}

/** Some digits of an id are hidden if it could be a card number, so that two purchases may have the same. */
export function isMasked(networkTransactionId: string): boolean {
  return networkTransactionId.includes('•');
}

/** The specification does not say which id of the authorization it is. */
function isReferringTo({ authTransactionId }: PurchaseStep, other: PurchaseStep): boolean {
  return (
    authTransactionId !== null && [other.authTransactionId, other.networkTransactionId].includes(authTransactionId)
  );
}

/** The best purchase for a step without a reference: an exact amount before a similar one, then the latest. */
function bestHome(step: PurchaseStep, groups: readonly PurchaseStep[][]): PurchaseStep[] | undefined {
  const homes = groups.flatMap((group) => {
    const opening = group.find(isOpening);
    return opening !== undefined && isFitting(step, opening, group) ? [{ group, opening }] : [];
  });
  const [best] = homes.toSorted(
    (a, b) =>
      Number(b.opening.cents === step.cents) - Number(a.opening.cents === step.cents) ||
      b.opening.at.localeCompare(a.opening.at),
  );
  return best?.group;
}

function isFitting(step: PurchaseStep, opening: PurchaseStep, group: readonly PurchaseStep[]): boolean {
  if (step.merchant !== opening.merchant) return false;
  const isRefund = step.kind === 'settlement' && step.direction === 'credit';
  const passed = Date.parse(step.at) - Date.parse(opening.at);
  if (passed < -MERCHANT_CLOCK_MS || passed > (isRefund ? REFUND_WITHIN_MS : FOLLOWS_WITHIN_MS)) return false;
  if (isRefund) return step.cents === opening.cents && !group.some(({ direction }) => direction === 'credit');
  const reversedCents = group.filter(({ kind }) => kind === 'reversal').reduce((sum, { cents }) => sum + cents, 0);
  if (step.kind === 'reversal') return step.cents + reversedCents <= opening.cents;
  const isOpen = opening.kind === 'authorization' && !group.some(({ kind }) => kind === 'settlement');
  return isOpen && reversedCents < opening.cents && isSettledFor(step.cents, opening);
}

/** True for the exact amount, for at least half of it (partial delivery), and for more where tips or fuel are added. */
function isSettledFor(cents: number, { cents: asked, mcc }: PurchaseStep): boolean {
  if (fuelMccs.has(mcc)) return cents <= Math.max(asked, FUEL_MAX_CENTS);
  const mostPercent = tippedMccs.has(mcc) ? 100 + TIP_PERCENT : 100;
  return cents * 100 <= asked * mostPercent && cents * 2 >= asked;
}

/** The state of a purchase, stored with the alerts of its events. */
export const PurchaseTimeline = z.strictObject({
  /** The event whose message starts the thread. */
  leaderId: z.string(),
  /** Oldest first. */
  steps: z.array(
    PurchaseStep.pick({ eventId: true, kind: true, direction: true, cents: true, at: true, isUndated: true }).extend({
      isInferred: z.boolean(),
    }),
  ),
});
export type PurchaseTimeline = z.infer<typeof PurchaseTimeline>;
