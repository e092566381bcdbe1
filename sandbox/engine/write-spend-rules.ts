import { z } from 'zod';
import type { Assumptions } from '../assumptions.ts';
import { isAmount } from '../money.ts';
import { ServiceError } from '../service-error.ts';
import { WINDOWS } from '../service-time.ts';
import { MERCHANT_CATEGORIES, merchantCategory } from '../state/merchant-category.ts';
import { LIMIT_FIELDS, type Limits, limitField, type MerchantCategory, type SpendRules } from '../state/spend-rules.ts';

/** A limit in dollars. Null: none. */
export const Limit = z
  .number()
  .min(0)
  .max(100_000_000)
  .refine(isAmount, 'no more than two decimals')
  .nullable()
  .optional();

const limits = {
  DailySpendLimit: Limit,
  WeeklySpendLimit: Limit,
  MonthlySpendLimit: Limit,
  YearlySpendLimit: Limit,
  LifetimeSpendLimit: Limit,
};

/** A write of advanced spend rules: any of the fields. Null removes a limit. */
export const SpendRulesWrite = z.looseObject({
  ...limits,
  MerchantCategories: z.array(z.object({ Id: z.int(), TransactionLimit: Limit, ...limits })).optional(),
  InternationalSpendEnabled: z.boolean().optional(),
  CardNotPresentUse: z.boolean().optional(),
  UseBusinessBalanceForAuths: z.boolean().optional(),
  UseCustomerAuthDecision: z.boolean().optional(),
});
export type SpendRulesWrite = z.infer<typeof SpendRulesWrite>;

/**
 * The rules after a write: given fields are replaced, others and unknown ones kept.
 *
 * @throws ServiceError 400 when the limits contradict each other or name an unknown category.
 */
export function writtenRules(before: SpendRules, write: SpendRulesWrite, assume: Assumptions): SpendRules {
  const { MerchantCategories: categories, IsDailySpendLimitEnabled: _derived, ...fields } = write;
  const after = { ...before, ...withoutUndefined(fields) } as SpendRules;
  if (categories !== undefined) after.MerchantCategories = writtenCategories(before, categories);

  assertOrdered(after, assume);
  for (const category of after.MerchantCategories) {
    assertOrdered(category, assume);
    assertWithinOverall(category, after);
  }
  return after;
}

function writtenCategories(
  before: SpendRules,
  categories: NonNullable<SpendRulesWrite['MerchantCategories']>,
): MerchantCategory[] {
  const ids = categories.map(({ Id }) => Id);
  if (ids.some((id) => !MERCHANT_CATEGORIES.some((known) => known.id === id)))
    throw new ServiceError(400, 'Invalid merchant category');
  if (new Set(ids).size !== ids.length) throw new ServiceError(400, 'Merchant categories duplicated');
  return categories.map(({ Id, ...given }) => {
    const old = before.MerchantCategories.find((category) => category.Id === Id);
    return { ...merchantCategory(Id), ...old, ...withoutUndefined(given) };
  });
}

/** A shorter window's limit must not be above a longer one's. */
function assertOrdered(limitsGiven: Limits, assume: Assumptions): void {
  let longest = -1;
  for (const window of WINDOWS) {
    const limit = limitsGiven[limitField(window)];
    if (limit === null || limit === undefined) continue;
    if (limit < longest || (limit === longest && !assume.longerLimitMayEqual))
      throw new ServiceError(400, assume.shorterAboveLongerText);
    longest = limit;
  }
}

function assertWithinOverall(category: MerchantCategory, overall: Limits): void {
  for (const field of LIMIT_FIELDS) {
    const own = category[field];
    const most = overall[field];
    if (own !== null && most !== null && own !== undefined && most !== undefined && own > most) {
      throw new ServiceError(400, 'Merchant spend limit exceeds overall spend limit');
    }
  }
}

function withoutUndefined<T extends object>(fields: T): Partial<{ [K in keyof T]: Exclude<T[K], undefined> }> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as never;
}
