import type { ActionTools, LockedRun } from '../actions/action-tools.ts';
import { isDecidedBy } from '../core/decided-record.ts';
import type { FinishRequest } from './complete-approval.ts';
import type { Decisions } from './decide-request.ts';
import type { Execution } from './execute-approval.ts';
import type { ApprovalClick, ApprovalRequest } from './request.ts';

interface Deps extends Pick<ActionTools, 'updateRequest'> {
  readonly execution: Pick<Execution, 'resume'>;
  readonly decisions: Pick<Decisions, 'deny'>;
  readonly finish: FinishRequest;
}

/**
 * Continues what a click has done to its request before a crash, whatever others decided meanwhile. Runs under the
 * request's lock.
 *
 * @returns false when the click has done nothing yet.
 * @throws CardApiError when the job should be retried.
 */
export type ResumeClick = (click: ApprovalClick, request: ApprovalRequest, run: LockedRun) => Promise<boolean>;

export function createResumeClick({ execution, decisions, finish, updateRequest }: Deps): ResumeClick {
  return async function resumeClick(click, request, run) {
    if (request.state !== 'open' && isDecidedBy(request, click.id)) {
      const isDenial = request.state === 'denied' && click.verb === 'decide';
      await (isDenial ? decisions.deny(click, request, run.lease) : finish(request));
      return true;
    }
    // The approval was counted. Someone else may have decided since.
    if (request.approvals.some(({ actionId }) => actionId === click.id)) {
      await updateRequest(request.id);
      return true;
    }
    return await execution.resume(click, request, run);
  };
}
