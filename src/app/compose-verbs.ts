import { createFailUnreadable } from '../actions/fail-unreadable.ts';
import { createFraudCaseVerbs } from '../alerts/fraud-case.ts';
import { createRespondToAlert } from '../alerts/respond-to-alert.ts';
import { createSetDelegate } from '../app-home/set-delegate.ts';
import { createSetPreference } from '../app-home/set-preference.ts';
import { createPerformAction } from '../dispatch/perform-action.ts';
import { createPermitAction } from '../dispatch/permit-action.ts';
import { createStartRecovery } from '../recovery/run-recovery.ts';
import type { ActionContext } from './action-context.ts';
import { composeApprovals, composeOpenRequest } from './compose-approvals.ts';
import {
  composeFailures,
  composeFillForm,
  composeLimits,
  composeStatus,
  composeVerification,
} from './compose-changes.ts';
import {
  composeChannelVerbs,
  composeHolders,
  composeLooks,
  composeMutes,
  composeResolveCard,
} from './compose-channels.ts';
import { createTools, type Tools } from './compose-tools.ts';
import { composeVirtualCards } from './compose-virtual-cards.ts';
import { verbHandlers } from './verb-handlers.ts';

/** Everything that people can ask for, and what follows from it later. */
export function composeVerbs(context: ActionContext) {
  const capabilities = composeCapabilities(createTools(context));
  const { tools, resolveCard, limits, failures, status, approvals, holders, virtualCards, mutes } = capabilities;
  return {
    performAction: createPerformAction({
      ...tools,
      permit: createPermitAction(tools),
      resolveCard,
      handlers: verbHandlers(capabilities),
      failApproval: approvals.failApproval,
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
    virtualCardArrived: virtualCards.virtualCardArrived,
  };
}

export type Capabilities = ReturnType<typeof composeCapabilities>;

function composeCapabilities(tools: Tools) {
  const openRequest = composeOpenRequest(tools);
  const limits = composeLimits(tools, openRequest);
  const failures = composeFailures(tools);
  const resolveCard = composeResolveCard(tools);
  const virtualCards = composeVirtualCards(tools, openRequest);
  const status = composeStatus(tools);
  return {
    tools,
    resolveCard,
    limits,
    failures,
    status,
    fraudCases: createFraudCaseVerbs({ ...tools, block: status.block }),
    approvals: composeApprovals({ tools, openRequest, limits, failures, block: status.block, ...virtualCards }),
    holders: composeHolders(tools),
    virtualCards,
    looks: composeLooks(tools),
    channels: composeChannelVerbs(tools, resolveCard),
    mutes: composeMutes(tools),
    fillForm: composeFillForm(tools),
    startRecovery: createStartRecovery(tools),
    responses: createRespondToAlert(tools),
    setPreference: createSetPreference(tools),
    setDelegate: createSetDelegate(tools),
  };
}
