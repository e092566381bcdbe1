import type { LimitRule, SpendCategory } from '../../src/card-api/rule.ts';
import type { LimitGoal } from '../../src/card-api/rule-change.ts';
import type { LimitRaise, RaiseLimit } from '../../src/limits/remedy-change.ts';

/** The goal of a limit: whole cents, or null for no limit. */
export function limitGoal(
  period: LimitRule['period'],
  to: number | null,
  category: SpendCategory | null = null,
): LimitGoal {
  return { rule: { kind: 'limit', period, category }, to };
}

/** The same goal with the previous value. */
export function limitChange(
  period: LimitRule['period'],
  from: number | null,
  to: number | null,
  category: SpendCategory | null = null,
) {
  return { ...limitGoal(period, to, category), from };
}

/** A limit that must be raised for a purchase to pass, in whole cents. Null for unknown amounts. */
export function limitRaise(
  period: LimitRule['period'],
  from: number | null,
  to: number | null,
  {
    remainingCents = null,
    category = null,
    isAdjustedToo = false,
    ...others
  }: Partial<Omit<LimitRaise, 'rule' | 'from' | 'to'>> & {
    readonly category?: SpendCategory | null;
  } = {},
): LimitRaise {
  return { rule: { kind: 'limit', period, category }, from, to, remainingCents, isAdjustedToo, ...others };
}

/** The remedy that raises these limits, tightest first. */
export function remedyOf(...limits: RaiseLimit['limits']): RaiseLimit {
  return { kind: 'raise_limit', limits };
}
