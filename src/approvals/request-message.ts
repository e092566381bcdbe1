import { approvalRequest } from '../../templates/approvals/approval-request.ts';
import type { TemporaryChange } from '../limits/temporary-change-store.ts';
import type { Message } from '../slack/message.ts';
import type { LimitRequest } from './request-store.ts';

/**
 * The message of a request, as it stands now.
 *
 * @param temporaryChange the temporary change that a yes made.
 */
export function requestMessage(request: LimitRequest, temporaryChange: TemporaryChange | null = null): Message {
  const { action, card, changes, term, needed, approvals, unsure, state, note, decidedBy, decidedAt, expiresAt } =
    request;
  return approvalRequest({
    value: request.id,
    askedBy: action.actor.userId,
    askedAt: action.askedAt,
    isHolders: action.verb === 'ask',
    card,
    changes,
    term,
    payCents: action.ask?.amountCents ?? null,
    reason: action.reason,
    needed,
    approvals,
    state,
    unsure,
    note,
    decidedBy,
    until: decidedAt ?? expiresAt,
    isOverdue: request.remindedAt !== null,
    temporaryChange,
  });
}
