import type { Term } from '../card-api/rule-change.ts';
import { serviceZone } from '../core/installation.ts';
import { fixedEnd, hasPassed, passedWords } from '../limits/term.ts';
import { type ApprovalRequest, askedTerm, type OpenRequest, withVoid } from './request.ts';

/**
 * When nobody can decide it any more, unless its purchase is paid before: after a day, or when what it asks for would end. A change that would be over is
 * never made.
 */
export function expiryOf(request: Pick<ApprovalRequest, 'action' | 'expiresAt' | 'term'>): {
  readonly at: string;
  readonly isTermOver: boolean;
} {
  const { expiresAt } = request;
  const end = fixedEnd(lastTerm(request), serviceZone().name)?.toISOString() ?? expiresAt;
  return end < expiresAt ? { at: end, isTermOver: true } : { at: expiresAt, isTermOver: false };
}

/** The requested duration, or the one that an approver changed it to: whichever ends last. */
function lastTerm(request: Pick<ApprovalRequest, 'action' | 'term'>): Term {
  const { term } = request;
  const asked = askedTerm(request);
  const endMs = (one: Term) => fixedEnd(one, serviceZone().name)?.getTime() ?? Number.POSITIVE_INFINITY;
  return endMs(asked) > endMs(term) ? asked : term;
}

export function isExpired(request: ApprovalRequest, now: Date): boolean {
  if (request.paidAt !== undefined) return true;
  const { at, isTermOver } = expiryOf(request);
  return isTermOver ? now.toISOString() >= at : now.toISOString() > at;
}

/** Milliseconds until it expires, or until what an approver changed it to would be over. */
export function untilEndMs(request: OpenRequest, now: Date): number {
  const { at, isTermOver } = expiryOf(request);
  const untilExpired = Date.parse(at) - now.getTime() + (isTermOver ? 0 : 1);
  const chosen = fixedEnd(request.term, serviceZone().name);
  const isAhead = chosen !== null && chosen > now;
  return isAhead ? Math.min(untilExpired, chosen.getTime() - now.getTime()) : untilExpired;
}

/** What an approver changed it to would be over, unlike what was asked for. */
export function isAmendmentOver(request: ApprovalRequest, now: Date): boolean {
  return hasPassed(request.term, now, serviceZone().name) && !isExpired(request, now);
}

/** The request as it was asked for. Its changes are to be read again. */
export function asAskedFor(request: OpenRequest): OpenRequest {
  const reasons = request.approvals.map(({ by }) => ({ by, why: 'values', standsInFor: null }) as const);
  const { amended: _over, ...others } = withVoid(request, reasons);
  return { ...others, term: askedTerm(request), changes: [], note: '' };
}

/** For people who read that it expired. */
export function whyNotDecided(request: ApprovalRequest): string {
  if (request.paidAt !== undefined) return 'The purchase was paid meanwhile.';
  if (expiryOf(request).isTermOver) return passedWords(lastTerm(request));
  return `${request.approvals.length > 0 ? 'It was not decided' : 'Nobody decided'} within 24 hours.`;
}

/** For people who decide. */
export function whyExpired(request: ApprovalRequest): string {
  const end = request.paidAt === undefined ? 'The request has expired.' : 'Nothing is left to approve.';
  return `${whyNotDecided(request)} ${end}`;
}

/** For people who decide. Follows {@link whyExpired}. */
export const mayAskAgain = 'Whoever asked can ask again.';
