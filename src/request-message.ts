import { approvalRequest } from '../templates/approval-request.ts';
import type { Message } from './slack/message.ts';
import type { LimitRequest } from './store/requests.ts';

/** The message of a request, as it stands now. */
export function requestMessage(request: LimitRequest): Message {
  const { action, card, fromCents, approvals, state, decidedBy, decidedAt, expiresAt } = request;
  const wish = action.limit;
  const durationMs = wish?.durationMs ?? null;
  // A temporary limit runs from the moment it is set, which is the second approval.
  const startsAt = Date.parse(decidedAt ?? action.askedAt);
  return approvalRequest({
    value: request.id,
    askedBy: action.actor.userId,
    askedAt: action.askedAt,
    card,
    period: wish?.period ?? 'daily',
    category: wish?.category?.name ?? null,
    fromCents,
    toCents: wish?.limitCents ?? null,
    reason: action.reason,
    endsAt: durationMs === null ? null : new Date(startsAt + durationMs).toISOString(),
    needed: 2,
    approvals,
    state,
    deniedBy: state === 'denied' ? decidedBy : null,
    until: decidedAt ?? expiresAt,
  });
}
