import { raiseLost } from '../../templates/holders/holder-request.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { NotifyOfLoss } from '../limits/lost-raise.ts';
import type { Requests } from './request-store.ts';

interface Deps extends Pick<ActionTools, 'notifyDirectly' | 'factsOf'> {
  readonly requests: Pick<Requests, 'get'>;
  readonly links: { isHeldBy(userId: string, acctId: number): Promise<boolean> };
}

/**
 * A holder may stand at the counter with what was approved for them, and an edit of the request notifies nobody. So they, and
 * everybody who approved it, get a message of their own.
 */
export function createNotifyOfLoss({ requests, links, notifyDirectly, factsOf }: Deps): NotifyOfLoss {
  return async function notifyOfLoss(lost) {
    const { id, acctId, requestId, by } = lost.raise;
    const request = requestId === null ? null : await requests.get(requestId);
    if (request?.action.verb !== 'ask') return;
    const holder = request.action.actor.userId;
    const isHeld = await links.isHeldBy(holder, acctId);
    // An approval that is not confirmed yet is not among the others.
    const approvers = [...new Set([...request.approvals.map((approval) => approval.by), by.userId])];
    const { amountCents } = request.action.ask;
    const facts = { ...lost, card: await factsOf(acctId), holder, isHeld, approvers, payCents: amountCents };
    if (holder !== lost.by && isHeld) await notifyDirectly(holder, `lost-${id}`, raiseLost(facts, 'holder'));
    for (const approver of approvers)
      if (approver !== lost.by) await notifyDirectly(approver, `lost-${id}`, raiseLost(facts, 'approver'));
  };
}
