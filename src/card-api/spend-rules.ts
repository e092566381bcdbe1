import { z } from 'zod';
import { toCents } from '../core/money.ts';
import { type CardApiAssumptions, parseAssumptions } from './assumptions.ts';
import { notSent } from './errors.ts';
import { LimitPeriod, type LimitRule, type RuleValue, SpendCategory } from './rule.ts';
import { centsOf, type RuleGoal } from './rule-change.ts';
import { AnyRecord, Dollars, Flag, Id, Text } from './schema.ts';

/** Whole cents for each window. Null where there is no limit. */
const Limits = z.record(LimitPeriod, z.int().nullable()).readonly();
type Limits = z.infer<typeof Limits>;

const CategoryRules = z.object({
  ...SpendCategory.shape,
  /** Limit for a single purchase. Null when there is none. */
  transactionLimitCents: z.int().nullable(),
  limits: Limits,
});

export const CardLimits = z.object({
  limits: Limits,
  categories: z.array(CategoryRules).readonly(),
  /** How many cents a longer window's limit must exceed a shorter one's. Absent: they may be equal. */
  apartCents: z.int().optional(),
});
export type CardLimits = z.infer<typeof CardLimits>;

/** The spend rules of a card that the bot uses. */
export interface SpendRules extends CardLimits {
  readonly apartCents: number;
  /** Whether the card may be used at every kind of merchant, because none is listed. */
  readonly isEveryCategoryAllowed: boolean;
  readonly isInternationalAllowed: boolean | null;
  readonly isCardNotPresentAllowed: boolean | null;
  /** Purchases are paid from the balance of the business, not of the card. Null: not known. */
  readonly usesBusinessBalance: boolean | null;
}

/** Spend rules as read (`rules`) and as received (`raw`). Fields that we do not know are written back unchanged. */
export interface SpendRulesRead {
  readonly rules: SpendRules;
  readonly raw: AnyRecord;
}

/** Wire name of each window's limit. */
export const limitFields = {
  daily: 'DailySpendLimit',
  weekly: 'WeeklySpendLimit',
  monthly: 'MonthlySpendLimit',
  yearly: 'YearlySpendLimit',
  lifetime: 'LifetimeSpendLimit',
} as const satisfies Record<LimitPeriod, string>;

/** Wire name of a category's limit for a single purchase. */
const TRANSACTION_LIMIT = 'TransactionLimit';

const Amount = Dollars.nullish();
const amounts = Object.fromEntries(Object.values(limitFields).map((field) => [field, Amount])) as Record<
  (typeof limitFields)[LimitPeriod],
  typeof Amount
>;
const Rules = z.object({
  ...amounts,
  IsDailySpendLimitEnabled: Flag,
  InternationalSpendEnabled: Flag,
  CardNotPresentUse: Flag,
  MerchantCategories: z.array(z.object({ Id, Name: Text, TransactionLimit: Amount, ...amounts })).nullish(),
});

/** Reads both forms, wrapped in `AdvancedSpendRules` or not. Null when it is neither. */
export function readSpendRules(raw: unknown, assumptions: CardApiAssumptions = parseAssumptions()): SpendRules | null {
  const received = AnyRecord.safeParse(raw);
  if (!received.success) return null;
  const inner = unwrapped(received.data, assumptions);
  // Another shape would be read as "no limits", and then no change would count as a raise.
  const isRules = inner !== received.data || Object.keys(Rules.shape).some((field) => field in inner);
  if (!isRules) return null;
  const parsed = Rules.safeParse(inner);
  if (!parsed.success) return null;
  const rules = parsed.data;
  const toLimit = (amount: number | null | undefined): number | null =>
    amount === null || amount === undefined || amount === assumptions.noLimit ? null : toCents(amount);
  const toLimits = (of: z.infer<z.ZodObject<typeof amounts>>) =>
    Object.fromEntries(LimitPeriod.options.map((period) => [period, toLimit(of[limitFields[period]])])) as Limits;
  const all = toLimits(rules);
  return {
    // Switched off, it is none, whatever amount is left there.
    limits: rules.IsDailySpendLimitEnabled === false ? { ...all, daily: null } : all,
    apartCents: assumptions.longerLimitAboveCents,
    categories: (rules.MerchantCategories ?? []).map((category) => ({
      id: category.Id,
      name: category.Name ?? `category ${category.Id}`,
      transactionLimitCents: toLimit(category.TransactionLimit),
      limits: toLimits(category),
    })),
    isEveryCategoryAllowed: assumptions.noCategoryAllowsAll && (rules.MerchantCategories ?? []).length === 0,
    isInternationalAllowed: rules.InternationalSpendEnabled,
    isCardNotPresentAllowed: rules.CardNotPresentUse,
    usesBusinessBalance: readBusinessBalance(inner, assumptions),
  };
}

/** The name differs: it may contain that of the service. */
const businessBalanceForm = /^Use(?!\w*Card\w*Balance)\w+BalanceForAuths$/;

/** Null: not known, or contradictory. */
function readBusinessBalance(rules: AnyRecord, { businessBalanceField }: CardApiAssumptions): boolean | null {
  const named = Object.keys(rules).filter((field) => businessBalanceForm.test(field));
  const fields = businessBalanceField === null ? named : [businessBalanceField];
  const [flag, ...others] = fields.map((field) => Flag.safeParse(rules[field]).data ?? null);
  return others.every((other) => other === flag) ? (flag ?? null) : null;
}

/** The body for PUT: no wrapper, and without read-only fields. */
export function toSpendRulesBody(raw: AnyRecord, assumptions: CardApiAssumptions = parseAssumptions()): AnyRecord {
  const body = without(unwrapped(raw, assumptions), assumptions.readOnlyRuleFields);
  if (!Array.isArray(body.MerchantCategories)) return body;
  return {
    ...body,
    MerchantCategories: body.MerchantCategories.map((category: unknown) =>
      isRecord(category) ? without(category, assumptions.readOnlyCategoryFields) : category,
    ),
  };
}

/** The rules themselves, with or without the answer's wrapper. */
function unwrapped(raw: AnyRecord, assumptions: CardApiAssumptions): AnyRecord {
  const inner = raw[assumptions.spendRulesWrapper];
  return isRecord(inner) ? inner : raw;
}

function without(record: AnyRecord, names: readonly string[]): AnyRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}

function isRecord(value: unknown): value is AnyRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * The spend rules as received, with some of them changed. Everything else, including unknown fields, stays as it is.
 *
 * It is unknown whether PUT replaces or merges, so the complete rules are always written back.
 *
 * @throws CardApiError when the rules cannot be changed like this.
 */
export function applyChanges(
  raw: AnyRecord,
  goals: readonly RuleGoal[],
  assumptions: CardApiAssumptions = parseAssumptions(),
): AnyRecord {
  const inner = unwrapped(raw, assumptions);
  const changed = goals.reduce((rules, goal) => applyChange(rules, goal, assumptions), inner);
  return inner === raw ? changed : { ...raw, [assumptions.spendRulesWrapper]: changed };
}

function applyChange(rules: AnyRecord, { rule, to }: RuleGoal, assumptions: CardApiAssumptions): AnyRecord {
  switch (rule.kind) {
    case 'limit':
      return setLimit(rules, rule, to, assumptions);
    case 'category':
      return allowCategory(rules, rule.category, to === true, assumptions);
    case 'international':
      return { ...rules, InternationalSpendEnabled: to };
    case 'card_not_present':
      return { ...rules, CardNotPresentUse: to };
  }
}

/** A category is allowed when it is in the list. */
function allowCategory(
  rules: AnyRecord,
  category: SpendCategory,
  isAllowed: boolean,
  { noLimit, noCategoryAllowsAll }: CardApiAssumptions,
): AnyRecord {
  const listed = categoriesOf(rules);
  const others = listed.filter((entry) => !(isRecord(entry) && String(entry.Id) === String(category.id)));
  if (isAllowed) {
    if (others.length < listed.length) return rules;
    const limits = Object.fromEntries(Object.values(limitFields).map((field) => [field, noLimit]));
    const added = { Id: category.id, Name: category.name, [TRANSACTION_LIMIT]: noLimit, ...limits };
    return { ...rules, MerchantCategories: [...listed, added] };
  }
  if (others.length === 0 && noCategoryAllowsAll)
    throw cannotChange('the last spend category cannot be removed: that would allow all categories');
  return { ...rules, MerchantCategories: others };
}

function setLimit(
  rules: AnyRecord,
  { period, category }: LimitRule,
  to: RuleValue,
  { noLimit }: CardApiAssumptions,
): AnyRecord {
  const cents = centsOf(to);
  if (cents === 0 && noLimit === 0) throw cannotChange('a limit of $0.00 would mean no limit: block the card instead');
  const value = cents === null ? noLimit : cents / 100;
  const field = period === 'transaction' ? TRANSACTION_LIMIT : limitFields[period];
  if (category !== null) return setCategoryLimit(rules, category.id, field, value);
  if (period === 'transaction') throw cannotChange('a card has no limit for a single purchase');
  // The daily limit has a separate on/off switch, which must not be off when there is a limit.
  const hasSwitch = period === 'daily' && typeof rules['IsDailySpendLimitEnabled'] === 'boolean';
  return { ...rules, ...(hasSwitch && { IsDailySpendLimitEnabled: cents !== null }), [field]: value };
}

function setCategoryLimit(rules: AnyRecord, id: number, field: string, value: number | null): AnyRecord {
  const categories = categoriesOf(rules);
  const index = categories.findIndex((category) => isRecord(category) && String(category.Id) === String(id));
  const category = categories[index];
  if (!isRecord(category)) throw cannotChange('the card has no such spend category');
  return { ...rules, MerchantCategories: categories.with(index, { ...category, [field]: value }) };
}

function categoriesOf(rules: AnyRecord): readonly unknown[] {
  return Array.isArray(rules.MerchantCategories) ? rules.MerchantCategories : [];
}

const cannotChange = (why: string): Error => notSent('applyChanges', why);
