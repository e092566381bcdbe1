import type { Statement } from '../audit/audit-record.ts';
import { blockIdOf } from './block-all.ts';
import type { ApprovalInFlight } from './request.ts';
import type { Requests } from './request-store.ts';

/** The verbs under which an approved change is made. */
const made: ReadonlySet<string> = new Set(['limit', 'allow', 'order-virtual', 'block']);

type Change = Pick<Statement, 'verb' | 'actionId' | 'acctId'>;

/**
 * Who approved a change, while it is being made; empty: nobody had to. Of an emergency override too: nobody approved
 * what the operator made of the request, whatever had been approved before.
 */
export function createApproversInFlight({ requests }: { readonly requests: Pick<Requests, 'open'> }) {
  return async function approversInFlight(change: Change): Promise<string[]> {
    if (!made.has(change.verb)) return [];
    const inFlight = (await requests.open()).flatMap((request) => request.inFlight);
    const approval = inFlight.find((one) => one.kind === 'approval' && isMadeBy(one, change));
    return approval?.approvals.map(({ by }) => by) ?? [];
  };
}

/** A change runs under the id of the last approval; the block of each of several cards, under an id made from it. */
function isMadeBy({ actionId }: ApprovalInFlight, change: Change): boolean {
  if (change.verb !== 'block') return change.actionId === actionId;
  return change.acctId !== null && change.actionId === blockIdOf(actionId, change.acctId);
}
