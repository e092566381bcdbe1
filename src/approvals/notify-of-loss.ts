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
 * whoever approved it, get a message of their own.
 */
export function createNotifyOfLoss({ requests, links, notifyDirectly, factsOf }: Deps): NotifyOfLoss {
  return async function notifyOfLoss(lost) {
    const { id, acctId, requestId, by } = lost.raise;
    const request = requestId === null ? null : await requests.get(requestId);
    if (request?.action.verb !== 'ask') return;
    const holder = request.action.actor.userId;
    const facts = { ...lost, card: await factsOf(acctId), holder, payCents: request.action.ask.amountCents };
    if (holder !== lost.by && (await links.isHeldBy(holder, acctId)))
      await notifyDirectly(holder, `lost-${id}`, raiseLost(facts, 'holder'));
    if (by.userId !== lost.by) await notifyDirectly(by.userId, `lost-${id}`, raiseLost(facts, 'approver'));
  };
}
