import { WINDOWS, type Window } from '../service-time.ts';

/** A limit for each window in dollars. Null means no limit. */
export interface Limits {
  DailySpendLimit: number | null;
  WeeklySpendLimit: number | null;
  MonthlySpendLimit: number | null;
  YearlySpendLimit: number | null;
  LifetimeSpendLimit: number | null;
}

/** A merchant category that a card may use, with its own limits. */
export interface MerchantCategory extends Limits {
  readonly Id: number;
  readonly Name: string;
  readonly Description: string;
  TransactionLimit: number | null;
}

/** A card's advanced spend rules, with the wire's field names. Unknown fields of a write are kept. */
export interface SpendRules extends Limits {
  MerchantCategories: MerchantCategory[];
  InternationalSpendEnabled: boolean;
  CardNotPresentUse: boolean;
  UseBusinessBalanceForAuths: boolean;
  UseCustomerAuthDecision: boolean;
  [unknown: string]: unknown;
}

/** A named set of spend rules that many cards share. Its switches have different names. */
export interface Ruleset {
  readonly id: number;
  name: string;
  spendRules: SpendRules;
}

/** The field that holds a window's limit. */
export function limitField(window: Window): keyof Limits {
  return `${window}SpendLimit`;
}

/** The five fields of limits. */
export const LIMIT_FIELDS: readonly (keyof Limits)[] = WINDOWS.map(limitField);

/** No limit in any window. */
export function noLimits(): Limits {
  return {
    DailySpendLimit: null,
    WeeklySpendLimit: null,
    MonthlySpendLimit: null,
    YearlySpendLimit: null,
    LifetimeSpendLimit: null,
  };
}
