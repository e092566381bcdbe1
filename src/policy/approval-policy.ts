import { z } from 'zod';
import { Rule } from '../card-api/rule.ts';
import { formatDuration } from '../core/duration.ts';
import type { Facts } from './decide-action.ts';

/** The number of approvers needed up to an amount. */
export interface Band {
  /** Whole cents; null: any amount. */
  readonly upToCents: number | null;
  readonly approvals: number;
}

/** How much may be loosened before a second approver is needed, in whole cents; null: as much as the bands allow. */
export interface Cap {
  /** Within 24 hours. */
  readonly dayCents: number | null;
  /** Within 30 days. */
  readonly monthCents: number | null;
}

/** Whose raises are summed: those one person allowed alone, those of one card, or those of the entire program. */
export const CapScope = z.enum(['person', 'card', 'program']);
export type CapScope = z.infer<typeof CapScope>;

/** The policy's rules about amounts. */
export interface ApprovalPolicy {
  /** Ascending; the last band is unbounded. */
  readonly bands: readonly Band[];
  readonly caps: Readonly<Record<CapScope, Cap>>;
  /** The same for the money on new virtual cards. */
  readonly orderBands: readonly Band[];
  /** How long loosened rules may last (null: no maximum), and whether permanent changes are allowed. */
  readonly durations: { readonly longestMs: number | null; readonly mayStay: boolean };
}

const noCap: Cap = { dayCents: null, monthCents: null };
const anyTime = { longestMs: null, mayStay: true };

/** The policy from the environment variables: raises above the amount need two approvers, and there are no caps. */
export function approvalPolicyOf({ twoPersonAboveCents }: { readonly twoPersonAboveCents: number }): ApprovalPolicy {
  const bands: readonly Band[] = [
    { upToCents: twoPersonAboveCents, approvals: 1 },
    { upToCents: null, approvals: 2 },
  ];
  return { bands, caps: { person: noCap, card: noCap, program: noCap }, orderBands: bands, durations: anyTime };
}

/**
 * Why something may not be loosened for this long, one sentence; null when it may.
 *
 * @param lastsMs Infinity: permanently.
 */
export function whyTooLong({ durations }: Partial<Pick<ApprovalPolicy, 'durations'>>, lastsMs = 0): string | null {
  if (durations === undefined) return null;
  const { longestMs, mayStay } = durations;
  if (Number.isFinite(lastsMs)) {
    if (longestMs === null || lastsMs <= longestMs) return null;
    return `The policy allows this for ${formatDuration(longestMs)} at most.`;
  }
  if (mayStay) return null;
  const most = longestMs === null ? 'for a time' : `for ${formatDuration(longestMs)} at most`;
  return `The policy allows this only ${most}: say for how long.`;
}

/** A raise without a known amount needs as many approvers as the largest amount, and at least two. */
export function approvalsFor({ bands }: Pick<ApprovalPolicy, 'bands'>, cents: number): number {
  const band = bands.find(({ upToCents }) => upToCents !== null && cents <= upToCents) ?? bands.at(-1);
  return Math.max(band?.approvals ?? 2, Number.isFinite(cents) ? 1 : 2);
}

/** The largest amount that one person may allow, in whole cents; null: any amount. */
export function aloneCents({ bands }: Pick<ApprovalPolicy, 'bands'>): number | null {
  return belowCents({ bands }, 2);
}

/** How many approvers the first amount above that needs. */
export function approvalsAbove(policy: Pick<ApprovalPolicy, 'bands'>): number {
  return approvalsFor(policy, (aloneCents(policy) ?? Number.POSITIVE_INFINITY) + 1);
}

/** The amount above which this one needs as many approvers as it does, or two, in whole cents; null: there is none. */
export function thresholdCents({ bands }: Pick<ApprovalPolicy, 'bands'>, cents: number): number | null {
  return belowCents({ bands }, Math.max(2, approvalsFor({ bands }, cents)));
}

/** The largest amount that needs fewer approvers than this many. */
function belowCents({ bands }: Pick<ApprovalPolicy, 'bands'>, needed: number): number | null {
  const last = bands.findLast(({ approvals }) => approvals < needed);
  return last === undefined ? 0 : last.upToCents;
}

/** Sums of earlier loosening by scope, in whole cents. */
export type Loosened = Readonly<Record<CapScope, { readonly dayCents: number; readonly monthCents: number }>>;

/** A cap that a change would exceed. */
export const ExceededCap = z.strictObject({
  scope: CapScope,
  days: z.union([z.literal(1), z.literal(30)]),
  /** The earlier loosening within that time, and the cap. Whole cents. */
  earlierCents: z.int().nonnegative(),
  capCents: z.int().nonnegative(),
});
export type ExceededCap = z.infer<typeof ExceededCap>;

/** The first cap that this amount would exceed; null: none. Raises without an amount need two approvers anyway. */
export function exceededCap(
  { caps }: Pick<ApprovalPolicy, 'caps'>,
  loosened: Loosened,
  cents: number,
): ExceededCap | null {
  if (cents <= 0 || !Number.isFinite(cents)) return null;
  for (const scope of CapScope.options) {
    const [{ dayCents, monthCents }, earlier] = [caps[scope], loosened[scope]];
    if (dayCents !== null && earlier.dayCents + cents > dayCents)
      return { scope, days: 1, earlierCents: earlier.dayCents, capCents: dayCents };
    if (monthCents !== null && earlier.monthCents + cents > monthCents)
      return { scope, days: 30, earlierCents: earlier.monthCents, capCents: monthCents };
  }
  return null;
}

/** A raise of the same rule within the last 24 hours that counts. */
export const EarlierRaise = z.strictObject({
  /** Slack user who allowed it, alone or together with others. */
  by: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
  /** Null: no amount is known. */
  cents: z.int().positive().nullable(),
  /** The card service gave no answer, and may not have made it. */
  isUnsure: z.boolean().optional(),
});
export type EarlierRaise = z.infer<typeof EarlierRaise>;

/** What counts when deciding whether a raise needs two approvers. Of several rules, the one that counts most. */
export const CountedRaise = z.strictObject({
  rule: Rule,
  /** The raise by the change itself; null if no amount is known. */
  ownCents: z.int().nonnegative().nullable(),
  /** Earlier raises by the same people that count with it, oldest first. */
  earlier: z.array(EarlierRaise),
  /**
   * The amount above which the policy in force asks for as many approvers as the raise needs, or for a second one, in whole
   * cents; null: no amount needs a second one.
   */
  aboveCents: z.int().nullable(),
  /** The cap it exceeds together with earlier loosening; null: none. */
  cap: ExceededCap.nullable(),
});
export type CountedRaise = z.infer<typeof CountedRaise>;

/** Whole cents; Infinity if no amount is known. */
export function countedCents({ ownCents, earlier }: Pick<CountedRaise, 'ownCents' | 'earlier'>): number {
  if (ownCents === null) return Number.POSITIVE_INFINITY;
  return earlier.reduce((total, { cents }) => total + (cents ?? Number.POSITIVE_INFINITY), ownCents);
}

/** The policy's input about a raise. At least 1 cent: what loosens a card is never judged as if it did not. */
export function amountIn(
  counted: CountedRaise,
): Pick<Facts, 'raiseCents' | 'isOverCap'> & Pick<CountedRaise, 'ownCents'> {
  const { ownCents, cap } = counted;
  return { raiseCents: Math.max(1, countedCents(counted)), ownCents, isOverCap: cap !== null };
}

/** The raise if its size needs two approvers; null if one may approve it. */
export function tooMuchForOne(counted: CountedRaise): CountedRaise | null {
  const { aboveCents, ownCents, cap } = counted;
  const isTooMuch = aboveCents === null ? ownCents === null : countedCents(counted) > aboveCents;
  return isTooMuch || cap !== null ? counted : null;
}
