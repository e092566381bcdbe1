import { requestIdOf } from '../actions/action.ts';
import { createFailUnreadable } from '../actions/fail-action.ts';
import { createRespondToAlert } from '../alerts/respond-to-alert.ts';
import { createSetDelegate, createSetPreference } from '../app-home/set-preference.ts';
import { createPerformAction, createPermitAction } from '../dispatch/perform-action.ts';
import { permissionOf } from '../dispatch/verbs.ts';
import { createStartRecovery } from '../recovery/run-recovery.ts';
import type { ActionContext } from './action-context.ts';
import { composeApprovals, composeOpenRequest, composeVirtualCards } from './compose-approvals.ts';
import { composeFailures, composeLimits, composeStatus, composeVerification } from './compose-changes.ts';
import {
  composeChannelVerbs,
  composeHolders,
  composeLooks,
  composeMutes,
  composeResolveCard,
} from './compose-channels.ts';
import { createTools, type Tools } from './compose-tools.ts';

/** Everything that people can ask for, and its later consequences. Each part names the verbs that it handles. */
export function composeVerbs(context: ActionContext) {
  const tools = createTools(context);
  const openRequest = composeOpenRequest(tools);
  const resolveCard = composeResolveCard(tools);
  const failures = composeFailures(tools);
  const status = composeStatus(tools);
  const limits = composeLimits(tools, openRequest);
  const virtualCards = composeVirtualCards(tools, openRequest);
  const { orders } = virtualCards;
  const approvals = composeApprovals({
    tools,
    openRequest,
    changeRule: limits.changeRule,
    failures,
    block: status.block,
    orders,
  });
  const holders = composeHolders(tools);
  const mutes = composeMutes(tools);
  const { acknowledge, recognize } = createRespondToAlert(tools);
  return {
    performAction: createPerformAction({
      ...tools,
      permit: createPermitAction({ ...tools, authorize: authorizeOnce(tools) }),
      resolveCard,
      handlers: {
        ...status.handlers,
        ...limits.handlers,
        ...approvals.handlers,
        ...virtualCards.handlers,
        ...holders.handlers,
        ...mutes.handlers,
        ...composeChannelVerbs(tools, resolveCard),
        ...composeLooks(tools),
        acknowledge,
        recognize: ({ action }) => recognize(action),
        notify: createSetPreference(tools),
        delegate: createSetDelegate(tools),
        recover: createStartRecovery(tools),
        // It was already shown and recorded when the person asked.
        look: async () => {},
        // The choice itself is performed as the action it stands for. As a verb of its own it can only be refused.
        choose: async () => {},
      },
      hasRequest: async (actionId) => (await tools.requests.get(requestIdOf(actionId))) !== null,
      failApproval: approvals.failApproval,
      dropApproval: approvals.dropApproval,
      failures,
    }),
    recordRefusal: tools.recordRefusal,
    recordRefusals: tools.recordRefusals,
    failUnreadable: createFailUnreadable(tools),
    verifyAction: composeVerification(tools, limits, approvals.requestsOfActions),
    endTemporaryChange: limits.endTemporaryChange,
    endUndo: status.endUndo,
    endMute: mutes.endMute,
    endClaim: holders.endClaim,
    ageRequest: approvals.ageRequest,
    refreshRequests: approvals.refreshRequests,
    virtualCardArrived: virtualCards.virtualCardArrived,
  };
}

/** What became a request was permitted when it was asked for. Since then it waits for others, however long that takes. */
function authorizeOnce({ authorize, requests }: Tools): Tools['authorize'] {
  return async (asked, about) => {
    const mayBecomeRequest = permissionOf(asked.verb).needsOthers !== undefined;
    const isRequested = mayBecomeRequest && (await requests.get(requestIdOf(asked.id))) !== null;
    return isRequested ? { kind: 'allowed' } : await authorize(asked, about);
  };
}
