import { z } from 'zod';
import { MERCHANT_CATEGORIES } from '../state/merchant-category.ts';
import { id } from './response-parts.ts';

const limit = z.number().min(0).nullable().describe('Dollars; null means no limit');
const limits = {
  DailySpendLimit: limit,
  WeeklySpendLimit: limit,
  MonthlySpendLimit: limit,
  YearlySpendLimit: limit,
  LifetimeSpendLimit: limit,
};
const MerchantCategory = z.strictObject({
  Id: id,
  Name: z.string(),
  Description: z.string(),
  TransactionLimit: limit,
  ...limits,
});
const balanceRules = { UseBusinessBalanceForAuths: z.boolean(), UseCustomerAuthDecision: z.boolean() };

/** Spend rules keep unknown fields of a write. */
export const AdvancedRules = z.looseObject({
  ...limits,
  IsDailySpendLimitEnabled: z.boolean(),
  MerchantCategories: z.array(MerchantCategory),
  InternationalSpendEnabled: z.boolean(),
  CardNotPresentUse: z.boolean(),
  ...balanceRules,
});
export const BasicRules = z.strictObject({
  UseMerchantCategory: z.boolean(),
  MerchantCategories: z.record(z.enum(MERCHANT_CATEGORIES.map(({ key }) => key)), z.boolean()),
  InternationalSpendEnabled: z.boolean(),
  IsDailySpendLimitEnabled: z.boolean(),
  DailySpendLimit: limit,
  CardNotPresentUse: z.boolean(),
  ...balanceRules,
});
export const RulesetView = z.looseObject({
  Id: id,
  Name: z.string(),
  CardCount: z.int(),
  ...limits,
  InternationalAllowed: z.boolean(),
  CardNotPresentAllowed: z.boolean(),
  MccRestrictions: z.boolean(),
  MerchantCategories: z.array(MerchantCategory),
  ...balanceRules,
});
