import { WINDOWS, type Window } from '../service-time.ts';

/** A limit for each window in dollars; null means no limit. */
export interface Limits {
  DailySpendLimit: number | null;
  WeeklySpendLimit: number | null;
  MonthlySpendLimit: number | null;
  YearlySpendLimit: number | null;
  LifetimeSpendLimit: number | null;
}

/** A merchant category that a card may use, with limits of its own. */
export interface MerchantCategory extends Limits {
  readonly Id: number;
  readonly Name: string;
  readonly Description: string;
  TransactionLimit: number | null;
}

/** The advanced spend rules of a card, in the field names of the wire. Unknown fields of a write are kept. */
export interface SpendRules extends Limits {
  MerchantCategories: MerchantCategory[];
  InternationalSpendEnabled: boolean;
  CardNotPresentUse: boolean;
  UseBusinessBalanceForAuths: boolean;
  UseCustomerAuthDecision: boolean;
  [unknown: string]: unknown;
}

/** A named set of spend rules that many cards share. Its switches have names of their own. */
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
