import { z } from 'zod';
import { Rule } from '../card-api/rule.ts';
import { formatDuration } from '../core/duration.ts';
import type { Facts } from './decide-action.ts';

/** Up to an amount, this many approvers have to agree. */
export interface Band {
  /** Whole cents; null: any amount. */
  readonly upToCents: number | null;
  readonly approvals: number;
}

/** What may be loosened before a second approver has to agree, whole cents; null: as much as the bands allow. */
export interface Cap {
  /** Within 24 hours. */
  readonly dayCents: number | null;
  /** Within 30 days. */
  readonly monthCents: number | null;
}

/** Whose raises are summed: those that one person allowed alone, those of one card, those of the whole program. */
export const CapScope = z.enum(['person', 'card', 'program']);
export type CapScope = z.infer<typeof CapScope>;

/** What the policy says about amounts. */
export interface ApprovalPolicy {
  /** Ascending; the last one has no end. */
  readonly bands: readonly Band[];
  readonly caps: Readonly<Record<CapScope, Cap>>;
  /** The same for the money that is put on new virtual cards. */
  readonly orderBands: readonly Band[];
  readonly durations: Durations;
}

/** How long what is loosened may last. */
interface Durations {
  /** Null: as long as somebody wants. */
  readonly longestMs: number | null;
  /** Until somebody changes it. */
  readonly mayStay: boolean;
}

const noCap: Cap = { dayCents: null, monthCents: null };
const anyTime: Durations = { longestMs: null, mayStay: true };

/** What the variables say: a raise above the amount takes two approvers, and nothing else is summed up. */
export function approvalPolicyOf({ twoPersonAboveCents }: { readonly twoPersonAboveCents: number }): ApprovalPolicy {
  const bands: readonly Band[] = [
    { upToCents: twoPersonAboveCents, approvals: 1 },
    { upToCents: null, approvals: 2 },
  ];
  return { bands, caps: { person: noCap, card: noCap, program: noCap }, orderBands: bands, durations: anyTime };
}

/** Why something may not be loosened for so long, one sentence; null when it may. @param lastsMs Infinity: it stays. */
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

/** What has no amount takes as many as the largest amount, and two at least. */
export function approvalsFor({ bands }: Pick<ApprovalPolicy, 'bands'>, cents: number): number {
  const band = bands.find(({ upToCents }) => upToCents !== null && cents <= upToCents) ?? bands.at(-1);
  return Math.max(band?.approvals ?? 2, Number.isFinite(cents) ? 1 : 2);
}

/** The largest amount that one person may allow, whole cents. */
export function aloneCents({ bands }: Pick<ApprovalPolicy, 'bands'>): number {
  const last = bands.findLast(({ approvals }) => approvals <= 1);
  return last === undefined ? 0 : (last.upToCents ?? Number.MAX_SAFE_INTEGER);
}

/** Sums of what was loosened before, by scope, whole cents. */
export type Loosened = Readonly<Record<CapScope, { readonly dayCents: number; readonly monthCents: number }>>;

/** A cap that a change would exceed. */
export const ExceededCap = z.strictObject({
  scope: CapScope,
  days: z.union([z.literal(1), z.literal(30)]),
  /** What was loosened before within that time, and the cap. Whole cents. */
  earlierCents: z.int().nonnegative(),
  capCents: z.int().nonnegative(),
});
export type ExceededCap = z.infer<typeof ExceededCap>;

/** The first cap that so much more would exceed; null: none. What has no amount takes two anyway. */
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

/** A raise of the same rule that one person allowed alone within the last 24 hours. */
export const EarlierRaise = z.strictObject({
  /** Slack user who allowed it. */
  by: z.string(),
  /** UTC ISO 8601. */
  at: z.string(),
  cents: z.int().positive(),
});
export type EarlierRaise = z.infer<typeof EarlierRaise>;

/** What a raise counts for when it is decided whether two people have to approve it. Of several rules, the one that counts most. */
export const CountedRaise = z.strictObject({
  rule: Rule,
  /** What the change itself adds; null where no amount says how much. */
  ownCents: z.int().nonnegative().nullable(),
  /** Earlier raises by the same people, which count with it. Oldest first. */
  earlier: z.array(EarlierRaise),
  /** In force: what one person may allow alone, whole cents. */
  aboveCents: z.int(),
  /** The cap that it exceeds together with what was loosened before; null: none. */
  cap: ExceededCap.nullable(),
});
export type CountedRaise = z.infer<typeof CountedRaise>;

/** Whole cents; Infinity where no amount says how much. */
export function countedCents({ ownCents, earlier }: Pick<CountedRaise, 'ownCents' | 'earlier'>): number {
  if (ownCents === null) return Number.POSITIVE_INFINITY;
  return earlier.reduce((total, { cents }) => total + cents, ownCents);
}

/** What the policy is asked about a raise. It counts for something, also where a purchase of nothing says how much. */
export function amountIn(counted: CountedRaise): Pick<Facts, 'raiseCents' | 'isOverCap'> {
  return { raiseCents: Math.max(1, countedCents(counted)), isOverCap: counted.cap !== null };
}

/** The raise, where two people have to approve it because of how much it is; null where it is not too much for one. */
export function tooMuchForOne(counted: CountedRaise): CountedRaise | null {
  return countedCents(counted) > counted.aboveCents || counted.cap !== null ? counted : null;
}
