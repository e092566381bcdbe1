import { alertIdOf } from '../actions/action.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { isPaid } from '../alerts/resolve-declines.ts';
import { mayDifferBy } from '../core/event.ts';
import type { Lease } from '../core/lock.ts';
import type { Execution } from './execute-approval.ts';
import { type ApprovalRequest, isAboutRules, type OpenRequest, openedAtMs, payCentsOf } from './request.ts';
import type { Requests } from './request-store.ts';
import type { ExpireRequest } from './resolve-request.ts';

/** When the declined purchase of a request was paid after all, UTC ISO 8601; null: it was not, or not all of it. */
export type PaidAt = (request: Pick<ApprovalRequest, 'action'>) => Promise<string | null>;

export function createPaidAt({ alerts }: { readonly alerts: Pick<Alerts, 'get'> }): PaidAt {
  return async function paidAt(request) {
    const alertId = isAboutRules(request) ? alertIdOf(request.action) : null;
    const alert = alertId === null ? null : await alerts.get(alertId);
    if (alert?.kind !== 'transaction') return null;
    const { amountCents } = alert.event;
    // Somebody who asks for more than was declined wants to pay more.
    if ((payCentsOf(request) ?? amountCents) > amountCents + mayDifferBy(amountCents)) return null;
    return alert.outcomes.find((outcome) => isPaid(outcome) && outcome.isPart !== true)?.at ?? null;
  };
}

interface ReadDeps {
  readonly requests: Pick<Requests, 'get'>;
  readonly paidAt: PaidAt;
}

/**
 * Reads a request that somebody decides. One that would be approved for a single purchase is over once that is paid:
 * somebody else raised the limit for it, or the limit was reset. Approving it would loosen the card for nothing. Whoever
 * asked after the payment wants to pay once more, or knows that something else was paid.
 */
export function createReadRequest({ requests, paidAt }: ReadDeps): Requests['get'] {
  return async function readRequest(id) {
    const request = await requests.get(id);
    if (request?.state !== 'open') return request;
    const { paidAt: _before, ...asked } = request;
    const paid = request.term.kind === 'purchase' ? await paidAt(request) : null;
    return paid === null || Date.parse(paid) < openedAtMs(request) ? asked : { ...asked, paidAt: paid };
  };
}

interface EndDeps {
  readonly execution: Pick<Execution, 'stop'>;
  readonly expire: ExpireRequest;
}

/** Ends a request that nobody can decide any more. Runs under its lock. */
export type EndRequest = (request: OpenRequest, lease: Lease) => Promise<boolean>;

/** @returns false while an approval may be in effect. */
export function createEndRequest({ execution, expire }: EndDeps): EndRequest {
  return async function endRequest(request, lease) {
    if ((await execution.stop(request)) !== null) return false;
    await expire(request, lease);
    return true;
  };
}
