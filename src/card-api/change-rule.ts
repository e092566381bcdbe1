import { CardApiError } from '../core/errors.ts';
import type { PlannedChange } from '../limits/limit-change.ts';
import { isOfLimits, plannedOf, type RuleChange } from '../limits/rule-change.ts';
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
 * The rules with one thing changed, or several limits; everything else, unknown fields too, unchanged and in its place.
 *
 * Whether PUT replaces or merges is not shown, so all of it is always written back.
 *
 * @throws CardApiError when the rules cannot be changed like that.
 */
export function changeRule(
  raw: AnyRecord,
  change: RuleChange,
  assumptions: SpendRulesAssumptions = defaults,
): AnyRecord {
  if (isOfLimits(change)) {
    return plannedOf(change).reduce((rules, limit) => changeLimit(rules, limit, assumptions), raw);
  }
  const inner = unwrapped(raw, assumptions);
  const changed =
    change.kind === 'category'
      ? allowCategory(inner, change, assumptions)
      : { ...inner, [switches[change.kind]]: change.isAllowed };
  return inner === raw ? changed : { ...raw, [assumptions.spendRulesWrapper]: changed };
}

const switches = { international: 'InternationalSpendEnabled', card_not_present: 'CardNotPresentUse' } as const;

/** A category is allowed when it is in the list. */
function allowCategory(
  rules: AnyRecord,
  { category, isAllowed }: Extract<RuleChange, { kind: 'category' }>,
  { noLimit, noCategoryAllowsAll }: SpendRulesAssumptions,
): AnyRecord {
  const listed = categoriesOf(rules);
  const others = listed.filter((one) => !(isRecord(one) && String(one.Id) === String(category.id)));
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

/** The same for a limit. */
export function changeLimit(
  raw: AnyRecord,
  change: PlannedChange,
  assumptions: SpendRulesAssumptions = defaults,
): AnyRecord {
  const inner = unwrapped(raw, assumptions);
  const value = change.limitCents === null ? assumptions.noLimit : change.limitCents / 100;
  if (change.period === 'transaction' && change.category === null)
    throw cannotChange('a card has no limit for a single purchase');
  const field = change.period === 'transaction' ? TRANSACTION_LIMIT : limitFields[change.period];
  const changed =
    change.category === null
      ? { ...inner, ...switchOf(inner, change), [field]: value }
      : changeCategory(inner, change.category, field, value);
  return inner === raw ? changed : { ...raw, [assumptions.spendRulesWrapper]: changed };
}

/** The daily limit has a switch beside it, which must not say "off" when the limit is there. */
function switchOf(rules: AnyRecord, { period, limitCents }: PlannedChange): AnyRecord {
  const has = period === 'daily' && typeof rules['IsDailySpendLimitEnabled'] === 'boolean';
  return has ? { IsDailySpendLimitEnabled: limitCents !== null } : {};
}

function changeCategory(rules: AnyRecord, id: number, field: string, value: number | null): AnyRecord {
  const categories = categoriesOf(rules);
  const place = categories.findIndex((category) => isRecord(category) && String(category.Id) === String(id));
  const category = categories[place];
  if (!isRecord(category)) {
    throw cannotChange('the card has no such spend category');
  }
  return { ...rules, MerchantCategories: categories.with(place, { ...category, [field]: value }) };
}

function categoriesOf(rules: AnyRecord): readonly unknown[] {
  return Array.isArray(rules.MerchantCategories) ? rules.MerchantCategories : [];
}

function cannotChange(why: string): CardApiError {
  return new CardApiError(why, {
    operation: 'changeRule',
    status: null,
    outcome: 'not_sent',
    code: 'refused',
    apiMessage: null,
  });
}
