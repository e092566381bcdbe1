import { createFailUnreadable } from '../actions/fail-unreadable.ts';
import { createConclude, createNotifyOthers, createSeenNow, createVerifyAction } from '../actions/verify-action.ts';
import type { TransactionAlert } from '../alerts/alert.ts';
import { createRespondToAlert } from '../alerts/respond-to-alert.ts';
import type { Gap } from '../core/gap.ts';
import { createPerformAction } from '../dispatch/perform-action.ts';
import { createPermitAction } from '../dispatch/permit-action.ts';
import type { FilledForm } from '../limits/fill-form.ts';
import type { RemedyAction } from '../limits/verbs.ts';
import { createStartRecovery } from '../recovery/run-recovery.ts';
import type { ActionBase } from './action-base.ts';
import { composeApprovals, composeOpenRequest } from './compose-approvals.ts';
import {
  composeChannelVerbs,
  composeLooks,
  composeMutes,
  composeResolveCard,
  composeSetDigest,
  type DigestParts,
  type RoutingParts,
} from './compose-channels.ts';
import { composeHolders } from './compose-holders.ts';
import { composeFillForm, composeLimits } from './compose-limits.ts';
import { composeFailures, composeStatus } from './compose-status.ts';
import { composeTools } from './compose-tools.ts';
import { composeVirtualCards } from './compose-virtual-cards.ts';
import { verbHandlers } from './verb-handlers.ts';

export interface VerbsDeps {
  readonly base: ActionBase;
  readonly routing: RoutingParts;
  readonly digest: DigestParts;
  readonly recovery: {
    /** Starts the search for what was missed. */
    readonly recoverGap: (gap: Gap) => Promise<void>;
    /** Where the bot tells of itself. */
    readonly opsChannel: string;
  };
  /** Shows in an open form what is known by now. */
  readonly updateForm: (form: RemedyAction['form'], shown: FilledForm<TransactionAlert>) => Promise<void>;
}

/** Everything that people can ask for, and what follows from it later. */
export function composeVerbs(deps: VerbsDeps) {
  const { base } = deps;
  const capabilities = composeCapabilities(deps);
  const { tools, resolveCard, limits, approvals, failures, holders, virtualCards, status, mutes } = capabilities;
  const performAction = createPerformAction({
    permit: createPermitAction({ ...tools, whoMay: base.people.whoMay }),
    resolveCard,
    record: tools.record,
    handlers: verbHandlers(capabilities),
    failApproval: approvals.failApproval,
    failAction: failures.failAction,
  });
  return {
    performAction,
    recordRefusal: tools.recordRefusal,
    recordRefusals: tools.recordRefusals,
    failUnreadable: createFailUnreadable(tools),
    verifyAction: composeVerification({ base, ...capabilities }),
    endTemporaryChange: limits.endTemporaryChange,
    endUndo: status.endUndo,
    endMute: mutes.endMute,
    endClaim: holders.endClaim,
    ageRequest: approvals.ageRequest,
    virtualCardArrived: virtualCards.virtualCardArrived,
  };
}

export type Capabilities = ReturnType<typeof composeCapabilities>;

export function composeCapabilities({ base, routing, digest, recovery, updateForm }: VerbsDeps) {
  const tools = composeTools(base);
  const openRequest = composeOpenRequest({ base, tools });
  const limits = composeLimits({ base, tools, openRequest });
  const failures = composeFailures({ base, tools });
  const resolveCard = composeResolveCard({ base, tools });
  return {
    tools,
    resolveCard,
    limits,
    failures,
    status: composeStatus({ base, tools }),
    approvals: composeApprovals({ base, tools, openRequest, limits, failures }),
    holders: composeHolders({ base, tools }),
    virtualCards: composeVirtualCards({ base, tools }),
    looks: composeLooks({ base, tools, routing }),
    channels: composeChannelVerbs({ base, tools, routing, resolveCard }),
    mutes: composeMutes({ tools, routing }),
    fillForm: composeFillForm({ base, updateForm }),
    setDigest: composeSetDigest({ tools, routing, digest }),
    startRecovery: createStartRecovery({ ...recovery, momentOf: base.settings.momentOf, reply: tools }),
    responses: createRespondToAlert({ ...tools, alerts: base.stores.alerts }),
  };
}

/** What looks whether a change that was sent can be seen. */
function composeVerification({
  base,
  tools,
  limits,
  approvals,
}: { readonly base: ActionBase } & Pick<Capabilities, 'tools' | 'limits' | 'approvals'>) {
  const { stores, cards, notices } = base;
  const requests = approvals.requestsOfActions;
  const seenNow = createSeenNow({ ...stores, ...cards, ...tools, ...limits, reload: cards.directory.reload });
  const notifyOthers = createNotifyOthers({ ...notices, requests });
  const conclude = createConclude({ ...stores, ...tools, seenNow, notifyOthers });
  return createVerifyAction({ ...stores, ...tools, card: cards.card, requests, conclude });
}
