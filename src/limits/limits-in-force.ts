import type { ActionTools } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { centsOf, isMade, type RuleChange } from '../card-api/rule-change.ts';
import type { RemainingLimits } from '../card-api/schema.ts';
import { CardApiError } from '../core/errors.ts';
import { foldName } from '../directory/card-query.ts';
import type { Directory } from '../directory/directory.ts';

/** The limits that a ruleset enforces, which may be lower than the card's own. `unread`: none is known. */
type EnforcedLimits = RemainingLimits | 'unread';

interface Deps extends Pick<ActionTools, 'factsOf' | 'nameRuleset'> {
  readonly card: Pick<CardClient, 'getRemainingLimits'>;
  readonly directory: Pick<Directory, 'current'>;
}

/**
 * The limits in force for a card whose ruleset may overrule its own; null: its own are in force.
 *
 * The returned function throws CardApiError when the job should be retried.
 */
export function createLimitsInForce({ factsOf, nameRuleset, card, directory }: Deps) {
  return async function limitsInForce(acctId: number): Promise<EnforcedLimits | null> {
    // Stores the ruleset that the card follows now. If it cannot be read, the card may follow one.
    const isCurrent = (await directory.current(acctId)) !== null;
    const { ruleset } = await nameRuleset(await factsOf(acctId));
    if (ruleset == null ? isCurrent : !ruleset.mayOverrule) return null;
    try {
      return await card.getRemainingLimits(acctId, { deadlineMs: 5000 });
    } catch (error) {
      if (error instanceof CardApiError && !error.retryable) return 'unread';
      throw error;
    }
  };
}

/** The change relative to what is in force, if that is less than the card's own limit. Relative to $0 if it is not known. */
export function fromInForce(change: RuleChange, enforced: EnforcedLimits | null): RuleChange {
  const { rule, from } = change;
  if (enforced === null || !mayBeEnforced(change) || rule.kind !== 'limit') return change;
  if (enforced === 'unread') return { ...change, from: 0 };
  const { period, category } = rule;
  const isOfCategory = ({ id, name }: RemainingLimits['categories'][number]): boolean =>
    id === category?.id || foldName(name) === foldName(category?.name ?? '');
  const windows = category === null ? enforced.overall : enforced.categories.filter(isOfCategory);
  // What is left of a limit would change with each purchase, and end approvals.
  const limits = windows.filter((window) => window.period === period).map(({ limitCents }) => limitCents ?? 0);
  const own = centsOf(from);
  return limits.length === 0 ? change : { ...change, from: Math.min(...limits, own ?? Number.POSITIVE_INFINITY) };
}

/** Whether a ruleset may have a limit in place of the one that is changed. What is so already is no raise. */
export function mayBeEnforced(change: RuleChange): boolean {
  return change.rule.kind === 'limit' && change.rule.period !== 'transaction' && !isMade([change]);
}
