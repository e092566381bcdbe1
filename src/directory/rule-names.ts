import type { Cluster, Redis } from 'ioredis';
import type { CardClient } from '../card-api/client.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { CardApiError } from '../core/errors.ts';
import { stateKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';

/** As many cards are asked for their rules before a category's number counts as unknown. */
const ASKED_MAX = 3;

interface CategoryDeps {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly categories: Categories;
  /** Accounts of the program, any. */
  readonly accounts: () => Promise<readonly number[]>;
  readonly log: Log;
}

/** The number of a merchant category: known from rules that were read, else from the rules of a few other cards. */
export function createCategoryId({ card, categories, accounts, log }: CategoryDeps) {
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

/** Merchant categories by name, as spend rules of the program have shown them. */
export interface Categories {
  learn(categories: readonly { readonly id: number; readonly name: string }[]): Promise<void>;
  /** Null: no rules that were read so far name it. */
  idOf(name: string): Promise<number | null>;
}

/** The specification shows no list of categories: their numbers are learned from every card's rules that are read. */
export function createCategories(redis: Redis | Cluster): Categories {
  const key = stateKey('merchant-categories');
  const fold = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return {
    async learn(categories) {
      const fields = categories.flatMap(({ id, name }) => [fold(name), String(id)]);
      if (fields.length > 0) await redis.hset(key, ...fields);
    },
    async idOf(name) {
      const id = await redis.hget(key, fold(name));
      return id === null ? null : Number(id);
    },
  };
}

/** Names change seldom; a wrong one for an hour does no harm. */
const KNOWN_FOR_MS = 3_600_000;
/** Where the card service does not say, the number does for a while: nothing waits for a name again and again. */
const UNKNOWN_FOR_MS = 5 * 60_000;
const QUICKLY = { deadlineMs: 2000, maxRetries: 0 } as const;

interface RulesetDeps {
  readonly card: Pick<CardClient, 'listRulesets'>;
  /** What the specification leaves open: see `CardApiAssumptions`. */
  readonly mayOverrule: boolean;
  readonly now: () => number;
}

/**
 * The name of the spending ruleset that a card follows, put into what is known of the card. All names are read with one
 * call and kept; without it, the number stays.
 */
export function createNameRuleset({ card, mayOverrule, now }: RulesetDeps): (facts: CardFacts) => Promise<CardFacts> {
  let known: { names: ReadonlyMap<number, string | null>; until: number } | null = null;
  let reading: Promise<ReadonlyMap<number, string | null>> | null = null;

  async function read(): Promise<ReadonlyMap<number, string | null>> {
    try {
      const names = new Map((await card.listRulesets(QUICKLY)).map(({ rulesetId, name }) => [rulesetId, name]));
      known = { names, until: now() + KNOWN_FOR_MS };
      return names;
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      const names = known?.names ?? new Map<number, string | null>();
      known = { names, until: now() + UNKNOWN_FOR_MS };
      return names;
    } finally {
      reading = null;
    }
  }

  return async function nameRuleset(facts) {
    if (facts.ruleset == null) return facts;
    if (known === null || known.until <= now()) reading ??= read();
    const names = reading === null ? known?.names : await reading;
    const { id } = facts.ruleset;
    return { ...facts, ruleset: { id, name: names?.get(id) ?? null, mayOverrule } };
  };
}
