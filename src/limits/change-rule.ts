import type { Action, Resolved } from '../actions/action.ts';
import type { Result } from '../actions/action-state.ts';
import type { ActionTools, LockedRun, Responses, Rights } from '../actions/action-tools.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import type { Reports } from '../actions/report.ts';
import { overtaken } from '../actions/send-status.ts';
import { movedSince } from '../card-api/rule.ts';
import { isAboutLimits, isLooser, isMade, type RuleChange, reversed, type Term } from '../card-api/rule-change.ts';
import type { AlsoNeeds } from '../core/also-needs.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { capital } from '../core/first-letter.ts';
import { commandCode } from '../core/installation.ts';
import { amountIn, type CountedRaise } from '../policy/approval-policy.ts';
import { approvalsNeeded, LATE_MS } from '../policy/decide-action.ts';
import type { MadeChange, TemporaryTerms } from './open-temporary-change.ts';
import { permitRaise } from './permit-raise.ts';
import type { PlanChange } from './plan-change.ts';
import type { Raise, RaiseAmounts, RaisedBy } from './raise-amount.ts';
import { ruleNames, ruleStates, valueWord } from './rule-words.ts';
import { type RefusedChange, type SendRules, sidesOf } from './send-rules.ts';
import { type RuleAction, ruleVerbOf } from './verbs.ts';
import { withObstacles } from './with-obstacles.ts';

/** All needed approvals were given. The outcome belongs to the action that asked. */
export interface Approval {
  readonly outcomeOf: string;
  readonly requestId: string;
  /** Who asked, and who approved alone (also by emergency override). The raise counts with their other raises. */
  readonly raisedBy: RaisedBy;
  /** How many people approved it. */
  readonly approvers: number;
  /** The people whose earlier raises count with it. */
  readonly people: readonly string[];
  /** Earlier approvals of the same request that got no answer. */
  readonly unanswered: readonly string[];
  /** The approved changes, relative to the rules at that time. */
  readonly judged: readonly RuleChange[];
  /** Why it may not be made any more, by the roles of this moment, one sentence; null when it may. */
  readonly whyNoLonger: () => Promise<string | null>;
}

interface Deps {
  readonly responses: Pick<Responses, 'askAgain'>;
  readonly plan: PlanChange;
  readonly permitOrAsk: PermitChangeOrAsk;
  readonly send: SendRules;
  readonly terms: Pick<TemporaryTerms, 'begin' | 'keep' | 'isTemporary'>;
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly reports: Pick<Reports, 'report'>;
  readonly latestChanges: Pick<LatestChanges, 'isOvertaken' | 'alreadyInEffect'>;
}

/**
 * Changes a card's spend rules once: reads them, changes the requested ones, writes everything back.
 *
 * If the policy does not allow one person to make the change, it becomes a request, unless others have approved it.
 *
 * Runs under the account's lock. The returned function throws CardApiError when the job should be retried.
 */
export function createChangeRule(deps: Deps) {
  const { plan, permitOrAsk, send, terms, progress, reports, latestChanges } = deps;
  return async function changeRule(
    { action, acctId }: Resolved<RuleAction>,
    approval: Approval | null,
    run: LockedRun,
  ): Promise<Result> {
    const written = await progress.read(action.id);
    const wasSending = written?.state === 'sending';
    const { against, ...planned } = await plan(action, acctId, wasSending);
    const { card, changes, sides } = planned;
    const finish = (state: Result['state'], rest: Partial<Result> = {}): Promise<Result> => {
      const { note: said = null } = rest;
      const obstacles = state === 'done' ? withObstacles(said, { action, card, changes }) : { note: said };
      const result = { state, card, ...sides, apiWords: null, ...rest, ...obstacles };
      return reports.report(action, ruleVerbOf(changes), result, approval ?? {});
    };
    const { term } = action.changeRequest;
    const made: MadeChange<RuleAction> = { action, acctId, changes, term, requestId: approval?.requestId ?? null };
    const isThere = isMade(changes);

    // After a crash the write may have been our own. Then the change is done, not superfluous.
    if (isThere && wasSending) {
      const sent = written.expects?.kind === 'rule' ? written.expects.changes : changes;
      // If it was taken back, and somebody has set the same value since, that is not the value of this one.
      const isSetSince = await latestChanges.isOvertaken(acctId, { kind: 'rule', changes: sent }, action, isNoEnd);
      const opened = await terms.begin({ ...made, changes: sent }, { isSetSince });
      return await finish('done', { ...sidesOf(sent), ...opened, confirmation: 'confirmed' });
    }
    const expects = { kind: 'rule', changes } as const;
    const sent = { ...planned, ...made };
    // What an earlier attempt may have sent is not sent again.
    const fail = (refused: RefusedChange) =>
      wasSending ? send({ ...sent, written, refused }, run, finish, approval ?? {}) : finish(refused.state, refused);
    const isOvertaken = await latestChanges.isOvertaken(acctId, expects, action);
    // A value that somebody has set later, for a time, goes back: it is not what was asked for.
    if (isOvertaken && (!isThere || (await terms.isTemporary(made))))
      return await fail({ state: 'failed', note: overtaken(ruleNames(changes), wasSending) });
    if (against !== null) return await fail({ state: 'failed', note: against });
    const refused = await permitOrAsk(made, approval, card, !wasSending);
    if (refused?.isLate === true && !wasSending) {
      await deps.responses.askAgain(action, { acctId });
      return { state: 'failed', card, ...sides, apiWords: null, note: refused.note };
    }
    if (refused !== null) return await fail(refused);
    if (!isThere) return await send({ ...sent, written }, run, finish, approval ?? {});
    await latestChanges.alreadyInEffect(acctId, expects, action);
    const kept = await terms.keep(made);
    return kept === null ? await finish('unchanged', alreadySo(changes)) : await finish('done', kept);
  };
}

/** Setting a value, unlike the end of a temporary change. */
const isNoEnd = (verb: string): boolean => verb !== 'end';

function alreadySo(changes: readonly RuleChange[]): Partial<Result> {
  const [name, sides] = [ruleNames(changes), sidesOf(changes)];
  const [only] = changes;
  if (only === undefined || changes.length > 1) return { ...sides, note: `It is so already: ${sides.before}.` };
  const value = `${valueWord(only.from)} already.`;
  if (!isAboutLimits(changes)) return { ...sides, note: `${capital(name)} are ${value}` };
  return { ...sides, note: only.from === null ? `The card has no ${name} already.` : `The ${name} is ${value}` };
}

/** A change that the policy does not allow the person to make alone. */
export interface AskedChange<A extends Action = RuleAction> {
  readonly action: A;
  readonly acctId: number;
  readonly card: CardFacts;
  /** Relative to the current rules. */
  readonly changes: readonly RuleChange[];
  readonly term: Term;
  /** How many other approvers are needed. */
  readonly others: number;
  /** The counted raise, if it is too much for one person. */
  readonly counted: CountedRaise | null;
  /** What else the purchase needs. */
  readonly alsoNeeds?: AlsoNeeds | undefined;
}

export interface RequestOpened {
  /** `twin`: another request for the same change is open. `decided`: this one is, and those who asked were told. */
  readonly kind: 'opened' | 'twin' | 'decided';
  /** A sentence about what happens now. */
  readonly note: string;
}

export type OpenRequest = (asked: AskedChange) => Promise<RequestOpened>;

/** Continues the request that an earlier attempt of the action opened. Null: no attempt opened one. */
export type ResumeRequest = (
  actionId: string,
) => Promise<(RequestOpened & Pick<AskedChange, 'card' | 'changes' | 'counted'>) | null>;

interface ResumeDeps {
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly reports: Pick<Reports, 'report'>;
  readonly resumeRequest: ResumeRequest;
}

/**
 * A change that others were asked about before a crash is decided by them, whatever one person may do by now. The
 * returned function returns null when nobody was asked.
 */
export function createResumeChange({ progress, reports, resumeRequest }: ResumeDeps) {
  return async function resumeChange({ action }: Resolved<RuleAction>): Promise<Result | null> {
    if ((await progress.read(action.id))?.state !== 'asked') return null;
    const resumed = await resumeRequest(action.id);
    if (resumed === null) return null;
    const { kind, card, changes, counted, note } = resumed;
    const ends = kind === 'opened' ? ({ state: 'waiting', counted } as const) : ({ state: 'unchanged' } as const);
    return await reports.report(action, ruleVerbOf(changes), {
      ...ends,
      ...sidesOf(changes),
      card,
      apiWords: null,
      note,
    });
  };
}

/**
 * Null: it may be made now. Otherwise how it ends: refused, as a new request that others decide, or as a request that
 * is already open.
 *
 * @param mayAsk false: an earlier attempt may still be made, so nobody is asked to approve it as well.
 */
type PermitChangeOrAsk = (
  made: MadeChange<RuleAction>,
  approval: Approval | null,
  card: CardFacts,
  mayAsk: boolean,
) => Promise<(RefusedChange & { readonly isLate?: boolean }) | null>;

interface PermitDeps extends Pick<ActionTools, 'withLock' | 'now'> {
  readonly rights: Pick<Rights, 'authorize' | 'policyOfCard'>;
  readonly raises: Pick<RaiseAmounts, 'count' | 'remember' | 'withBase' | 'loosenedFor' | 'sooner'>;
  readonly openRequest: OpenRequest;
}

/**
 * Asks the policy, unless others have approved. A raise that one person may make alone counts from then on. For any other,
 * a request is opened and posted.
 */
export function createPermitChangeOrAsk(deps: PermitDeps): PermitChangeOrAsk {
  const { raises, openRequest, withLock } = deps;
  const whyNotSooner = createWhyNotSooner(deps);
  return async function permitChangeOrAsk(made, approval, card, mayAsk) {
    const { action, acctId, changes, term } = made;
    const raise = { changes: await raises.withBase(changes, term, acctId), term };
    const fromBase = raise.changes.map((change) => change.fromBase);
    // Two approvals of different requests may be judged at once. Approving never lowers a limit.
    const isLowering = isLooser(reversed(changes));
    if (approval !== null && (isLowering || movedSince(fromBase, approval.judged).length > 0))
      return { state: 'failed', note: movedNow };
    const tooSoon = isMade(changes) ? await whyNotSooner(made, approval) : null;
    if (tooSoon !== null) return tooSoon;
    if (!isLooser(changes) && !isLooser(fromBase)) return null;
    const loosened = await raises.loosenedFor(raise, acctId);
    if (approval !== null) {
      const isLate = deps.now().getTime() - Date.parse(action.askedAt) > LATE_MS;
      const why = isLate ? tooLate : (loosened.tooLongInFull ?? (await approval.whyNoLonger()));
      if (why !== null) return { state: 'failed', note: why };
      return await countApproved(made, raise, approval);
    }
    const { verdict, counted } = await permitRaise(action, acctId, raise, loosened, deps);
    if (verdict.kind === 'late') return { state: 'failed', isLate: true, note: tooLate };
    if (verdict.kind === 'refused') return { state: 'failed', note: verdict.why };
    if (verdict.kind === 'allowed') return null;
    if (!mayAsk) return { state: 'failed', note: othersByNow };
    const { alsoNeeds } = action.changeRequest;
    const asked = { action, acctId, card, changes, term, others: verdict.others, counted, alsoNeeds };
    const { kind, note } = await openRequest(asked);
    return kind === 'opened' ? { state: 'waiting', note, counted } : { state: 'unchanged', note };
  };

  /**
   * Two simultaneous approvals must not both count as the first either, so it is counted again whether they are enough.
   */
  async function countApproved({ action, acctId }: MadeChange<RuleAction>, raise: Raise, approval: Approval) {
    return await withLock('recent-raises', async () => {
      const counted = await raises.count(action, acctId, raise, approval.people, approval.unanswered);
      const needed = approvalsNeeded(amountIn(counted), await deps.rights.policyOfCard(acctId));
      const { approvers } = approval;
      if (needed > approvers) return { state: 'failed', note: tooMuchByNow(approvers) } as const;
      await raises.remember(action, acctId, raise, approval.raisedBy);
      return null;
    });
  }
}

/**
 * Why a rule may not have its present value for less time than the reduction that set it: that is a raise from then on.
 * Only an approver who made the reduction may always end it alone. It cannot become a request, which is about a value.
 */
function createWhyNotSooner(deps: PermitDeps) {
  return async function whyNotSooner(
    { action, acctId, changes, term }: MadeChange<RuleAction>,
    approval: Approval | null,
  ): Promise<Awaited<ReturnType<PermitChangeOrAsk>>> {
    const { changes: sooner, byOthers } = await deps.raises.sooner(changes, term, acctId, action.actor.userId);
    if (sooner.length === 0) return null;
    const refused = { state: 'failed', note: tooSoon(sooner) } as const;
    // They approved a value, not this.
    if (approval !== null) return refused;
    const raise = { changes: sooner.map((change) => ({ change, fromBase: { ...change, from: change.to } })), term };
    const { verdict } = await permitRaise(action, acctId, byOthers ? raise : null, { raiseCents: 1 }, deps);
    if (verdict.kind === 'late') return { state: 'failed', isLate: true, note: tooLate };
    if (verdict.kind === 'refused') return { state: 'failed', note: verdict.why };
    return verdict.kind === 'request' ? refused : null;
  };
}

function tooSoon(sooner: readonly RuleChange[]): string {
  const back = ruleStates(sooner, 'to');
  const typed = `${commandCode('limit')} with that amount asks another approver`;
  return `A temporary change would end sooner and go back to ${back}. You may not decide that alone: ${typed}.`;
}

const movedNow = 'Somebody has just changed it. Look at the request again.';
function tooMuchByNow(approvers: number): string {
  const now = approvers === 1 ? 'is more than one approver alone may allow' : 'needs more approvals';
  return `With a raise that was approved a moment ago, this ${now}. Look at the request again.`;
}
const othersByNow = 'It needs another approver by now, so I did not send it again.';
const tooLate = 'It waited longer than 10 minutes, so I did not do it. Ask or approve again if you still want it.';
