import type { LimitRequest, Requests } from '../approvals/request-store.ts';
import type { WithLock } from '../core/lock.ts';
import { type Claims, isClaimId } from '../holders/claim-store.ts';
import type { Leases } from '../limits/temporary-change-store.ts';
import type { MessageRef } from '../slack/message.ts';

interface Deps {
  readonly requests: Requests;
  readonly claims: Claims;
  readonly leases: Leases;
  readonly updateRequest: (requestId: string) => Promise<void>;
  readonly updateClaim: (claimId: string) => Promise<void>;
  readonly updateLease: (leaseId: string) => Promise<void>;
  readonly withLock: WithLock;
}

/** Writes down where the message of a request, a claim or a temporary limit stands, so that it can be changed when it is decided. */
export function createPlaceNotice({
  requests,
  claims,
  leases,
  updateRequest,
  updateClaim,
  updateLease,
  withLock,
}: Deps) {
  return async function placeNotice(id: string, ref: MessageRef): Promise<void> {
    if (isClaimId(id)) await placeClaim(id, ref);
    else if (id.startsWith('req_')) await placeRequest(id, ref);
    else await placeLease(id, ref);
  };

  async function placeClaim(claimId: string, ref: MessageRef): Promise<void> {
    await withLock(`claim:${claimId}`, async () => {
      const claim = await claims.get(claimId);
      if (claim === null) return;
      await claims.save({ ...claim, ref });
      if (claim.state !== 'open') await updateClaim(claimId);
    });
  }

  /** Under the request's lock: whoever presses its button this very moment must not be overwritten. */
  async function placeRequest(requestId: string, ref: MessageRef): Promise<void> {
    await withLock(`request:${requestId}`, async () => {
      const request = await requests.get(requestId);
      if (request === null) return;
      await requests.save({ ...request, ref });
      // Between the drawing and now somebody said yes, or decided: then it looks different, and its buttons may be gone.
      if (!isAsAsked(request)) await updateRequest(requestId);
    });
  }

  async function placeLease(leaseId: string, ref: MessageRef): Promise<void> {
    const found = await leases.get(leaseId);
    if (found === null) return;
    await withLock(`account:${found.acctId}`, async () => {
      const lease = await leases.get(leaseId);
      if (lease === null || lease.refs.some(({ ts }) => ts === ref.ts)) return;
      await leases.save({ ...lease, refs: [...lease.refs, ref] });
      // It may have ended between the drawing and now.
      await updateLease(leaseId);
    });
  }
}

/** Nothing has happened to it since: an approver's own yes to what they ask for is no click on it. */
function isAsAsked({ state, approvals, unsure, remindedAt }: LimitRequest): boolean {
  const isUntouched = approvals.every(({ id }) => id === undefined);
  return state === 'open' && isUntouched && unsure === null && remindedAt === null;
}
