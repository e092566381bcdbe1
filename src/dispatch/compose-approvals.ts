import { type Action, requestIdOf } from '../actions/action.ts';

import type { ActionDeps } from '../actions/deps.ts';
import { failChange, failUnchanged } from '../actions/fail-action.ts';
import { createRecordAction, type RecordAction } from '../actions/record-action.ts';
import { type Refuse, refuse } from '../actions/record-refusal.ts';
import { notify } from '../actions/report.ts';
import { confirmAction, type RequestsOfActions } from '../actions/verify-action.ts';
import { createAskForRaise, createFindChange, createJudgeAsk } from '../approvals/ask-for-raise.ts';
import { type ApprovalVerified, createCompletion, createFinishRequest } from '../approvals/complete-approval.ts';
import { createDecideRequest, createDecisions, createWhyNotAllowed } from '../approvals/decide-request.ts';
import { createCapChange, createOverrideRequest } from '../approvals/emergency-override.ts';
import { createExecution, createFailApproval } from '../approvals/execute-approval.ts';
import { createAgeRequest, createExpireRequest } from '../approvals/expire-request.ts';
import { createOpenRequest } from '../approvals/open-request.ts';
import { createHolderNotices, createResolveRequest } from '../approvals/resolve-request.ts';
import { changeRule } from '../limits/change-rule.ts';
import { isOwnCardOf, purchaseOf, type Raise, raisedCents } from '../limits/raise-amount.ts';

/** What asks others, counts their decisions, and does what they approved. */
export function composeApprovals(deps: ActionDeps) {
  const tools = { ...deps, ...toolsOf(deps) };
  const openRequest = createOpenRequest(tools);
  const holderNotices = createHolderNotices(tools);
  const resolve = createResolveRequest({ ...tools, holderNotices });
  const finish = createFinishRequest({ ...tools, resolve });
  const { complete, verified } = createCompletion({ ...tools, finish, holderNotices });
  const execution = createExecution({
    ...tools,
    complete,
    changeRule: (resolved, approved, attempt) =>
      changeRule(resolved, approved, { ...deps, isLastAttempt: attempt.isLast }, openRequest),
    notify: (action, verb, end, of) => notify(action, verb, end, deps, of),
  });
  const expire = createExpireRequest({ ...tools, resolve });
  const whyNotAllowed = createWhyNotAllowed(tools);
  const decisions = createDecisions({ ...tools, execution, whyNotAllowed, finish });
  return {
    openRequest,
    askForRaise: createAskForRaise({
      ...tools,
      openRequest,
      judge: createJudgeAsk(tools),
      findChange: createFindChange(tools),
    }),
    decideRequest: createDecideRequest({ ...tools, execution, expire, finish, decisions }),
    overrideRequest: createOverrideRequest({
      ...tools,
      execution,
      finish,
      whyNotAllowed,
      capChange: createCapChange(tools),
    }),
    failApproval: createFailApproval({
      ...tools,
      complete,
      failChange: (given) => failChange(given, deps),
      failUnchanged: (action, error) => failUnchanged(action, error, deps),
    }),
    requestsOfActions: requestsOf(verified, deps),
    ageRequest: createAgeRequest({ ...tools, execution, expire }),
  };
}

/** What whoever looks at a changed card has to do with requests. */
function requestsOf(verified: ApprovalVerified, { requests, withLock }: ActionDeps): RequestsOfActions {
  const requestOf = (outcomeOf: string) => requests.get(requestIdOf(outcomeOf));
  return {
    async withLock(outcomeOf, work) {
      const isOfRequest = (await requestOf(outcomeOf)) !== null;
      await (isOfRequest ? withLock(`request:${requestIdOf(outcomeOf)}`, work) : work());
    },
    async verified(outcomeOf, actionId, confirmation) {
      const request = await requestOf(outcomeOf);
      if (request !== null) await verified(request, actionId, confirmation);
    },
  };
}

function toolsOf(deps: ActionDeps) {
  const record = createRecordAction(deps);
  const recordOnce: RecordAction = async (action, entry) => {
    if ((await deps.progress.read(action.id)) !== null) return;
    await record(action, entry);
    await deps.progress.write(action.id, { state: 'asked' });
  };
  const showWaiting = async (alertId: string, { id, actor }: Action, verb: 'limit' | 'allow'): Promise<void> => {
    const at = deps.now().toISOString();
    const outcome = { verb, by: actor.userId, at, state: 'waiting', text: '', asHolder: true } as const;
    await deps.alerts.setOutcome(alertId, id, outcome);
    await deps.updateMessages(alertId);
  };
  return {
    record,
    recordOnce,
    showWaiting,
    refuse: ((action, refusal, about) => refuse(action, refusal, deps, about)) satisfies Refuse,
    factsOf: async (acctId: number) => deps.toFacts(acctId, await deps.directory.account(acctId)),
    raiseAmount: (action: Action, acctId: number, raise: Raise) => raisedCents(action, acctId, raise, deps),
    purchaseOf: (action: Action) => purchaseOf(action, deps),
    isOwnCard: (userId: string, acctId: number, holder: string | null) => isOwnCardOf(userId, acctId, deps, holder),
  };
}

/** Looks whether a change that was sent can be seen, see {@link confirmAction}. */
export async function verifyAction(actionId: string, deps: ActionDeps): Promise<number | null> {
  return await confirmAction(actionId, deps, composeApprovals(deps).requestsOfActions);
}
