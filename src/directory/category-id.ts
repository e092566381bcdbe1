import type { CardClient } from '../card-api/client.ts';
import type { Log } from '../core/log.ts';
import type { Categories } from './category-store.ts';

/** As many cards are asked for their rules before a category's number counts as unknown. */
const ASKED_MAX = 3;

interface Deps {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly categories: Categories;
  /** Accounts of the program, any. */
  readonly accounts: () => Promise<readonly number[]>;
  readonly log: Log;
}

/** The number of a merchant category: known from rules that were read, else from the rules of a few other cards. */
export function createCategoryId({ card, categories, accounts, log }: Deps) {
  return async function categoryId(name: string): Promise<number | null> {
    const known = await categories.idOf(name);
    if (known !== null) return known;
    for (const acctId of (await accounts()).slice(0, ASKED_MAX)) {
      try {
        await categories.learn((await card.getSpendRules(acctId, { deadlineMs: 1500 })).rules.categories);
      } catch (error) {
        log.warn({ err: error }, 'rules of another card could not be read');
      }
      const found = await categories.idOf(name);
      if (found !== null) return found;
    }
    return null;
  };
}
