import type { LimitRequest, Requests } from '../approvals/request-store.ts';
import type { WithLock } from '../core/lock.ts';
import { type Claims, isClaimId } from '../holders/claim-store.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { MessageRef } from '../slack/message.ts';

interface Deps {
  readonly requests: Requests;
  readonly claims: Claims;
  readonly temporaryChanges: TemporaryChanges;
  readonly updateRequest: (requestId: string) => Promise<void>;
  readonly updateClaim: (claimId: string) => Promise<void>;
  readonly updateTemporaryChange: (temporaryChangeId: string) => Promise<void>;
  readonly withLock: WithLock;
}

/** Writes down where the message of a request, a claim or a temporary limit stands, so that it can be changed when it is decided. */
export function createPostTrackedMessage({
  requests,
  claims,
  temporaryChanges,
  updateRequest,
  updateClaim,
  updateTemporaryChange,
  withLock,
}: Deps) {
  return async function postTrackedMessage(id: string, ref: MessageRef): Promise<void> {
    if (isClaimId(id)) await postClaim(id, ref);
    else if (id.startsWith('req_')) await postRequest(id, ref);
    else await postTemporaryChange(id, ref);
  };

  async function postClaim(claimId: string, ref: MessageRef): Promise<void> {
    await withLock(`claim:${claimId}`, async () => {
      const claim = await claims.get(claimId);
      if (claim === null) return;
      await claims.save({ ...claim, ref });
      if (claim.state !== 'open') await updateClaim(claimId);
    });
  }

  /** Under the request's lock: whoever presses its button this very moment must not be overwritten. */
  async function postRequest(requestId: string, ref: MessageRef): Promise<void> {
    await withLock(`request:${requestId}`, async () => {
      const request = await requests.get(requestId);
      if (request === null) return;
      await requests.save({ ...request, ref });
      // Between the drawing and now somebody said yes, or decided: then it looks different, and its buttons may be gone.
      if (!isAsAsked(request)) await updateRequest(requestId);
    });
  }

  async function postTemporaryChange(temporaryChangeId: string, ref: MessageRef): Promise<void> {
    const found = await temporaryChanges.get(temporaryChangeId);
    if (found === null) return;
    await withLock(`account:${found.acctId}`, async () => {
      const temporaryChange = await temporaryChanges.get(temporaryChangeId);
      if (temporaryChange === null || temporaryChange.refs.some(({ ts }) => ts === ref.ts)) return;
      await temporaryChanges.save({ ...temporaryChange, refs: [...temporaryChange.refs, ref] });
      // It may have ended between the drawing and now.
      await updateTemporaryChange(temporaryChangeId);
    });
  }
}

/** Nothing has happened to it since: an approver's own yes to what they ask for is no click on it. */
function isAsAsked({ state, approvals, unsure, remindedAt }: LimitRequest): boolean {
  const isUntouched = approvals.every(({ id }) => id === undefined);
  return state === 'open' && isUntouched && unsure === null && remindedAt === null;
}
