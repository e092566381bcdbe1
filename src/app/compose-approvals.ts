import { orderWaits } from '../../templates/virtual-cards/order.ts';
import { type Action, alertIdOf, requestIdOf } from '../actions/action.ts';
import type { Failures } from '../actions/fail-action.ts';
import type { RequestsOfActions } from '../actions/verify-action.ts';
import { createAmendRequest } from '../approvals/amend-request.ts';
import {
  createAskForRaise,
  createFindRaise,
  createPermitAsked,
  createReportAsked,
  createWhyNotAsked,
} from '../approvals/ask-for-raise.ts';
import { createAskPermission, createCardAsked, createQuestionOf } from '../approvals/ask-permission.ts';
import { createBlockAll, createRequestBlockAll } from '../approvals/block-all.ts';
import {
  type ApprovalVerified,
  createApprovalVerified,
  createCompleteApproval,
  createFinishRequest,
} from '../approvals/complete-approval.ts';
import { createReadCurrent, createRefreshRequests } from '../approvals/current-request.ts';
import { createDecisions, createRequestVerbs } from '../approvals/decide-request.ts';
import { createEligibility } from '../approvals/eligibility.ts';
import { createCapOverride, createOverrideRequest } from '../approvals/emergency-override.ts';
import { createExecution, createFailApproval, createMakeApprovedChange } from '../approvals/execute-approval.ts';
import { createDropApproval } from '../approvals/in-flight.ts';
import { createJudgeClick, createRecount, createWhyNoLonger } from '../approvals/judge-click.ts';
import { createOpenRequest } from '../approvals/open-request.ts';
import { createEndRequest, createPaidAt, createReadRequest } from '../approvals/paid-request.ts';
import { createGatherAllFacts, createPromisedBesides } from '../approvals/promised-besides.ts';
import type { OpenRequest } from '../approvals/request.ts';
import { createGatherFacts } from '../approvals/request-facts.ts';
import {
  createAgeRequest,
  createExpireRequest,
  createRemindApprovers,
  createRequestEnds,
} from '../approvals/resolve-request.ts';
import { noCard } from '../core/card-facts.ts';
import { createOnlyCard } from '../directory/candidates.ts';
import type { Handlers } from '../dispatch/perform-action.ts';
import { changesCard, commandOf, isLook, permissionOf, refusedTo } from '../dispatch/verbs.ts';
import { permanent } from '../limits/term.ts';
import { createOrderNotices, type OrderTerms, type VirtualOrder } from '../virtual-cards/order.ts';
import { cardOfOrder, createFailOrder, createOrderVirtual, createPlaceOrder } from '../virtual-cards/order-virtual.ts';
import { createOrderPermit, type OrderPermit } from '../virtual-cards/permit-order.ts';
import { createReportOverdue, createReportOverdueOrders } from '../virtual-cards/report-overdue.ts';
import { createResendVirtual } from '../virtual-cards/resend-virtual.ts';
import type { composeLimits } from './compose-changes.ts';
import type { Tools } from './compose-tools.ts';

interface Deps {
  readonly tools: Tools;
  readonly openRequest: ComposedOpenRequest;
  readonly changeRule: ReturnType<typeof composeLimits>['changeRule'];
  readonly failures: Failures;
  readonly orders: ReturnType<typeof composeVirtualCards>['orders'];
  readonly block: Parameters<typeof createBlockAll>[0]['block'];
}

/** Opens requests, counts decisions, and executes what was approved. */
export function composeApprovals({ tools, openRequest, changeRule, failures, orders, block }: Deps) {
  const { withLock } = tools;
  const blockAll = createBlockAll({ ...tools, failures, block });
  const paidAt = createPaidAt(tools);
  const requests = { ...tools.requests, get: createReadRequest({ ...tools, paidAt }) };
  const promisedBesides = createPromisedBesides({ ...tools, paidAt });
  const readCurrent = createReadCurrent({ ...tools, paidAt, promisedBesides });
  const common = { ...tools, ...orders, requests, readCurrent };
  const { resolve, notifyDecided } = createRequestEnds(common);
  const finish = createFinishRequest({ ...common, resolve });
  const verified = createApprovalVerified({ ...common, finish, notifyDecided });
  const complete = createCompleteApproval({ ...common, finish, verified });
  const eligibility = createEligibility(common);
  const whyNoLonger = createWhyNoLonger({ ...common, eligibility });
  const makeChange = createMakeApprovedChange({ ...common, changeRule, blockAll, whyNoLonger });
  const execution = createExecution({ ...common, complete, makeChange });
  const expire = createExpireRequest({ ...common, resolve });
  const endRequest = createEndRequest({ execution, expire });
  const recount = createRecount(common);
  const recountOfAsker = (request: OpenRequest) => recount(request, request.action);
  const judgeClick = createJudgeClick({ ...common, eligibility, recount });
  const amend = createAmendRequest({ ...common, recount });
  const decisions = createDecisions({ ...common, execution, judgeClick, amend, finish });
  const askForRaise = createAskForRaise({
    ...tools,
    openRequest,
    whyNotAsked: createWhyNotAsked(tools),
    findRaise: createFindRaise(tools),
    permitAsked: createPermitAsked(tools),
    reportAsked: createReportAsked(tools),
  });
  const { decideRequest, withdrawRequest } = createRequestVerbs({ ...common, execution, expire, decisions });
  const capOverride = createCapOverride({ ...common, recount });
  const override = createOverrideRequest({ ...common, execution, decisions, judgeClick, capOverride });
  return {
    handlers: {
      ask: (resolved) => withLock(`account:${resolved.acctId}`, () => askForRaise(resolved)),
      'ask-permission': createAskPermission({
        ...tools,
        cardAsked: createCardAsked({ ...tools, onlyCard: createOnlyCard({ ...tools, isLook, changesCard }) }),
        verbs: { permissionOf, refusedTo, commandOf },
        questionOf: createQuestionOf({ ...tools, linkOf: linkIn(tools) }),
      }),
      'block-all': createRequestBlockAll({ ...tools, openRequest }),
      decide: (action, run) =>
        withLock(`request:${action.target.requestId}`, (lease) => decideRequest(action, { ...run, lease })),
      withdraw: (action) => withLock(`request:${action.target.requestId}`, (lease) => withdrawRequest(action, lease)),
      'emergency-override': (action, run) =>
        withLock(`request:${action.target.requestId}`, (lease) => override(action, { ...run, lease })),
    } satisfies Partial<Handlers>,
    failApproval: createFailApproval({ ...common, complete, failures }),
    dropApproval: createDropApproval(tools),
    requestsOfActions: requestsOf(verified, tools),
    refreshRequests: createRefreshRequests({ ...common, verified, endRequest, recount: recountOfAsker }),
    ageRequest: createAgeRequest({ ...common, endRequest, resolve, remind: createRemindApprovers(tools) }),
  };
}

function linkIn({ alertLink, requestLink }: Pick<Tools, 'alertLink' | 'requestLink'>) {
  return async ({ target }: Pick<Action, 'target'>): Promise<string | null> => {
    if (target.kind === 'request') return await requestLink(target.requestId);
    const alertId = alertIdOf({ target });
    return alertId === null ? null : await alertLink(alertId);
  };
}

/** Opens a request for others to decide. */
export function composeOpenRequest(tools: Tools) {
  const promisedBesides = createPromisedBesides({ ...tools, paidAt: createPaidAt(tools) });
  return createOpenRequest({ ...tools, gatherFacts: createGatherAllFacts(createGatherFacts(tools), promisedBesides) });
}

type ComposedOpenRequest = ReturnType<typeof composeOpenRequest>;

/** What verification of a changed card needs to know about requests. */
function requestsOf(verified: ApprovalVerified, { requests, withLock }: Tools): RequestsOfActions {
  const requestOf = (askedId: string) => requests.get(requestIdOf(askedId));
  return {
    async isBlocking(askedId) {
      const request = await requestOf(askedId);
      return request?.action.verb === 'block-all' && request.inFlight.some(({ state }) => state === 'begun');
    },
    async withLock(askedId, work) {
      const isOfRequest = (await requestOf(askedId)) !== null;
      await (isOfRequest ? withLock(`request:${requestIdOf(askedId)}`, work) : work());
    },
    async verified(askedId, actionId, confirmation, lease) {
      await lease.confirm();
      const request = await requestOf(askedId);
      if (request !== null) await verified(request, actionId, confirmation);
    },
  };
}

/** Orders virtual cards, requests their details again, and answers the person who asked. */
export function composeVirtualCards(tools: Tools, openRequest: ComposedOpenRequest, failures: Failures) {
  const notices = createOrderNotices(tools);
  const orderPermit = createOrderPermit(tools);
  const placeOrder = createPlaceOrder({ ...tools, orderPermit, notices });
  const orderVirtual = createOrderVirtual({
    ...tools,
    orderPermit,
    placeOrder,
    ...requestsOfOrders(tools, orderPermit, openRequest),
  });
  const resendVirtual = createResendVirtual(tools);
  return {
    handlers: {
      'order-virtual': orderVirtual,
      'resend-virtual': (resolved, run) =>
        tools.withLock(`account:${resolved.acctId}`, (lease) => resendVirtual(resolved, { ...run, lease })),
    } satisfies Partial<Handlers>,
    orders: { orderPermit, placeOrder },
    failOrder: createFailOrder({ ...tools, placeOrder, failures }),
    virtualCardArrived: notices.virtualCardArrived,
    reportOverdueOrders: createReportOverdueOrders({ ...tools, report: createReportOverdue(tools) }),
  };
}

function requestsOfOrders(
  { responses, resumeRequest, nameRuleset }: Tools,
  orderPermit: Pick<OrderPermit, 'approvals'>,
  openRequest: ComposedOpenRequest,
): Pick<Parameters<typeof createOrderVirtual>[0], 'requestOrder' | 'resumeOrder'> {
  return {
    async requestOrder(action, order, { others, isOwn, isLarge = false }) {
      const card = cardOfOrder(order);
      const change = { changes: [], term: permanent, counted: null };
      const { why } = await orderPermit.approvals(action, [action.actor.userId]);
      const terms = await orderTerms(order, nameRuleset);
      const asked = { cents: order.fundCents, isOwn, why, terms };
      await openRequest({ action, acctId: 0, card, ...change, others, order: asked });
      await responses.answer(action, orderWaits({ card, cents: order.fundCents, others, isOwn, isLarge }));
    },
    async resumeOrder(action, order) {
      const resumed = await resumeRequest(action.id);
      if (resumed === null) return false;
      if (resumed.kind === 'decided') return true;
      const { card, needed, approvals, voided } = resumed;
      const isOwn = ![...approvals, ...voided].some(({ by }) => by === action.actor.userId);
      const others = isOwn ? needed : needed - 1;
      await responses.answer(action, orderWaits({ card, cents: order.fundCents, others, isOwn, isLarge: null }));
      return true;
    },
  };
}

/** Approvers know rulesets by their names, but the form asks for the number. */
async function orderTerms(
  { rulesetId, groupId }: VirtualOrder,
  nameRuleset: Tools['nameRuleset'],
): Promise<OrderTerms> {
  if (rulesetId === null) return { ruleset: null, groupId };
  const { ruleset } = await nameRuleset({ ...noCard, ruleset: { id: rulesetId, name: null, mayOverrule: false } });
  return { ruleset: { id: rulesetId, name: ruleset?.name ?? null }, groupId };
}
