import type { LimitRule, SpendCategory } from '../../src/card-api/rule.ts';
import type { LimitGoal } from '../../src/card-api/rule-change.ts';
import type { LimitRaise, RaiseLimit } from '../../src/limits/remedy-change.ts';

/** A limit that shall be this: whole cents, or null for no limit. */
export function limitGoal(
  period: LimitRule['period'],
  to: number | null,
  category: SpendCategory | null = null,
): LimitGoal {
  return { rule: { kind: 'limit', period, category }, to };
}

/** The same, from what it was. */
export function limitChange(
  period: LimitRule['period'],
  from: number | null,
  to: number | null,
  category: SpendCategory | null = null,
) {
  return { ...limitGoal(period, to, category), from };
}

/** A limit that has to rise for a purchase to pass: whole cents, or null where they are not known. */
export function limitRaise(
  period: LimitRule['period'],
  from: number | null,
  to: number | null,
  {
    remainingCents = null,
    category = null,
    isAdjustedToo = false,
  }: Partial<Omit<LimitRaise, 'rule' | 'from' | 'to'>> & {
    readonly category?: SpendCategory | null;
  } = {},
): LimitRaise {
  return { rule: { kind: 'limit', period, category }, from, to, remainingCents, isAdjustedToo };
}

/** The remedy that raises these limits, tightest first. */
export function remedyOf(...limits: RaiseLimit['limits']): RaiseLimit {
  return { kind: 'raise_limit', limits };
}
