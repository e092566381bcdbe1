import { alsoNeeded } from '../../templates/limits/also-needed-words.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { cardInUse } from '../actions/send-status.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { movedSince, ofRule, ofRules, without } from '../card-api/rule.ts';
import {
  changesFrom,
  isLooser,
  type RuleChange,
  type RuleGoal,
  reversed,
  type Term,
  withGoals,
} from '../card-api/rule-change.ts';
import type { RemainingLimits } from '../card-api/schema.ts';
import { commandCode } from '../core/installation.ts';
import type { Lease } from '../core/lock.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import type { CheckPurchase } from '../limits/remedy.ts';
import { withBalanceNow } from '../limits/remedy-change.ts';
import type { TemporaryValue } from '../limits/rule-future.ts';
import { ruleStates, stateWords } from '../limits/rule-words.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { ApprovalVerified } from './complete-approval.ts';
import type { EndRequest, PaidAt } from './paid-request.ts';
import type { PromisedBesides } from './promised-besides.ts';
import { changesFromNow, isAboutRules, type OpenRequest, payCentsOf, wantedGoals, withVoid } from './request.ts';
import { asAskedFor, isAmendmentOver } from './request-expiry.ts';
import { CALL_LIMITS, isTooLittle, isTooMuchForBalance, needsNow, type RequestFacts } from './request-facts.ts';
import type { Requests } from './request-store.ts';

export type ReadCurrent = ReturnType<typeof createReadCurrent>;

interface ReadDeps extends Pick<ActionTools, 'purchaseOf' | 'now'> {
  readonly paidAt: PaidAt;
  readonly promisedBesides: PromisedBesides;
  readonly raises: Pick<RaiseAmounts, 'withBase' | 'temporaryValues'>;
  readonly card: Pick<CardClient, 'getSpendRules' | 'getAccount' | 'getRemainingLimits'>;
  readonly checkPurchase: CheckPurchase;
}

/** A request about a card's rules, as the card is now. The returned function throws CardApiError if it cannot be read. */
export function createReadCurrent(deps: ReadDeps) {
  return (request: OpenRequest) =>
    readCurrent(isAmendmentOver(request, deps.now()) ? asAskedFor(request) : request, deps);
}

async function readCurrent(request: OpenRequest, deps: ReadDeps) {
  const { acctId } = request;
  const { rules } = await deps.card.getSpendRules(acctId);
  const all = changesFrom(rules, wantedGoals(request));
  const changesFor = async (term: Term): Promise<RuleChange[]> => {
    const both = await deps.raises.withBase(all, term, acctId);
    // Approving never lowers a limit: limits that are already higher stay. One that is higher only for the moment is not
    // enough. They are judged anew each time, because they may fall again.
    return both.flatMap(({ change, fromBase }) => (!lowers([change]) || isLooser([fromBase]) ? [fromBase] : []));
  };
  const changes = await changesFor(request.term);
  const now = ofRules(all, changes);
  const temporary = await deps.raises.temporaryValues(all, acctId);
  const account = await deps.card.getAccount(acctId);
  const isBlocked = isInUseBlocked(account, request.card.cardId);
  const isShort = isTooMuchForBalance(payCentsOf(request), request.facts.purchase, account, rules);
  const event = await deps.purchaseOf(request.action);
  const { alsoNeeds } = request.facts;
  const needs = await needsNow({ event, payCents: payCentsOf(request), changes: all, alsoNeeds }, deps);
  const alsoNeedsNow = withBalanceNow(needs, isShort);
  const paidAt = await deps.paidAt(request);
  const promised = await deps.promisedBesides(request);
  const facts: RequestFacts = {
    ...request.facts,
    alsoNeeds: alsoNeedsNow.length > 0 ? alsoNeedsNow : undefined,
    paidAt: paidAt ?? undefined,
    promised: promised.length > 0 ? promised : undefined,
  };
  const isAmount = payCentsOf(request) !== null;
  const remaining = isAmount ? await orNull(deps.card.getRemainingLimits(acctId, CALL_LIMITS)) : null;
  const factsWith = (goals: readonly RuleGoal[]): RequestFacts => ({
    ...facts,
    isTooLittle: leavesTooLittle(goals, { request, facts, all, remaining }) ? true : undefined,
  });
  const current: OpenRequest = {
    ...request,
    isBlocked,
    // If the card service does not tell what is left, nothing is different.
    facts: remaining === null ? facts : factsWith([]),
    changes: changes.length > 0 ? changes : all,
    temporary,
  };
  return {
    request: current,
    factsWith,
    /** The requested values relative to the card's current rules, also those that would be lower. */
    all,
    /** What approving changes: relative to the current rules, and to what they go back to before the change ends. */
    now,
    changes,
    /** The first, if it lasts for another time: also limits that are high enough only for the requested one. */
    nowFor: async (term: Term) => ofRules(all, [...changes, ...(await changesFor(term))]),
  };
}

interface Left {
  readonly request: OpenRequest;
  readonly facts: RequestFacts;
  /** The requested values relative to the card's current rules. */
  readonly all: readonly RuleChange[];
  /** Null: the card service did not tell, or the request names no amount. */
  readonly remaining: RemainingLimits | null;
}

/** The card may have been used since the request: whether its changes, or these values instead, are by now not enough. */
function leavesTooLittle(goals: readonly RuleGoal[], { request, facts, all, remaining }: Left): boolean {
  const payCents = payCentsOf(request);
  if (payCents === null || remaining === null) return false;
  const changes = withGoals(all, goals);
  // An approver who decided less than was asked for knows what that is enough for.
  if (isLooser(withGoals(reversed(changes), request.goals))) return false;
  // That other limits are too small is told with what the purchase needs.
  const left = facts.alsoNeeds?.includes('raise_limit') === true ? [] : facts.left;
  return isTooLittle(payCents, { ...facts, left }, remaining, changes);
}

/** Whether the card is blocked to which an account's rules apply. */
export function isInUseBlocked(account: Parameters<typeof cardInUse>[0], cardId: number | null): boolean {
  const named = cardInUse(account, cardId);
  // The rules are the account's, so they also apply to the card that has replaced a closed one.
  const inUse = named?.status === 'CLOSED' ? cardInUse(account, null) : named;
  return inUse?.status === 'BLOCKED';
}

/** True when one of the changes restricts the card. */
export function lowers(changes: readonly RuleChange[]): boolean {
  return isLooser(reversed(changes));
}

export function allVoid(request: OpenRequest): OpenRequest {
  const reasons = request.approvals.map(({ by }) => ({ by, why: 'moved', standsInFor: null }) as const);
  return { ...withVoid(request, reasons), revision: request.revision + 1 };
}

/** What differs from the facts the request showed, one sentence; null: nothing. */
export function whatMoved(current: OpenRequest, shown: OpenRequest): string | null {
  if (JSON.stringify(current.term) !== JSON.stringify(shown.term))
    return 'The end that an approver chose has passed, so it is as it was asked for again.';
  // Limits that were left out because they were high enough are back in it.
  const back = without(current.changes, shown.changes);
  const changed = [...movedSince(current.changes, shown.changes), ...back];
  const now = ofRules(changesFromNow(current), changed);
  const isTemporary = back.every(({ rule }) => ofRule(current.temporary, rule) !== undefined);
  if (changed.length > 0 && isTemporary && movedSince(now, changesFromNow(shown)).length === 0)
    return `It now outlasts a temporary change, so it is counted from ${stateWords(changed, 'from')}.`;
  if (changed.length > 0) return `Somebody changed it since it was asked for. Now: ${ruleStates(now, 'from')}.`;
  if (current.facts.isTooLittle === true && shown.facts.isTooLittle !== true)
    return 'The card was used since it was asked for, so it is not enough by now.';
  const more = current.facts.alsoNeeds?.filter((kind) => shown.facts.alsoNeeds?.includes(kind) !== true);
  const also = alsoNeeded(more);
  if (also !== null) return `More is needed by now. ${also}`;
  return current.isBlocked && !shown.isBlocked ? 'The card was blocked since it was asked for.' : null;
}

interface RefreshDeps extends Pick<ActionTools, 'withLock' | 'updateRequest'> {
  readonly readCurrent: ReadCurrent;
  readonly requests: Pick<Requests, 'open' | 'get' | 'save'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly verified: ApprovalVerified;
  readonly endRequest: EndRequest;
  /** How many approvals the request needs now, counting what the person who asked has added meanwhile. */
  readonly recount: (request: OpenRequest) => Promise<Pick<OpenRequest, 'needed' | 'counted'>>;
}

/**
 * A card's status or rules have changed, or a purchase was paid: its open requests show that. As for a click, approvals that were given for other
 * facts are void. Idempotent.
 *
 * The returned function throws CardApiError when the job should be retried.
 */
export function createRefreshRequests(deps: RefreshDeps): (acctId: number) => Promise<void> {
  return async function refreshRequests(acctId) {
    for (const { id, ...request } of await deps.requests.open())
      if (request.acctId === acctId && isAboutRules(request))
        await deps.withLock(`request:${id}`, (lease) => refresh(id, lease));
  };

  async function refresh(id: string, lease: Lease): Promise<void> {
    const request = await deps.requests.get(id);
    if (request?.state !== 'open') return;
    if (request.paidAt !== undefined && (await deps.endRequest(request, lease))) return;
    // While an approval is in flight, the card may show its change.
    if (request.inFlight.length > 0) return await decideIfMade(request, lease);
    const { request: current } = await deps.readCurrent(request);
    const isMoved = whatMoved(current, request) !== null;
    const kept = isMoved ? { ...allVoid(current), ...(await deps.recount(current)) } : current;
    if (JSON.stringify(kept) === JSON.stringify(request)) return;
    await lease.confirm();
    await deps.requests.save(kept);
    await deps.updateRequest(id);
  }

  /** Nothing showed the change of an approval in time, but it is in effect. */
  async function decideIfMade(request: OpenRequest, lease: Lease): Promise<void> {
    const unconfirmed = request.inFlight.filter(({ state }) => state === 'unconfirmed');
    // Whoever finds it in effect stores that under this lock.
    const changes = await deps.withLock(
      `account:${request.acctId}`,
      () => Promise.all(unconfirmed.map(({ actionId }) => deps.temporaryChanges.get(actionId))),
      lease,
    );
    const made = changes.find((change) => change?.certainty === 'certain');
    if (made == null) return;
    await lease.confirm();
    await deps.verified(request, made.id, 'confirmed');
  }
}

/**
 * Why this may not be approved: it would lower a limit. `now`: relative to the card's current rules. Null: nothing is lower.
 */
export function whyLower(now: readonly RuleChange[], { temporary }: OpenRequest): Refusal | null {
  const lowered = now.filter((change) => lowers([change]));
  if (lowered.length === 0) return null;
  const forNow = ofRules(temporary, lowered);
  if (forNow.length === 0)
    return {
      why: 'That is less than it is now, and approving never lowers a limit.',
      whoCan: `Approve more, or deny the request. ${commandCode('limit')} lowers a limit.`,
    };
  return {
    why: `Approving never lowers a limit, and it is higher for the moment: ${forNow.map(momentWords).join('; ')}.`,
    whoCan: 'Approve it after that, or have the temporary change taken back first.',
  };
}

/** `daily limit $800.00 until 2026-11-20T22:00:00.000Z, then $150.00 again` */
function momentWords({ rule, now, back, until }: TemporaryValue): string {
  const to = stateWords([{ rule, to: back }], 'to');
  const when =
    until === null ? `until an approver decides whether it goes back to ${to}` : `until ${until}, then ${to} again`;
  return `${ruleStates([{ rule, to: now }], 'to')} ${when}`;
}
