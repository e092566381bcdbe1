import type { LimitRule, SpendCategory } from '../../src/card-api/rule.ts';
import type { LimitGoal } from '../../src/card-api/rule-change.ts';

/** A limit that shall be this: whole cents, or null for no limit. */
export function limitGoal(
  period: LimitRule['period'],
  to: number | null,
  category: SpendCategory | null = null,
): LimitGoal {
  return { rule: { kind: 'limit', period, category }, to };
}

/** The same, from what it was. */
export function limitMove(
  period: LimitRule['period'],
  from: number | null,
  to: number | null,
  category: SpendCategory | null = null,
) {
  return { ...limitGoal(period, to, category), from };
}
