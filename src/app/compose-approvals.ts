import { requestIdOf } from '../actions/action.ts';
import type { Failures } from '../actions/fail-action.ts';
import { createAccountOf } from '../actions/record-refusal.ts';
import { readBack } from '../actions/send-status.ts';
import type { RequestsOfActions } from '../actions/verify-action.ts';
import { createAskForRaise, createFindChange, createJudgeAsk, createShowWaiting } from '../approvals/ask-for-raise.ts';
import { createAskPermission } from '../approvals/ask-permission.ts';
import { createBlockAll, createRequestBlockAll } from '../approvals/block-all.ts';
import { type ApprovalVerified, createCompletion, createFinishRequest } from '../approvals/complete-approval.ts';
import {
  createDecideRequest,
  createDecisions,
  createIsOwnRequest,
  createRecount,
  createWhyNotAllowed,
  type Orders,
} from '../approvals/decide-request.ts';
import { createCapChange, createOverrideRequest } from '../approvals/emergency-override.ts';
import { createExecution, createFailApproval } from '../approvals/execute-approval.ts';
import { createAgeRequest, createExpireRequest, createPostReminder } from '../approvals/expire-request.ts';
import { createJudgeClick } from '../approvals/judge-click.ts';
import { createOpenRequest } from '../approvals/open-request.ts';
import { createGatherFacts } from '../approvals/request-facts.ts';
import { createHolderNotices, createResolveRequest } from '../approvals/resolve-request.ts';
import { commandOf, permissionOf } from '../dispatch/verbs.ts';
import { createRaiseAmounts } from '../limits/raise-amount.ts';
import type { composeLimits } from './compose-changes.ts';
import type { Tools } from './compose-tools.ts';

interface Deps {
  readonly tools: Tools;
  readonly openRequest: ReturnType<typeof composeOpenRequest>;
  readonly limits: Pick<ReturnType<typeof composeLimits>, 'changeRule' | 'countRaise' | 'changesFromBase'>;
  readonly failures: Failures;
  readonly orders: Orders;
  readonly block: Parameters<typeof createBlockAll>[0]['block'];
}

/** What asks others, counts their decisions, and does what they approved. */
export function composeApprovals({ tools, openRequest, limits, failures, orders, block }: Deps) {
  const common = { ...tools, ...limits, orders, blockAll: createBlockAll({ ...tools, failures, block }) };
  const holderNotices = createHolderNotices(common);
  const resolve = createResolveRequest({ ...common, holderNotices });
  const finish = createFinishRequest({ ...common, resolve });
  const { complete, verified } = createCompletion({ ...common, finish, holderNotices });
  const execution = createExecution({ ...common, complete });
  const expire = createExpireRequest({ ...common, resolve });
  const isOwn = createIsOwnRequest(common);
  const whyNotAllowed = createWhyNotAllowed({ ...common, isOwn });
  const recount = createRecount(common);
  const judgeClick = createJudgeClick({ ...common, isOwn, whyNotAllowed, recount });
  const decisions = createDecisions({ ...common, execution, judgeClick, recount, finish });
  const capChange = createCapChange(common);
  return {
    askPermission: createAskPermission({ ...tools, accountOf: createAccountOf(tools), permissionOf, commandOf }),
    requestBlockAll: createRequestBlockAll({ ...tools, openRequest }),
    askForRaise: createAskForRaise({
      ...common,
      openRequest,
      judge: createJudgeAsk(common),
      findChange: createFindChange(common),
      showWaiting: createShowWaiting(tools),
    }),
    decideRequest: createDecideRequest({ ...common, execution, expire, finish, decisions }),
    overrideRequest: createOverrideRequest({ ...common, execution, finish, judgeClick, recount, capChange }),
    failApproval: createFailApproval({ ...common, complete, failures }),
    requestsOfActions: requestsOf(verified, tools),
    ageRequest: createAgeRequest({ ...common, execution, expire, postReminder: createPostReminder(common) }),
  };
}

/** Opens a request that others decide. */
export function composeOpenRequest(tools: Tools) {
  const statusOf = (acctId: number, cardId: number | null) => readBack(acctId, cardId, tools.card, { maxRetries: 0 });
  const { changesFromBase } = createRaiseAmounts(tools);
  const gatherFacts = createGatherFacts({ ...tools, statusOf, requestsOf: tools.requests.requestsOf });
  return createOpenRequest({ ...tools, gatherFacts, changesFromBase });
}

/** What whoever looks at a changed card has to do with requests. */
function requestsOf(verified: ApprovalVerified, { requests, withLock }: Tools): RequestsOfActions {
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
