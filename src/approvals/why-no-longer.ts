import type { CardClient } from '../card-api/client.ts';
import { isInUseBlocked } from './current-request.ts';
import type { Approvals, WhyNotAllowed } from './judge-click.ts';
import { type ApprovalClick, type ApprovedChange, isAboutRules, type LimitRequest } from './request.ts';

/**
 * Why an approved change may not be made any more, by the roles, the links and the status of this moment: one sentence.
 * Null: it may. Asked right before the card service is called, because reading the card may take long.
 */
export type WhyNoLonger = (
  click: ApprovalClick,
  request: LimitRequest,
  approved: Pick<ApprovedChange, 'approvals'>,
) => Promise<string | null>;

interface Deps {
  readonly links: { isHeldBy(userId: string, acctId: number): Promise<boolean> };
  readonly whyNotAllowed: WhyNotAllowed;
  readonly approvals: Approvals;
  readonly card: Pick<CardClient, 'getAccount'>;
}

export function createWhyNoLonger(deps: Deps): WhyNoLonger {
  return async function whyNoLonger(click, request, { approvals }) {
    const { action, acctId } = request;
    if (isAboutRules(request) && !request.isBlocked) {
      const account = await deps.card.getAccount(acctId);
      if (isInUseBlocked(account, request.card.cardId)) return blockedNow;
    }
    if (action.verb === 'ask' && !(await deps.links.isHeldBy(action.actor.userId, acctId))) return heldByOthersNow;
    if ((await deps.whyNotAllowed(click, request)) !== null) return notAllowedNow;
    if (click.verb === 'emergency-override') return null;
    const others = approvals.filter(({ by }) => by !== click.actor.userId);
    const { voided } = await deps.approvals.ofNow(click, request, others);
    return voided.length === 0 ? null : notAllowedNow;
  };
}

const blockedNow = 'The card was blocked in this moment, so I did not do it. Look at the request again.';
const heldByOthersNow = 'Whoever asked for it no longer holds the card, so I did not do it.';
const notAllowedNow =
  'In this moment an approver lost the right to approve it, so I did not do it. Look at the request again.';
