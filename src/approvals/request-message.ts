import { approvalRequest } from '../../templates/approvals/approval-request.ts';
import type { TemporaryChange } from '../limits/temporary-change-store.ts';
import type { Message } from '../slack/message.ts';
import {
  askedTerm,
  blocksIn,
  decisionOf,
  type LimitRequest,
  payCentsOf,
  requestValue,
  unconfirmedApproval,
} from './request.ts';

/** The message of a request, as it stands now. @param temporaryChange what its approval made, if that ends by itself. */
export function requestMessage(request: LimitRequest, temporaryChange: TemporaryChange | null = null): Message {
  const {
    action,
    card,
    orderCents,
    changes,
    term,
    needed,
    approvals,
    voided,
    isBlocked,
    facts,
    goals,
    counted,
    state,
    note,
    expiresAt,
    remindedAt,
  } = request;
  const decision = decisionOf(request);
  return approvalRequest({
    value: requestValue(request),
    askedBy: action.actor.userId,
    askedAt: action.askedAt,
    isHolders: action.verb === 'ask',
    card,
    orderCents,
    blocks: blocksIn(request),
    changes,
    term,
    payCents: payCentsOf(request),
    reason: action.reason,
    needed,
    approvals,
    voided,
    isBlocked,
    facts,
    asked: { goals, term: askedTerm(request) },
    counted,
    state,
    unconfirmed: unconfirmedApproval(request),
    note,
    decidedBy: decision?.by ?? null,
    until: decision?.at ?? expiresAt,
    isOverdue: remindedAt !== null,
    temporaryChange,
  });
}
