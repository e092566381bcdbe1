import { toCents } from '../money.ts';
import { WINDOWS, type Window, windowName, windowOfDay } from '../service-time.ts';
import type { Account } from '../state/account.ts';
import { type Limits, limitField } from '../state/spend-rules.ts';
import { rulesOf, type World } from '../state/world.ts';

/** A window's limit and what is left of it now. */
export interface RemainingLimit {
  readonly window: Window;
  readonly limitCents: number;
  readonly remainingCents: number;
}

/** The same for one merchant category. */
interface RemainingCategoryLimit extends RemainingLimit {
  readonly categoryId: number;
  readonly categoryName: string;
}

/** What is left of each overall limit. The decision engine enforces exactly these numbers. */
export function remainingLimits(world: World, account: Account, at: Date): RemainingLimit[] {
  return leftOf(world, account, rulesOf(world, account), at);
}

/** What is left of each category limit. */
export function remainingCategoryLimits(world: World, account: Account, at: Date): RemainingCategoryLimit[] {
  return rulesOf(world, account).MerchantCategories.flatMap((category) =>
    leftOf(world, account, category, at, category.Id).map((left) => ({
      ...left,
      categoryId: category.Id,
      categoryName: category.Name,
    })),
  );
}

function leftOf(world: World, account: Account, limits: Limits, at: Date, categoryId?: number): RemainingLimit[] {
  return WINDOWS.flatMap((window) => {
    const limit = limits[limitField(window)];
    if (limit === null || limit === undefined) return [];
    const limitCents = toCents(limit);
    const spentCents = spentIn(world, account.acctId, window, at, categoryId);
    return [{ window, limitCents, remainingCents: Math.max(0, limitCents - spentCents) }];
  });
}

/** Cents spent in the window that contains `at`: held, debited and settled money, minus reversals. */
function spentIn(world: World, acctId: number, window: Window, at: Date, categoryId?: number): number {
  const name = windowName(window, at);
  let cents = 0;
  for (const purchase of world.purchasesOf.get(acctId) ?? []) {
    if (categoryId !== undefined && purchase.categoryId !== categoryId) continue;
    if (purchase.countedCents !== 0 && windowOfDay(window, purchase.day) === name) cents += purchase.countedCents;
  }
  return cents;
}
