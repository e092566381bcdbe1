import type { Refusal } from '../../templates/policy/refusal.ts';
import type { Action } from '../actions/action.ts';
import type { ActionTools, Rights } from '../actions/action-tools.ts';
import { askAnother } from '../actions/ask-others.ts';
import type { CardClient } from '../card-api/client.ts';
import { isLooser, isMade, type RuleChange } from '../card-api/rule-change.ts';
import { commandCode } from '../core/installation.ts';
import type { Lease } from '../core/lock.ts';
import { termWords } from '../limits/change-request.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import { ruleMoves, ruleStates } from '../limits/rule-words.ts';
import { amountIn, type CountedRaise, tooMuchForOne } from '../policy/approval-policy.ts';
import { approvalsNeeded } from '../policy/decide-action.ts';
import type { OrderPermit } from '../virtual-cards/permit-order.ts';
import { type Approver, countApprovers, fullyCounted } from './count-approvers.ts';
import {
  type AskerDeps,
  allVoid,
  isInUseBlocked,
  type ReadDeps,
  readCurrent,
  whatMoved,
  whyAskerLeft,
} from './current-request.ts';
import {
  type Approval,
  type ApprovalClick,
  type ApprovedChange,
  accountIn,
  changeFromNow,
  changesFromNow,
  hasSeen,
  isAboutRules,
  type LimitRequest,
  type OpenRequest,
  openedAtMs,
  orderIn,
  type VoidReason,
  withVoid,
} from './request.ts';
import type { Requests } from './request-store.ts';

/** A click that counts: the request with current facts, and its changes relative to the card's current rules. */
export interface JudgedClick {
  readonly kind: 'counts';
  readonly request: OpenRequest;
  readonly now: readonly RuleChange[];
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

/** Why a click does not count. */
export interface WhyNot extends Pick<Refusal, 'why' | 'whoCan' | 'isOutdated'> {
  readonly isByRights?: boolean;
}

interface Deps extends Pick<ActionTools, 'updateRequest'>, AllowedDeps, AskerDeps, ReadDeps {
  readonly recount: Recount;
  readonly requests: Pick<Requests, 'save'>;
}

export function createJudgeClick(deps: Deps): JudgeClick {
  return async function judgeClick(click, request, lease) {
    const notAllowed = await whyNotAllowed(click, request, deps);
    if (notAllowed !== null) return { kind: 'refused', ...notAllowed };
    const askerLeft = await whyAskerLeft(request, deps);
    if (askerLeft !== null) return { kind: 'refused', why: askerLeft, whoCan: othersOnceLinked(request) };
    // There is no single card whose rules could have changed.
    if (!isAboutRules(request)) return { kind: 'counts', request: await withoutVoid(click, request, request), now: [] };
    const { request: read, all, now, changes } = await readCurrent(request, deps);
    const current = await withoutVoid(click, read, request);
    // Nothing is left to change, no matter who did it. Approving now closes the request. A value that is there only for
    // the moment is still a raise.
    if (isMade(all) && !isLooser(changes) && hasSeen(click, request)) return { kind: 'counts', request: current, now };
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
    if (hasSeen(click, request)) return { kind: 'counts', request: kept, now };
    await deps.updateRequest(kept.id);
    const shown = `${ruleMoves(changesFromNow(kept))}, ${termWords(kept.term)}`;
    const since = `It was changed since you saw it. It is now: ${shown}.`;
    return { kind: 'refused', why: since, whoCan: seen, isOutdated: true };
  };

  async function withoutVoid(click: ApprovalClick, current: OpenRequest, request: OpenRequest): Promise<OpenRequest> {
    return withVoid(current, await voidNow(click, request, current.approvals, deps));
  }
}

/**
 * Which approvals do not count besides the one of this click: those of people who are no longer approvers, who are approvers
 * only as delegates of people for whom another approval counts, or who now hold the card.
 */
async function voidNow(
  click: ApprovalClick,
  request: LimitRequest,
  given: readonly Approval[],
  deps: AllowedDeps,
): Promise<VoidReason[]> {
  const people = [click.actor.userId, ...given.map(({ by }) => by)];
  const approvers = await approversOf(people, request, deps);
  const counted = countApprovers(approvers);
  const isCounted = (by: string) => [...counted.values()].some((one) => one.by === by);
  return approvers.slice(1).flatMap(({ by, inPlaceOf }): VoidReason[] => {
    if (isCounted(by)) return [];
    const standsInFor = inPlaceOf.find((userId) => counted.has(userId)) ?? null;
    return [{ by, why: standsInFor === null ? 'rights' : 'same', standsInFor }];
  });
}

/**
 * Whose approval each of these people's counts as. Nobody stands in for a person whose card it is, nor for the one who
 * asked, unless that is for one of these people to count as.
 */
async function approversOf(
  people: readonly string[],
  request: LimitRequest,
  deps: AllowedDeps,
): Promise<readonly Approver[]> {
  const asker = request.action.actor.userId;
  const isBarred = async (userId: string) =>
    (userId === asker && !people.includes(asker)) || (await isOwn(userId, request, deps));
  return await Promise.all(
    people.map(async (by): Promise<Approver> => {
      const all = (await isBarred(by))
        ? []
        : ((await deps.rights.approvesFor(by, accountIn(request), isLoosening(request))) ?? []);
      const barred = await Promise.all(all.map(async (whom) => whom !== by && (await isBarred(whom))));
      return { by, inPlaceOf: all.filter((_whom, index) => barred[index] !== true) };
    }),
  );
}

const waited = {
  why: 'Your click waited longer than 10 minutes, so it does not count.',
  whoCan: 'Look at the request, and click again if you still agree.',
} as const;
const othersOnceLinked = (request: LimitRequest) =>
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
    const raised = await raises.count({ ...action, id: click.id }, acctId, { changes: both, term }, people);
    const needed = approvalsNeeded(amountIn(raised), await rights.policyOfCard(acctId));
    return { needed, counted: tooMuchForOne(raised) };
  };
}

interface AllowedDeps extends Pick<ActionTools, 'now'> {
  readonly rights: Pick<Rights, 'authorize' | 'approvesFor' | 'isOwnCard'>;
  readonly orderPermit: Pick<OrderPermit, 'isOwn'>;
}

/** Whether a request is about the person's own card, also one that they held when it was asked for, or orders one for them. */
async function isOwn(userId: string, request: LimitRequest, { rights, orderPermit }: AllowedDeps): Promise<boolean> {
  if (userId === request.holder) return true;
  const order = orderIn(request);
  if (order !== null) return await orderPermit.isOwn(userId, order);
  return isAboutRules(request) && (await rights.isOwnCard(userId, request.acctId, true));
}

/** Blocking cards must not wait, neither for a second click nor for Slack. */
function isLoosening({ action }: LimitRequest): boolean {
  return action.verb !== 'block-all';
}

/** Why a person may not decide a request, and what to do instead; null when they may. */
export async function whyNotAllowed(
  click: ApprovalClick,
  request: LimitRequest,
  deps: AllowedDeps,
): Promise<WhyNot | null> {
  const { action, approvals, voided } = request;
  const by = click.actor.userId;
  const acctId = accountIn(request);
  const given = approvals.map((one) => one.by);
  const counted = fullyCounted(await approversOf(given, request, deps));
  const verdict = await deps.rights.authorize(click, {
    ...(acctId === null ? { bands: [] } : { acctId }),
    isOwn: (userId) => isOwn(userId, request, deps),
    notInPlaceOf: [action.actor.userId, ...given, ...counted],
    // An approver who asked may approve again after their first approval became void. This does not permit an
    // emergency override.
    isOwnAction:
      (action.actor.userId === by && (click.verb === 'emergency-override' || !voided.includes(by))) ||
      given.includes(by),
    ageMs: deps.now().getTime() - openedAtMs(request),
    raiseCents: isLoosening(request) ? 1 : 0,
  });
  if (verdict.kind === 'late') return waited;
  if (verdict.kind !== 'refused') return null;
  return { why: verdict.why, whoCan: askAnother[verdict.who ?? 'approver'], isByRights: true };
}

/**
 * Why an approved change may not be made any more, by the roles, the links and the status of this moment: one sentence.
 * Null: it may. Asked right before the card service is called, because reading the card may take long.
 */
export type WhyNoLonger = (
  click: ApprovalClick,
  request: LimitRequest,
  approved: Pick<ApprovedChange, 'approvals'>,
) => Promise<string | null>;

export function createWhyNoLonger(
  deps: AllowedDeps & AskerDeps & { readonly card: Pick<CardClient, 'getAccount'> },
): WhyNoLonger {
  return async function whyNoLonger(click, request, { approvals }) {
    if (isAboutRules(request) && !request.isBlocked) {
      const account = await deps.card.getAccount(request.acctId);
      if (isInUseBlocked(account, request.card.cardId)) return blockedNow;
    }
    const askerLeft = await whyAskerLeft(request, deps);
    if (askerLeft !== null) return askerLeft;
    if ((await whyNotAllowed(click, request, deps)) !== null) return notAllowedNow;
    if (click.verb === 'emergency-override') return null;
    const others = approvals.filter(({ by }) => by !== click.actor.userId);
    const reasons = await voidNow(click, request, others, deps);
    if (reasons.length === 0) return null;
    return reasons.every(({ why }) => why === 'same') ? sameNow : notAllowedNow;
  };
}

const blockedNow = 'The card has just been blocked. Look at the request again.';
const sameNow =
  'Two of the approvals now count as one: one approver stands in for the other. Look at the request again.';
const notAllowedNow = 'One of the approvers may no longer approve it. Look at the request again.';
