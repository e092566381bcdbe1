import { cardOf } from '../../templates/core/card-words.ts';
import { requestIdOf } from '../actions/action.ts';
import { createFailUnreadable } from '../actions/fail-action.ts';
import { createRespondToAlert } from '../alerts/respond-to-alert.ts';
import { createTrackCard } from '../alerts/track-card.ts';
import { createNameDelegate, createSetDelegate } from '../app-home/set-delegate.ts';
import { createSetOwnQuiet, createSetPreference } from '../app-home/set-preference.ts';
import { localDate } from '../core/service-time.ts';
import { createChangeSchedule, createSetDigest } from '../digests/set-digest.ts';
import type { Directory } from '../directory/directory.ts';
import { createAskWhich, createFindCard, createResolveCard, type ResolveCard } from '../directory/resolve-card.ts';
import { createListDeclines, createShowCard } from '../directory/show-card.ts';
import {
  createDropUnsent,
  createFailuresOfVerbs,
  createPerformAction,
  createPermitAction,
  createRecordSeen,
  type Handlers,
} from '../dispatch/perform-action.ts';
import { changesCard, isLook, isOfAccount, permissionOf, refusedTo } from '../dispatch/verbs.ts';
import { createClaimCard, createOpenClaim } from '../holders/claim-card.ts';
import { createClaimDecisions, createConfirmClaim, createJudgeClaim } from '../holders/decide-claim.ts';
import { createLinkVerbs, createSetHolder } from '../holders/link-card.ts';
import { createVisibleSince } from '../holders/link-store.ts';
import { createStartRecovery } from '../recovery/run-recovery.ts';
import { createMayGetAlerts } from '../routing/channel-access.ts';
import { createChangeQuiet, createSetAlertLength, createSetQuiet } from '../routing/channel-settings.ts';
import { createPostAfterQuiet } from '../routing/held-until.ts';
import { createListSubscriptions } from '../routing/list-subscriptions.ts';
import {
  createEndMute,
  createListMutes,
  createMute,
  createMuteVerbs,
  createStartMute,
  createUnmute,
  createWhyNotMute,
} from '../routing/mute.ts';
import { createChangeSubscriptions, createPreview, createSubscriptionVerbs } from '../routing/subscribe.ts';
import { createExplainRouting, createFindAlerts } from '../routing/why.ts';
import { createSetWarnings } from '../warnings/set-warnings.ts';
import type { ActionContext } from './action-context.ts';
import { composeApprovals, composeOpenRequest, composeVirtualCards } from './compose-approvals.ts';
import { composeFailures, composeLimits, composeStatus, composeVerification } from './compose-changes.ts';
import { createTools, type Tools } from './compose-tools.ts';

/** Everything that people can ask for, and its later consequences. Each part names the verbs that it handles. */
export function composeVerbs(context: ActionContext) {
  const tools = createTools(context);
  const openRequest = composeOpenRequest(tools);
  const resolveCard = composeResolveCard(tools);
  const failures = composeFailures(tools);
  const status = composeStatus(tools);
  const limits = composeLimits(tools, openRequest);
  const virtualCards = composeVirtualCards(tools, openRequest, failures);
  const { changeRule } = limits;
  const { orders } = virtualCards;
  const approvals = composeApprovals({ tools, openRequest, changeRule, failures, block: status.block, orders });
  const holders = composeHolders(tools);
  const mutes = composeMutes(tools);
  const { acknowledge, recognize } = createRespondToAlert(tools);
  return {
    performAction: createPerformAction({
      ...tools,
      permit: createPermitAction({ ...tools, rights: { ...tools.rights, authorize: authorizeOnce(tools) } }),
      resolveCard,
      recordLook: createRecordSeen(tools),
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
        notify: createSetPreference({ ...tools, setOwnQuiet: createSetOwnQuiet(tools) }),
        ...composeDelegations(tools),
        recover: createStartRecovery(tools),
        // It was already shown and recorded when the person asked.
        look: async () => {},
        // The choice itself is performed as the action it stands for. As a verb of its own it can only be refused.
        choose: async () => {},
      },
      hasRequest: async (actionId) => (await tools.requests.get(requestIdOf(actionId))) !== null,
      dropUnsent: createDropUnsent({ ...tools, dropApproval: approvals.dropApproval }),
      failures: createFailuresOfVerbs({
        ...tools,
        failApproval: approvals.failApproval,
        failOrder: virtualCards.failOrder,
        failures,
      }),
    }),
    recordRefusal: tools.recordRefusal,
    recordRefusals: tools.recordRefusals,
    failUnreadable: createFailUnreadable(tools),
    verifyAction: composeVerification(tools, approvals.requestsOfActions, limits),
    ...limits.ends,
    endUndo: status.endUndo,
    endMute: mutes.endMute,
    endClaim: holders.endClaim,
    ageRequest: approvals.ageRequest,
    refreshRequests: approvals.refreshRequests,
    virtualCardArrived: virtualCards.virtualCardArrived,
    reportOverdueOrders: virtualCards.reportOverdueOrders,
  };
}

/** What became a request was permitted when it was asked for. Since then it waits for others, however long that takes. */
function authorizeOnce({ rights, requests }: Tools): Tools['rights']['authorize'] {
  return async (asked, about) => {
    const mayBecomeRequest = permissionOf(asked.verb).needsOthers !== undefined;
    const isRequested = mayBecomeRequest && (await requests.get(requestIdOf(asked.id))) !== null;
    return isRequested ? { kind: 'allowed' } : await rights.authorize(asked, about);
  };
}

/** Finds the card that a person means. */
function composeResolveCard(tools: Tools): ResolveCard {
  const findCard = createFindCard({
    ...tools,
    isLook,
    changesCard,
    askWhich: createAskWhich({ ...tools, doing: refusedTo }),
    async cardOfAlert(alertId) {
      const alert = await tools.alerts.get(alertId);
      if (alert === null) return null;
      const named = cardOf(alert);
      return { acctId: alert.event.acctId, cardId: alert.kind === 'card-status' ? named.cardId : null, named };
    },
  });
  return createResolveCard({ ...tools, findCard, isOfAccount, changesCard });
}

/** What a channel gets, when, and why. */
function composeChannelVerbs(tools: Tools, resolveCard: ResolveCard) {
  const groups = () => groupsIn(tools.directory);
  const common = { ...tools, resolveCard, groups, mayGetAlerts: createMayGetAlerts(tools) };
  const changeSubscriptions = createChangeSubscriptions(common);
  return {
    ...createSubscriptionVerbs({ ...common, changeSubscriptions, preview: createPreview(common) }),
    subscriptions: createListSubscriptions(common),
    alerts: createSetAlertLength(common),
    quiet: createSetQuiet({ ...common, changeQuiet: createChangeQuiet(common) }),
    warnings: createSetWarnings(common),
    why: createExplainRouting({ ...common, findAlerts: createFindAlerts(common) }),
    digest: createSetDigest({ ...common, changeSchedule: createChangeSchedule(common) }),
  } satisfies Partial<Handlers>;
}

/** What people are not notified of for a while. */
function composeMutes(tools: Tools) {
  const { closeMute, endMute } = createEndMute({ ...tools, postNotice: createPostAfterQuiet(tools) });
  const unmute = createUnmute({ ...tools, closeMute });
  const mute = createMute({ ...tools, whyNotMute: createWhyNotMute(tools), startMute: createStartMute(tools) });
  return {
    endMute,
    handlers: {
      mutes: createListMutes(tools),
      ...createMuteVerbs({ ...tools, mute, unmute }),
    } satisfies Partial<Handlers>,
  };
}

/** Verbs that only show something about a card. */
function composeLooks(tools: Tools) {
  const common = { ...tools, visibleSince: createVisibleSince(tools) };
  return {
    track: createTrackCard(tools),
    show: createShowCard(common),
    declines: createListDeclines(common),
  } satisfies Partial<Handlers>;
}

/** Whom approvers name to stand in for them. */
function composeDelegations(tools: Tools) {
  const today = () => localDate(tools.now(), tools.zone);
  const setDelegate = createSetDelegate({ ...tools, today });
  return {
    delegate: createNameDelegate({ ...tools, today, setDelegate }),
    'end-delegation': setDelegate,
  } satisfies Partial<Handlers>;
}

/** Who holds which card: links, unlinks, claims, and decisions on claims. */
function composeHolders(tools: Tools) {
  const setHolder = createSetHolder(tools);
  const openClaim = createOpenClaim({
    ...tools,
    async submitClaim(claim) {
      await tools.scheduleClaimEnd(claim.id, Date.parse(claim.expiresAt));
      await tools.postClaim(claim);
    },
  });
  const { linkCard, unlinkCard } = createLinkVerbs({ ...tools, setHolder, openClaim });
  const judgeClaim = createJudgeClaim(tools);
  const confirmClaim = createConfirmClaim({ ...tools, setHolder });
  const { decideClaim, endClaim } = createClaimDecisions({ ...tools, judgeClaim, confirmClaim });
  return {
    endClaim,
    handlers: {
      link: linkCard,
      unlink: unlinkCard,
      claim: createClaimCard({ ...tools, setHolder, openClaim }),
      'decide-claim': decideClaim,
    } satisfies Partial<Handlers>,
  };
}

/** Names of the groups that have cards. */
async function groupsIn(directory: Pick<Directory, 'all'>): Promise<readonly string[]> {
  const groups = new Set<string>();
  for await (const { group } of directory.all()) if (group !== null) groups.add(group);
  return [...groups];
}
