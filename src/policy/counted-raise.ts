import { z } from 'zod';
import { Rule } from '../card-api/rule.ts';
import { ExceededCap } from './approval-policy.ts';
import type { Facts } from './decide.ts';

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
