import type { Action } from '../actions/action.ts';
import type { ActionTools, Rights } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { ofRules } from '../card-api/rule.ts';
import { isLooser, isMade, type RuleChange, type RuleGoal, type Term } from '../card-api/rule-change.ts';
import { commandCode } from '../core/installation.ts';
import type { Lease } from '../core/lock.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import { ruleMoves, ruleStates } from '../limits/rule-words.ts';
import { termWords } from '../limits/term.ts';
import { amountIn, type CountedRaise, tooMuchForOne } from '../policy/approval-policy.ts';
import { approvalsNeeded } from '../policy/decide-action.ts';
import type { OrderPermit } from '../virtual-cards/permit-order.ts';
import { allVoid, isInUseBlocked, type ReadCurrent, whatMoved } from './current-request.ts';
import type { Eligibility, WhyNot } from './eligibility.ts';
import {
  type ApprovalClick,
  type ApprovalRequest,
  type ApprovedChange,
  changeFromNow,
  changesFromNow,
  hasSeen,
  isAboutRules,
  type OpenRequest,
  withVoid,
} from './request.ts';
import { whyExpired } from './request-expiry.ts';
import type { RequestFacts } from './request-facts.ts';
import type { Requests } from './request-store.ts';

/** A click that counts: the request with current facts, and its changes relative to the card's current rules. */
export interface JudgedClick {
  readonly kind: 'counts';
  readonly request: OpenRequest;
  readonly now: readonly RuleChange[];
  /** The same if they last for this time: a limit that is high enough for the requested one may be needed, too. */
  readonly nowFor: (term: Term) => Promise<readonly RuleChange[]>;
  /** The facts if these values are approved instead. */
  readonly factsWith: (goals: readonly RuleGoal[]) => RequestFacts;
}

/**
 * Whether an approving click counts. Earlier approvers must still be permitted, and everyone must have seen the current
 * facts. If a rule was changed or the card was blocked since, earlier approvals are void, and the request shows this
 * and asks again.
 */
export type JudgeClick = (
  click: ApprovalClick,
  request: OpenRequest,
  lease: Lease,
) => Promise<JudgedClick | ({ readonly kind: 'refused' } & WhyNot)>;

interface Deps extends Pick<ActionTools, 'updateRequest'> {
  readonly readCurrent: ReadCurrent;
  readonly eligibility: Eligibility;
  readonly recount: Recount;
  readonly requests: Pick<Requests, 'save'>;
}

export function createJudgeClick(deps: Deps): JudgeClick {
  return async function judgeClick(click, request, lease) {
    const notAllowed = await deps.eligibility.whyNotAllowed(click, request);
    if (notAllowed !== null) return { kind: 'refused', ...notAllowed };
    const askerLeft = await deps.eligibility.whyAskerLeft(request);
    if (askerLeft !== null) return { kind: 'refused', why: askerLeft, whoCan: othersOnceLinked(request) };
    // There is no single card whose rules could have changed.
    if (!isAboutRules(request)) {
      const kept = await withoutVoid(click, request, request);
      return { kind: 'counts', request: kept, now: [], nowFor: async () => [], factsWith: () => request.facts };
    }
    const { request: read, all, now, changes, nowFor, factsWith } = await deps.readCurrent(request);
    const current = await withoutVoid(click, read, request);
    // Nothing is left to change, no matter who did it. Approving now closes the request. A value that is there only for
    // the moment is still a raise. A limit that is higher by now is left out of the changes.
    if (isMade(ofRules(all, current.changes)) && !isLooser(changes) && hasSeen(click, request))
      return { kind: 'counts', request: current, now, nowFor, factsWith };
    const moved = whatMoved(current, request);
    const kept = moved === null ? current : { ...allVoid(current), ...(await deps.recount(current, click)) };
    if (JSON.stringify(kept) !== JSON.stringify(request)) {
      await lease.confirm();
      await deps.requests.save(kept);
      await deps.updateRequest(kept.id);
    }
    if (!isLooser(now) && !isLooser(changes)) {
      const nothing = `Already enough: ${ruleStates(all, 'from')}.`;
      return {
        kind: 'refused',
        why: nothing,
        whoCan: 'Nothing is left to approve. Deny the request, or let it expire.',
      };
    }
    if (moved !== null) return { kind: 'refused', why: moved, whoCan: again, isOutdated: true };
    if (hasSeen(click, request)) return { kind: 'counts', request: kept, now, nowFor, factsWith };
    await deps.updateRequest(kept.id);
    const shown = `${ruleMoves(changesFromNow(kept))}, ${termWords(kept.term)}`;
    const since = `It was changed since you saw it. It is now: ${shown}.`;
    return { kind: 'refused', why: since, whoCan: seen, isOutdated: true };
  };

  async function withoutVoid(click: ApprovalClick, current: OpenRequest, request: OpenRequest): Promise<OpenRequest> {
    return withVoid(current, await deps.eligibility.voidNow(click, request, current.approvals));
  }
}

const othersOnceLinked = (request: ApprovalRequest) =>
  isAboutRules(request)
    ? `Deny the request. Somebody else can ask for it once the card is linked to them: ${commandCode('link')}.`
    : 'Deny the request.';
const seen = 'Look at the request: it shows that now. Approve again if you agree.';
const again = 'No approval counts any more. Look at the request: it shows what is true now, and asks again.';

/**
 * How many approvals the change needs now, and why. Counts what the person who asked and the person clicking have added
 * meanwhile. When the click's job runs again, its own raise is not counted against it.
 */
export type Recount = (
  request: OpenRequest,
  click: Pick<Action, 'id' | 'actor'>,
) => Promise<{ readonly needed: number; readonly counted: CountedRaise | null } & Pick<OpenRequest, 'orderWhy'>>;

interface RecountDeps {
  readonly rights: Pick<Rights, 'policyOfCard'>;
  readonly raises: Pick<RaiseAmounts, 'count'>;
  readonly orderPermit: Pick<OrderPermit, 'approvals'>;
}

export function createRecount({ raises, rights, orderPermit }: RecountDeps): Recount {
  return async function recount(request, click) {
    const { action, acctId, changes, term } = request;
    const people = [action.actor.userId, click.actor.userId];
    if (action.verb === 'block-all') return { needed: request.needed, counted: null };
    if (action.verb === 'order-virtual') {
      const { needed, why } = await orderPermit.approvals({ ...action, id: click.id }, people);
      return { needed, counted: null, orderWhy: why };
    }
    // As the change is counted right before it is made. What is open for the moment is not opened for one purchase.
    const both = changes.map((change) => ({ change: changeFromNow(change, request.temporary), fromBase: change }));
    const unanswered = request.inFlight.map(({ actionId }) => actionId);
    const raised = await raises.count({ ...action, id: click.id }, acctId, { changes: both, term }, people, unanswered);
    const needed = approvalsNeeded(amountIn(raised), await rights.policyOfCard(acctId));
    return { needed, counted: tooMuchForOne(raised) };
  };
}

/**
 * Why an approved change may not be made any more, by the roles, the links and the status of this moment: one sentence.
 * Null: it may. Asked right before the card service is called, because reading the card may take long.
 */
export type WhyNoLonger = (
  click: ApprovalClick,
  request: ApprovalRequest,
  approved: Pick<ApprovedChange, 'approvals'>,
) => Promise<string | null>;

interface NoLongerDeps {
  readonly eligibility: Eligibility;
  readonly card: Pick<CardClient, 'getAccount'>;
  readonly requests: Pick<Requests, 'get'>;
}

export function createWhyNoLonger({ eligibility, card, requests }: NoLongerDeps): WhyNoLonger {
  return async function whyNoLonger(click, request, { approvals }) {
    if (isAboutRules(request) && !request.isBlocked) {
      const account = await card.getAccount(request.acctId);
      if (isInUseBlocked(account, request.card.cardId)) return blockedNow;
    }
    const stands = await requests.get(request.id);
    if (stands?.paidAt !== undefined) return whyExpired(stands);
    const askerLeft = await eligibility.whyAskerLeft(request);
    if (askerLeft !== null) return askerLeft;
    if ((await eligibility.whyNotAllowed(click, request)) !== null) return notAllowedNow;
    if (click.verb === 'emergency-override') return null;
    const others = approvals.filter(({ by }) => by !== click.actor.userId);
    const reasons = await eligibility.voidNow(click, request, others);
    if (reasons.length === 0) return null;
    return reasons.every(({ why }) => why === 'same') ? sameNow : notAllowedNow;
  };
}

const blockedNow = 'The card has just been blocked. Look at the request again.';
const sameNow =
  'Two of the approvals now count as one: one approver stands in for the other. Look at the request again.';
const notAllowedNow = 'One of the approvers may no longer approve it. Look at the request again.';
