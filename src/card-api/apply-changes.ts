import { CardApiError } from '../core/errors.ts';
import type { LimitRule, RuleValue, SpendCategory } from './rule.ts';
import { centsOf, type RuleGoal } from './rule-change.ts';
import type { AnyRecord } from './schema.ts';
import {
  defaultRulesAssumptions as defaults,
  isRecord,
  limitFields,
  type SpendRulesAssumptions,
  TRANSACTION_LIMIT,
  unwrapped,
} from './spend-rules.ts';

/**
 * The spend rules as received, with some of them changed; everything else, unknown fields too, unchanged and in its place.
 *
 * Whether PUT replaces or merges is not shown, so all of it is always written back.
 *
 * @throws CardApiError when the rules cannot be changed like that.
 */
export function applyChanges(
  raw: AnyRecord,
  goals: readonly RuleGoal[],
  assumptions: SpendRulesAssumptions = defaults,
): AnyRecord {
  const inner = unwrapped(raw, assumptions);
  const changed = goals.reduce((rules, goal) => applyChange(rules, goal, assumptions), inner);
  return inner === raw ? changed : { ...raw, [assumptions.spendRulesWrapper]: changed };
}

function applyChange(rules: AnyRecord, { rule, to }: RuleGoal, assumptions: SpendRulesAssumptions): AnyRecord {
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
  { noLimit, noCategoryAllowsAll }: SpendRulesAssumptions,
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
    throw cannotChange('the last spend category cannot be taken away: that would allow all');
  return { ...rules, MerchantCategories: others };
}

function setLimit(
  rules: AnyRecord,
  { period, category }: LimitRule,
  to: RuleValue,
  { noLimit }: SpendRulesAssumptions,
): AnyRecord {
  const cents = centsOf(to);
  const value = cents === null ? noLimit : cents / 100;
  const field = period === 'transaction' ? TRANSACTION_LIMIT : limitFields[period];
  if (category !== null) return setCategoryLimit(rules, category.id, field, value);
  if (period === 'transaction') throw cannotChange('a card has no limit for a single purchase');
  // The daily limit has a switch beside it, which must not say "off" when the limit is there.
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

function cannotChange(why: string): CardApiError {
  return new CardApiError(why, {
    operation: 'applyChanges',
    status: null,
    outcome: 'not_sent',
    code: 'refused',
    apiMessage: null,
  });
}
