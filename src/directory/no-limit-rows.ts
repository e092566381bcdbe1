import type { RemainingLimit, RemainingLimits } from '../card-api/schema.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { foldName } from './card-query.ts';

/**
 * Without what only looks like limits of $0: the answer may list a window without a limit with 0. The rules tell it from one
 * that is $0, unless they were not read, or the limit in force may be that of a ruleset.
 */
export function withoutNoLimits<Limits extends RemainingLimits>(
  remaining: Limits | null,
  rules: CardLimits | null,
  mayBeOverruled: boolean,
): Limits | null {
  if (remaining === null || rules === null || mayBeOverruled) return remaining;
  const isLimit = ({ period, limitCents }: RemainingLimit, limits?: CardLimits['limits']): boolean =>
    limitCents !== 0 || (limits?.[period] ?? null) !== null;
  return {
    ...remaining,
    overall: remaining.overall.filter((row) => isLimit(row, rules.limits)),
    categories: remaining.categories.filter((row) => {
      const own = rules.categories.find(({ id, name }) => id === row.id || foldName(name) === foldName(row.name));
      return isLimit(row, own?.limits);
    }),
  };
}
