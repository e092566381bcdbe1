import { isUnsent } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Progress } from '../actions/progress-store.ts';
import type { RecentRaises } from '../limits/recent-raise-store.ts';
import { type ApprovalClick, withoutInFlight } from './request.ts';
import type { Requests } from './request-store.ts';

interface Deps extends Pick<ActionTools, 'withLock'> {
  readonly progress: Pick<Progress, 'read'>;
  readonly requests: Pick<Requests, 'get' | 'save'>;
  readonly recentRaises: Pick<RecentRaises, 'releaseOverride'>;
}

/**
 * The job of a click is over. If the click was refused, or came too late, after an earlier attempt had begun its change,
 * nothing of that attempt may remain: others decide the request, and an emergency override was not used. Idempotent.
 */
export type DropApproval = (click: ApprovalClick) => Promise<void>;

export function createDropApproval({ withLock, progress, requests, recentRaises }: Deps): DropApproval {
  return async function dropApproval({ id, verb, target: { requestId } }) {
    await withLock(`request:${requestId}`, async (lease) => {
      const request = await requests.get(requestId);
      if (request === null || !isUnsent(await progress.read(id))) return;
      await lease.confirm();
      if (verb === 'emergency-override') await recentRaises.releaseOverride(request.acctId, id);
      const dropped = withoutInFlight(request, id);
      if (dropped.inFlight.length < request.inFlight.length) await requests.save(dropped);
    });
  };
}
