import type { CardClient } from '../card-api/client.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { CardApiError } from '../core/errors.ts';
import { shareRunning } from '../core/join-calls.ts';
import type { Log } from '../core/log.ts';
import { foldName } from './card-query.ts';

/** How many cards' rules are read before the id of a category counts as unknown. */
const ASKED_MAX = 3;

interface CategoryDeps {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly accounts: () => Promise<readonly number[]>;
  readonly log: Log;
}

/**
 * The id of a merchant category, from the rules of a few other cards: the specification has no list of categories. Null: none
 * of them names it. `away`: some of them could not be read, and may be later.
 */
export function createCategoryId({ card, accounts, log }: CategoryDeps) {
  const ids = new Map<string, number>();
  return async function categoryId(name: string): Promise<number | null | 'away'> {
    const key = foldName(name);
    const known = ids.get(key);
    if (known !== undefined) return known;
    let isAway = false;
    for (const acctId of (await accounts()).slice(0, ASKED_MAX)) {
      try {
        const { rules } = await card.getSpendRules(acctId, { deadlineMs: 1500 });
        for (const category of rules.categories) ids.set(foldName(category.name), category.id);
      } catch (error) {
        log.warn({ err: error }, 'could not read the rules of another card');
        // A closed account refuses each time.
        isAway ||= !(error instanceof CardApiError) || error.retryable || error.code === 'token_dead';
      }
      const found = ids.get(key);
      if (found !== undefined) return found;
    }
    return isAway ? 'away' : null;
  };
}

/** Names rarely change, and a name that is an hour old does no harm. */
const KNOWN_FOR_MS = 3_600_000;
/** After a failure the id is shown for this long, so that not every message waits for a name. */
const UNKNOWN_FOR_MS = 5 * 60_000;
const QUICKLY = { deadlineMs: 2000, maxRetries: 0 } as const;

interface RulesetDeps {
  readonly card: Pick<CardClient, 'listRulesets'>;
  /** The specification leaves this open: see `CardApiAssumptions`. */
  readonly mayOverrule: boolean;
  readonly now: () => Date;
}

/**
 * Adds the name of a card's spending ruleset to its facts. One call reads all names, and they are cached. If it fails, only
 * the id is shown.
 */
export function createNameRuleset({ card, mayOverrule, now }: RulesetDeps): (facts: CardFacts) => Promise<CardFacts> {
  let known: { names: ReadonlyMap<number, string | null>; until: number } | null = null;

  const read = shareRunning(async (): Promise<ReadonlyMap<number, string | null>> => {
    try {
      const names = new Map((await card.listRulesets(QUICKLY)).map(({ rulesetId, name }) => [rulesetId, name]));
      known = { names, until: now().getTime() + KNOWN_FOR_MS };
      return names;
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      const names = known?.names ?? new Map<number, string | null>();
      known = { names, until: now().getTime() + UNKNOWN_FOR_MS };
      return names;
    }
  });

  return async function nameRuleset(facts) {
    if (facts.ruleset == null) return facts;
    const names = known !== null && known.until > now().getTime() ? known.names : await read();
    const { id } = facts.ruleset;
    return { ...facts, ruleset: { id, name: names.get(id) ?? null, mayOverrule } };
  };
}
