import { currentCard } from '../state/account.ts';
import { MERCHANT_CATEGORIES } from '../state/merchant-category.ts';
import { availableCents, rulesOf, type World } from '../state/world.ts';

/** Account ids by role in the story. A role stays empty if the business has no matching account. */
export interface Cast {
  /** Active cards without restrictions. */
  readonly plain: readonly number[];
  readonly inactive: number | undefined;
  readonly noOnline: number | undefined;
  readonly dailyLimit: number | undefined;
  readonly categoryLimit: number | undefined;
  readonly fewCategories: number | undefined;
  readonly businessBalance: number | undefined;
  readonly remote: number | undefined;
}

/** Finds an account for each role. */
export function castOf(world: World): Cast {
  const open = world.state.accounts
    .filter(({ status }) => status === 'OPEN')
    .map((account) => ({ account, rules: rulesOf(world, account), status: currentCard(account)?.status }));
  const active = open.filter(({ status }) => status === 'ACTIVE');
  const find = (isIt: (each: (typeof active)[number]) => boolean): number | undefined =>
    active.find(isIt)?.account.acctId;
  return {
    plain: active
      .filter(({ account, rules }) => availableCents(account) > 50_000 && isPlain(rules) && account.cards.length === 1)
      .map(({ account }) => account.acctId),
    inactive: open.find(({ account, status }) => status === 'INACTIVE' && account.ledgerCents > 5000)?.account.acctId,
    noOnline: find(({ rules }) => !rules.CardNotPresentUse),
    // Enough balance that the limit declines purchases and not the balance, also during the storm.
    dailyLimit: find(
      ({ account, rules }) =>
        rules.DailySpendLimit !== null && rules.DailySpendLimit < 180 && availableCents(account) > 100_000,
    ),
    categoryLimit: find(({ rules }) =>
      rules.MerchantCategories.some(({ Id, DailySpendLimit }) => Id === 9 && (DailySpendLimit ?? 999) < 145),
    ),
    fewCategories: find(
      ({ account, rules }) =>
        availableCents(account) > 50_000 &&
        rules.MerchantCategories.length > 0 &&
        !rules.MerchantCategories.some(({ Id }) => Id === 4),
    ),
    businessBalance: find(({ rules }) => rules.UseBusinessBalanceForAuths),
    remote: find(({ rules }) => rules.UseCustomerAuthDecision),
  };
}

function isPlain(rules: ReturnType<typeof rulesOf>): boolean {
  return (
    rules.DailySpendLimit === null &&
    rules.WeeklySpendLimit === null &&
    rules.MonthlySpendLimit === null &&
    rules.CardNotPresentUse &&
    !rules.UseBusinessBalanceForAuths &&
    !rules.UseCustomerAuthDecision &&
    rules.MerchantCategories.length === MERCHANT_CATEGORIES.length
  );
}
