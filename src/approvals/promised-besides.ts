import { type Action, alertIdOf } from '../actions/action.ts';
import { ofRule } from '../card-api/rule.ts';
import type { RuleGoal } from '../card-api/rule-change.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { PaidAt } from './paid-request.ts';
import { type ApprovalRequest, payCentsOf } from './request.ts';
import type { GatherFacts } from './request-facts.ts';
import type { Requests } from './request-store.ts';

/**
 * What was approved for the same holder to pay something else, and is perhaps not paid yet, in whole cents. One limit does not
 * cover both. Empty: nothing, or the request is not a holder's.
 */
export type PromisedBesides = (
  request: Pick<ApprovalRequest, 'id' | 'acctId'> & { readonly action: Action },
) => Promise<number[]>;

interface Deps {
  readonly requests: Pick<Requests, 'get'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly paidAt: PaidAt;
}

export function createPromisedBesides({ requests, temporaryChanges, paidAt }: Deps): PromisedBesides {
  return async function promisedBesides({ id, acctId, action }) {
    if (action.verb !== 'ask') return [];
    const running = (await temporaryChanges.all()).filter(
      (one) => one.acctId === acctId && one.state === 'open' && one.certainty === 'certain' && one.requestId !== id,
    );
    const amounts = await Promise.all(running.map(({ requestId }) => amountOf(requestId, action)));
    return amounts.filter((cents) => cents !== null);
  };

  /** Asking for the same declined purchase again is not another one. Whoever held the card before may have asked, too. */
  async function amountOf(requestId: string | null, action: Action): Promise<number | null> {
    const other = requestId === null ? null : await requests.get(requestId);
    if (other === null || other.action.actor.userId !== action.actor.userId) return null;
    const alertId = alertIdOf(action);
    const isSame = alertId !== null && alertIdOf(other.action) === alertId;
    return isSame || (await paidAt(other)) !== null ? null : payCentsOf(other);
  }
}

/** The facts of a new request, with what was promised besides. */
export function createGatherAllFacts(gatherFacts: GatherFacts, promisedBesides: PromisedBesides): GatherFacts {
  return async function gatherAllFacts(requestId, asked, payCents) {
    const { isBlocked, facts } = await gatherFacts(requestId, asked, payCents);
    const promised = await promisedBesides({ ...asked, id: requestId });
    return { isBlocked, facts: promised.length > 0 ? { ...facts, promised } : facts };
  };
}

/**
 * The limits that a holder needs to pay what was promised besides as well, if that is not paid yet; empty: none more. A limit of
 * a category may not be about the other purchase.
 */
export function limitsForBoth({
  changes,
  goals,
  facts,
}: Pick<ApprovalRequest, 'changes' | 'goals' | 'facts'>): RuleGoal[] {
  const promised = (facts.promised ?? []).reduce((sum, cents) => sum + cents, 0);
  if (promised === 0) return [];
  return goals.flatMap(({ rule, to }) => {
    const given = ofRule(changes, rule)?.to ?? to;
    const isCovered = typeof to !== 'number' || typeof given !== 'number' || given >= to + promised;
    return isCovered || rule.kind !== 'limit' || rule.category !== null ? [] : [{ rule, to: to + promised }];
  });
}
