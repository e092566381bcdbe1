import type { CardClient } from '../card-api/client.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { CardApiError } from '../core/errors.ts';

/** Names change seldom; a wrong one for an hour does no harm. */
const KNOWN_FOR_MS = 3_600_000;
/** Where the card service does not say, the number does for a while: nothing waits for a name again and again. */
const UNKNOWN_FOR_MS = 5 * 60_000;
const QUICKLY = { deadlineMs: 2000, maxRetries: 0 } as const;

interface Deps {
  readonly card: Pick<CardClient, 'listRulesets'>;
  /** What the specification leaves open: see `CardApiAssumptions`. */
  readonly mayOverrule: boolean;
  readonly now: () => number;
}

/**
 * The name of the spending ruleset that a card follows, put into what is known of the card. All names are read with one
 * call and kept; without it, the number stays.
 */
export function createNameRuleset({ card, mayOverrule, now }: Deps): (facts: CardFacts) => Promise<CardFacts> {
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
