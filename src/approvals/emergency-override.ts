import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools, LockedRun, Responses, Rights } from '../actions/action-tools.ts';
import { ofRules } from '../card-api/rule.ts';
import { isAboutLimits, isLooser, type RuleChange, type Term, withGoals } from '../card-api/rule-change.ts';
import { purchaseCents } from '../limits/change-request.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import type { RecentRaises } from '../limits/recent-raise-store.ts';
import { ruleNames } from '../limits/rule-words.ts';
import { atMost, termWords } from '../limits/term.ts';
import { type ApprovalPolicy, aloneCents, countedCents } from '../policy/approval-policy.ts';
import { OVERRIDE_MAX_MS, REQUEST_MS } from '../policy/decide-action.ts';
import { lowers } from './current-request.ts';
import type { Decisions } from './decide-request.ts';
import type { Execution } from './execute-approval.ts';
import type { JudgeClick, JudgedClick, Recount } from './judge-click.ts';
import { type ApprovalRequest, type ApprovedChange, accountIn, isAboutRules, type OpenRequest } from './request.ts';
import { mayAskAgain } from './request-expiry.ts';
import type { Requests } from './request-store.ts';
import type { OverrideAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'record'> {
  readonly responses: Pick<Responses, 'refuse'>;
  readonly requests: Pick<Requests, 'get'>;
  readonly execution: Pick<Execution, 'whyNotYet' | 'execute'>;
  readonly decisions: Pick<Decisions, 'resume'>;
  readonly judgeClick: JudgeClick;
  readonly capOverride: ReturnType<typeof createCapOverride>;
  /** Allows one emergency override per card and day. */
  readonly recentRaises: Pick<RecentRaises, 'reserveOverride'>;
}

/**
 * An operator acts for the approvers because none of them answered, so not after one of them denied it. The override is
 * limited to what one approver could allow, to an hour or one purchase, and to once a day per card. All bypassed approvers
 * are notified.
 *
 * Runs under the request's lock. The returned function throws CardApiError when the job should be retried.
 */
export function createOverrideRequest(deps: Deps) {
  return async function overrideRequest(action: OverrideAction, run: LockedRun): Promise<void> {
    const request = await deps.requests.get(action.target.requestId);
    const about = { acctId: accountIn(request) };
    const refuse = (why: string, isNotPermitted = false) =>
      deps.responses.refuse(action, { why, whoCan: 'Ask an approver.' }, { ...about, isNotPermitted });
    const over = (why: string, whoCan: Refusal['whoCan']) => deps.responses.refuse(action, { why, whoCan }, about);

    if (request === null) return await over('This request is too old.', mayAskAgain);
    if (await deps.decisions.resume(action, request, run)) return;
    if (request.state !== 'open') return await over('This request is decided already.', 'Nothing is left to decide.');
    if (!isAboutRules(request)) return await refuse('Only a change of a card’s rules can be approved this way.');
    const notYet = await deps.execution.whyNotYet(request);
    if (notYet !== null) return await over(notYet.why, notYet.whoCan);
    const judged = await deps.judgeClick(action, request, run.lease);
    if (judged.kind === 'refused')
      return await deps.responses.refuse(action, judged, { ...about, isNotPermitted: judged.isNotPermitted });
    const part = await deps.capOverride(action, judged);
    if ('why' in part) return await refuse(part.why, part.isNotPermitted);
    if (!(await deps.recentRaises.reserveOverride(request.acctId, action.id))) {
      return await refuse(usedAlready, true);
    }
    const { acctId, card, id, approvals, counted } = judged.request;
    const detail = `${id}: emergency override`;
    const duration = termWords(part.term);
    await deps.record(action, { event: 'approved', acctId, cardId: card.cardId, duration, detail });
    await deps.execution.execute(action, judged.request, { ...part, approvals, counted, note: action.reason }, run);
  };
}

/** One that was certainly not made is not used: see `createForgetIfNotMade`. */
const usedAlready =
  'The emergency override was already used for this card in the last 24 hours. If it was certainly not made, it can be used again ten minutes later.';

interface CapDeps extends Pick<ActionTools, 'now' | 'purchaseOf' | 'zone'> {
  readonly rights: Pick<Rights, 'policyOfCard'>;
  readonly raises: Pick<RaiseAmounts, 'changesFromBase'>;
  readonly requests: Pick<Requests, 'deniedSince'>;
  readonly recount: Recount;
}

/** The part of a request that an emergency override may do, by the policy of now; or why it may do nothing. */
export function createCapOverride(deps: CapDeps) {
  return async function capOverride(action: OverrideAction, judged: JudgedClick) {
    const no = (why: string, isNotPermitted = false) => ({ why, isNotPermitted });
    const policy = await deps.rights.policyOfCard(judged.request.acctId);
    const never = whyNoOverride(policy);
    if (never !== null) return no(never, true);
    const mostCents = aloneCents(policy);
    const capped = await capChange(judged, mostCents, deps);
    if (capped === null) {
      return no('The request is above the emergency cap, and there is no amount that could be lowered.');
    }
    const part = await partLeft(action, judged, capped, mostCents);
    if (part === null) return no('With what was allowed before, this is more than one person may allow.', true);
    if (!isLooser(part.changes) || lowers(withGoals(judged.now, part.changes))) {
      return no('The card already allows what the override would.');
    }
    const denied = await whyDenied(judged.request);
    return denied === null ? part : no(denied, true);
  };

  /** Which of the rules the same person asked about within a day without success, one sentence. Null: none. */
  async function whyDenied({ acctId, action, changes }: OpenRequest): Promise<string | null> {
    const denied = await deps.requests.deniedSince(acctId, deps.now().getTime() - REQUEST_MS);
    const isAsker = (one: (typeof denied)[number]) =>
      [one.action.actor.userId, ...(one.askedToo ?? [])].includes(action.actor.userId);
    const goals = denied.filter(isAsker).flatMap((one) => one.goals);
    const again = ofRules(changes, goals);
    if (again.length === 0) return null;
    return `An approver denied the same person’s request about the ${ruleNames(again)} within the last 24 hours.`;
  }

  /**
   * The part of a capped change that is left after what the person who asked and the operator added before: otherwise two
   * people, of whom one is no approver, could allow in two steps what needs two approvers. Null: nothing is left.
   */
  async function partLeft(action: OverrideAction, judged: JudgedClick, capped: CappedChange, mostCents: number | null) {
    const count = (part: CappedChange) => deps.recount({ ...judged.request, ...part }, action);
    const { needed, counted } = await count(capped);
    if (needed <= 1) return capped;
    if (mostCents === null || counted === null) return null;
    const leftCents = mostCents - countedCents({ ownCents: 0, earlier: counted.earlier });
    const part = leftCents > 0 ? await capChange(judged, leftCents, deps) : null;
    return part !== null && (await count(part)).needed <= 1 ? part : null;
  }
}

/** Why nobody may use the emergency override for cards with this policy, one sentence; null when somebody may. */
export function whyNoOverride(policy: Pick<ApprovalPolicy, 'bands'>): string | null {
  return aloneCents(policy) === 0
    ? 'The policy lets nobody raise the limits of this card alone, so the emergency override cannot either.'
    : null;
}

/** Whether an emergency override of a request may work, as far as the request and the policy for its card say. */
export function mayOverride(
  policy: Pick<ApprovalPolicy, 'bands'>,
  request: Pick<ApprovalRequest, 'action' | 'changes' | 'facts'>,
): boolean {
  if (!isAboutRules(request) || whyNoOverride(policy) !== null) return false;
  const { action, changes, facts } = request;
  return isAboutLimits(changes) || isSmall(purchaseCents(action, facts.purchase), aloneCents(policy));
}

/** Whether one approver could allow a purchase. @param cents null: there is none. */
function isSmall(cents: number | null, mostCents: number | null): boolean {
  return cents !== null && (mostCents === null || cents <= mostCents);
}

type CappedChange = Pick<ApprovedChange, 'changes' | 'term'>;

/**
 * The part of a request that an emergency override may do: at most what one approver could allow, for at most an hour.
 * Rules other than limits are loosened for the declined purchase only. Null: it cannot be made small enough.
 *
 * @param mostCents whole cents; null: any amount.
 */
export async function capChange(
  { request: { action, acctId, term: asked }, now }: JudgedClick,
  mostCents: number | null,
  deps: Pick<CapDeps, 'now' | 'purchaseOf' | 'zone' | 'raises'>,
): Promise<CappedChange | null> {
  const ofLimits = isAboutLimits(now);
  // For a time, an opened rule would allow any number of purchases of any size.
  const term: Term = ofLimits ? atMost(asked, OVERRIDE_MAX_MS, deps.now(), deps.zone) : { kind: 'purchase' };
  // A temporary change may outlast this term, but not the requested one.
  const changes = await deps.raises.changesFromBase(now, term, acctId);
  if (!ofLimits) {
    const cents = purchaseCents(action, await deps.purchaseOf(action));
    return isSmall(cents, mostCents) ? { changes, term } : null;
  }
  const lowered = changes.flatMap((change): RuleChange[] => {
    const { from, to } = change;
    if (typeof from !== 'number') return [];
    // A policy may let one approver allow any amount, but never to remove the limit.
    if (mostCents === null) return typeof to === 'number' ? [change] : [];
    return [{ ...change, to: Math.min(typeof to === 'number' ? to : Number.POSITIVE_INFINITY, from + mostCents) }];
  });
  return lowered.length < changes.length ? null : { changes: lowered, term };
}
