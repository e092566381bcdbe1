import { z } from 'zod';

/** One event of a purchase. */
export const PurchaseStep = z.strictObject({
  eventId: z.string(),
  kind: z.enum(['authorization', 'pin', 'settlement', 'reversal']),
  networkTransactionId: z.string(),
  authTransactionId: z.string().nullable(),
  /** UTC ISO 8601. */
  at: z.string(),
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
  /** Events that no id ties to it: the same merchant, a fitting amount and a fitting time do. */
  readonly inferred: ReadonlySet<string>;
}

/** Holds last five days as a rule, settlements come a few days late at times; later than that is another purchase. */
export const FOLLOWS_WITHIN_MS = 10 * 24 * 3_600_000;
/** Goods are brought back within a month. */
export const REFUND_WITHIN_MS = 31 * 24 * 3_600_000;
/** What happened a moment before, by a merchant's clock that is slow. */
const CLOCK_SKEW_MS = 3_600_000;

/** Where people tip, the amount that is settled is up to this much more than the one that was asked for. */
const TIP_SHARE = 0.3;
const tippedMccs: ReadonlySet<string> = new Set(['4121', '5811', '5812', '5813', '5814', '7230', '7297', '7298']);

/** A pump asks for a dollar or for its maximum, and settles what was filled in: up to this, whatever it asked for. */
const FUEL_MAX_CENTS = 25_000;
const fuelMccs: ReadonlySet<string> = new Set(['5541', '5542', '5552', '5983']);

/**
 * Puts an account's purchases together. A pure function of the set: the order of arrival changes nothing.
 *
 * All steps of a purchase share the network's transaction id; a refund and its settlement share the id of the
 * authorization. Where merchants leave both out, a step goes to the purchase that it fits best, and is marked so.
 */
export function groupPurchases(events: readonly PurchaseStep[]): Purchase[] {
  const sorted = events.toSorted((a, b) => a.at.localeCompare(b.at) || a.eventId.localeCompare(b.eventId));
  const groups = byIds(sorted);
  const inferred = new Set<string>();
  for (const orphan of groups.filter((group) => !group.some(isOpening))) {
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

/** Groups that share an id, directly or over others. References of another merchant are not believed. */
function byIds(sorted: readonly PurchaseStep[]): PurchaseStep[][] {
  const groups: PurchaseStep[][] = [];
  for (const step of sorted) {
    const related = groups.filter((group) => group.some((other) => isTied(step, other)));
    const [home, ...others] = related;
    if (home === undefined) {
      groups.push([step]);
      continue;
    }
    home.push(step, ...others.flatMap((other) => other.splice(0)));
  }
  return groups.filter((group) => group.length > 0);
}

function isTied(one: PurchaseStep, other: PurchaseStep): boolean {
  if (one.networkTransactionId === other.networkTransactionId) return true;
  return (
    one.authTransactionId !== null &&
    one.authTransactionId === other.authTransactionId &&
    one.merchant === other.merchant
  );
}

function isOpening({ kind }: PurchaseStep): boolean {
  return kind === 'authorization' || kind === 'pin';
}

/** The purchase that a step without a reference fits: the exact amount before a near one, then the latest. */
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
  if (passed < -CLOCK_SKEW_MS || passed > (isRefund ? REFUND_WITHIN_MS : FOLLOWS_WITHIN_MS)) return false;
  if (isRefund)
    return (
      step.cents === opening.cents && !group.some(({ kind, direction }) => kind !== 'pin' && direction === 'credit')
    );
  const givenBack = group.filter(({ kind }) => kind === 'reversal').reduce((sum, { cents }) => sum + cents, 0);
  if (step.kind === 'reversal') return step.cents + givenBack <= opening.cents;
  const isOpen = opening.kind === 'authorization' && !group.some(({ kind }) => kind === 'settlement');
  return isOpen && givenBack < opening.cents && isSettledFor(step.cents, opening);
}

/** The exact amount, less of it (a part that was delivered), and more where tips and fuel make it more. */
function isSettledFor(cents: number, { cents: asked, mcc }: PurchaseStep): boolean {
  if (fuelMccs.has(mcc)) return cents <= Math.max(asked, FUEL_MAX_CENTS);
  const most = tippedMccs.has(mcc) ? asked * (1 + TIP_SHARE) : asked;
  return cents <= most && cents >= asked / 2;
}

/** Where a purchase stands, kept with the alerts of its events. */
export const PurchaseTimeline = z.strictObject({
  /** The event whose message begins the thread. */
  leaderId: z.string(),
  /** Oldest first. */
  steps: z.array(
    z.strictObject({
      eventId: z.string(),
      kind: PurchaseStep.shape.kind,
      direction: PurchaseStep.shape.direction,
      cents: z.int(),
      at: z.string(),
      isInferred: z.boolean(),
    }),
  ),
});
export type PurchaseTimeline = z.infer<typeof PurchaseTimeline>;
