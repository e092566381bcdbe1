import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { type Decisions, stateWords } from './decide-request.ts';
import type { Execution } from './execute-approval.ts';
import { isDecidedBy } from './request.ts';
import type { Requests } from './request-store.ts';
import type { ExpireRequest } from './resolve-request.ts';
import type { WithdrawAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'authorize' | 'refuse' | 'now'> {
  readonly requests: Pick<Requests, 'get'>;
  readonly execution: Pick<Execution, 'stop'>;
  readonly expire: ExpireRequest;
  readonly decisions: Pick<Decisions, 'withdraw'>;
}

/** Who asked takes the request back, as long as nobody has decided it. Runs under the request's lock. */
export function createWithdrawRequest({ authorize, refuse, now, requests, execution, expire, decisions }: Deps) {
  return async function withdrawRequest(action: WithdrawAction): Promise<void> {
    const request = await requests.get(action.target.requestId);
    const refused = (why: string, whoCan: Refusal['whoCan'] = 'Nothing is left to withdraw.') =>
      refuse(action, { what: 'Withdrawing', why, whoCan }, { acctId: request?.acctId ?? null });

    if (request === null) return await refused('This request is too old.');
    const isOwnAction = request.action.actor.userId === action.actor.userId;
    const verdict = await authorize(action, { isOwnAction });
    if (verdict.kind === 'refused') return await refused(verdict.why, 'An approver can deny it.');
    // Decided by this very click before a crash: what was left of it is done.
    if (isDecidedBy(request, action.id)) return await decisions.withdraw(action, request);
    if (request.state !== 'open') return await refused(`This request is ${stateWords[request.state]} already.`);
    const notYet = await execution.stop(request);
    if (notYet !== null) return await refused(notYet.why, notYet.whoCan);
    if (now().toISOString() <= request.expiresAt) return await decisions.withdraw(action, request);
    await expire(request);
    await refused('This request expired without a decision.');
  };
}
