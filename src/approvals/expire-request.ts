import { requestReminder } from '../../templates/approvals/request-notes.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { PATIENCE_MS } from '../policy/decide.ts';
import { whyNotYet } from './execute-approval.ts';
import { expire } from './resolve-request.ts';

/** By then it is known what became of a yes, or that nobody will know. */
const LOOKED_AT_MS = 3 * 60_000;

/**
 * A request that nobody answers: after a quarter of an hour the approvers are reminded and operators may break the
 * glass; after a day it ends. Safe to repeat, at any time.
 *
 * @returns milliseconds after which to look again, or null when it is decided.
 */
export async function ageRequest(requestId: string, deps: ActionDeps): Promise<number | null> {
  return await deps.withLock(`request:${requestId}`, async () => {
    const request = await deps.requests.get(requestId);
    if (request?.state !== 'open') return null;
    const now = deps.now().getTime();
    if (now > Date.parse(request.expiresAt)) {
      if ((await whyNotYet(request, deps)) !== null) return LOOKED_AT_MS;
      await expire(request, deps);
      return null;
    }
    const remindAt = Date.parse(request.action.askedAt) + PATIENCE_MS;
    if (request.remindedAt === null && now < remindAt) return remindAt - now + 1;
    if (request.remindedAt === null) {
      await deps.postToApprovals(`${requestId}-reminder`, requestReminder(request, await deps.whoMay('approver')));
      await deps.requests.save({ ...request, remindedAt: deps.now().toISOString() });
      await deps.updateRequest(requestId);
    }
    return Date.parse(request.expiresAt) - now + 1;
  });
}
