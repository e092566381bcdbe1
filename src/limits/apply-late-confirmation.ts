import { requestIdOf } from '../actions/action.ts';
import type { AwaitedChange, Verdict } from '../actions/action-state.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import type { CardClient } from '../card-api/client.ts';
import { changesFrom } from '../card-api/rule-change.ts';
import { CardApiError } from '../core/errors.ts';
import type { Opened, TemporaryTerms } from './open-temporary-change.ts';
import type { TemporaryChanges } from './temporary-change-store.ts';

const READ_ONCE = { deadlineMs: 5000, maxRetries: 0 } as const;

/**
 * The second half of a change of rules whose answer was lost, now that somebody has looked: found made, its end starts
 * and what it replaces ends, as if the answer had come in time; found not made, its end is forgotten.
 *
 * Runs under the account's lock. Safe to repeat. Answers with what to say of it; null when there is nothing to say.
 */
export type ApplyLateConfirmation = (
  awaited: AwaitedChange,
  verdict: Pick<Verdict, 'confirmation'>,
) => Promise<Opened | null>;

interface Deps {
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly latestChanges: Pick<LatestChanges, 'isSuperseded'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly terms: Pick<TemporaryTerms, 'resolve' | 'forgetIfGone'>;
  readonly now: () => Date;
}

export function createApplyLateConfirmation(deps: Deps): ApplyLateConfirmation {
  return async function applyLateConfirmation(awaited, { confirmation }) {
    const { action, acctId, outcomeOf, result } = awaited;
    const { expects } = result;
    if (result.state !== 'unknown' || expects?.kind !== 'rule') return null;
    const { term, changes } = expects;
    if (term === undefined) return null;
    if (confirmation !== 'confirmed') {
      await forgetUnmade(awaited);
      return null;
    }
    // What is seen may be a later change's, which has done all of this for itself.
    if (await deps.latestChanges.isSuperseded(acctId, expects, action.id)) return null;
    // Opened before it was sent: without it, its end was found to be nobody's.
    if (term.kind !== 'permanent' && (await deps.temporaryChanges.get(action.id)) === null) return null;
    const requestId = outcomeOf === action.id ? null : requestIdOf(outcomeOf);
    const opened = await deps.terms.resolve({ action, acctId, changes, term, requestId });
    // Its time is over meanwhile: what ends it, ends it now.
    const isOver = opened?.control != null && Date.parse(opened.control.until) <= deps.now().getTime();
    return isOver ? null : opened;
  };

  /** A card that follows a ruleset may show that one's rules: then nobody can tell. Nor can one that cannot be read. */
  async function forgetUnmade({ action, acctId, result }: AwaitedChange): Promise<void> {
    const { expects, card } = result;
    if (expects?.kind !== 'rule' || card.ruleset != null) return;
    if ((await deps.temporaryChanges.get(action.id))?.state !== 'open') return;
    try {
      const { rules } = await deps.card.getSpendRules(acctId, READ_ONCE);
      await deps.terms.forgetIfGone(action.id, changesFrom(rules, expects.changes), acctId);
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
    }
  }
}
