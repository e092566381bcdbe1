import { temporaryChangeEnded } from '../../templates/limits/temporary-change.ts';
import type { Action } from '../actions/action.ts';
import type { ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { type RuleValue, without } from '../card-api/rule.ts';
import { goalsOf, isLooser, type RuleChange, reversed, type Term } from '../card-api/rule-change.ts';
import { commandCode } from '../core/installation.ts';
import type { Lease } from '../core/lock.ts';
import { whyTooLong } from '../policy/approval-policy.ts';
import type { OpenRequest, ResumeRequest } from './change-rule.ts';
import { type ConfirmIfMade, endNote } from './end-temporary-change.ts';
import { DOUBTFUL, type NotifyEnd } from './notify-end.ts';
import { permitRaise } from './permit-raise.ts';
import type { RaiseAmounts } from './raise-amount.ts';
import type { Restore, WhyNotEnd } from './restore.ts';
import { ruleMoves, ruleNames } from './rule-words.ts';
import { isInDoubt, isMadeBy, raisesKept, undecided } from './temporary-change.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';
import { permanent } from './term.ts';
import { type RuleAction, ruleVerbOf, type TemporaryChangeAction } from './verbs.ts';

interface Deps extends Pick<ActionTools, 'withLock'> {
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly answerBack: AnswerBack;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
  readonly permitDecisionOrAsk: PermitDecisionOrAsk;
  readonly confirmIfMade: ConfirmIfMade;
  readonly restore: Restore;
  readonly notifyEnd: Pick<NotifyEnd, 'conclude' | 'show'>;
}

/**
 * *Take back now*, and the answer to "somebody changed it meanwhile": restore the rules, or keep them.
 *
 * Runs under the account's lock: if two people press at once, the second finds it done. The returned function throws
 * CardApiError when the job should be retried.
 */
export function createDecideTemporaryChange(deps: Deps): (action: TemporaryChangeAction) => Promise<void> {
  const { refuse, refusePartly, refuseDecision, answerInPlace, forgetRaise } = deps.answerBack;
  return async function decideTemporaryChange(action) {
    const { temporaryChangeId } = action.target;
    const acctId = (await deps.temporaryChanges.get(temporaryChangeId))?.acctId;
    if (acctId === undefined) return await refuse(action, 'This change is too old.', 'Look at the card.');
    await deps.withLock(`account:${acctId}`, async (lease) => {
      const temporaryChange = await deps.temporaryChanges.get(temporaryChangeId);
      if (temporaryChange !== null) await decideNow(action, temporaryChange, lease);
    });
  };

  async function decideNow(
    action: TemporaryChangeAction,
    temporaryChange: TemporaryChange,
    lease: Lease,
  ): Promise<void> {
    const { acctId, state, closingActionId } = temporaryChange;
    // Done by this click before a crash.
    if (closingActionId === action.id) {
      await deps.notifyEnd.show(temporaryChange);
      return await answerInPlace(action, temporaryChange);
    }
    const isSent = (await deps.progress.read(action.id))?.state === 'sending';
    const expected = action.verb === 'complete-temporary-change' ? 'asking' : 'open';
    if (state !== expected) return await refuse(action, ...whyOver(temporaryChange), { isSent });
    const permitOrAsk = () => deps.permitDecisionOrAsk(action, temporaryChange);
    const why = await permitOrAsk();
    if (why !== null) return await refuseDecision(action, acctId, why, isSent);
    const by = { ...action, isKept: isKeeping(action), whyNot: permitOrAsk };
    const restored = async () => {
      const made = await deps.confirmIfMade(temporaryChange, lease);
      return made && { made, ...(await deps.restore(made, by, lease)) };
    };
    const done = await restored().catch(async (error: unknown) => {
      await forgetRaise(action);
      throw error;
    });
    if (done?.kind === 'forbidden') return await refuseDecision(action, acctId, done.why, isSent);
    if (done?.kind !== 'over') return await refuse(action, notClear, lookLater, { isSent });
    const { made, after } = done;
    await lease.confirm();
    const isKept = after.state === 'kept' && after.closedBy !== null;
    const handedOver = without(after.later ?? [], made.later ?? []);
    if (!isKept && handedOver.length === 0) await forgetRaise(action);
    const note = endNote(made, after);
    await deps.notifyEnd.conclude(after, action, note);
    if (after.state !== 'asking') return await answerInPlace(action, after);
    const touched = ruleNames(undecided(after));
    const found = `${note} Somebody changed the ${touched} or the card’s ruleset meanwhile, or the card service stored another value. I left it.`;
    if (note === '' || isSent) return await refuse(action, found.trim(), whereAsked, { isSent });
    await refusePartly(action, found, whereAsked);
  }
}

interface AnswerBackDeps extends Pick<ActionTools, 'factsOf'> {
  readonly responses: Pick<Responses, 'refuse' | 'askAgain' | 'answer'>;
  readonly progress: Pick<ActionTools['progress'], 'read'>;
  readonly raises: Pick<RaiseAmounts, 'forget'>;
}

/** Tells a person how their decision ended. A refused one counts as no raise. */
type AnswerBack = ReturnType<typeof createAnswerBack>;

export function createAnswerBack(deps: AnswerBackDeps) {
  return {
    refuse,
    refuseDecision,
    /** Refuses what is left after something has changed. */
    refusePartly: (action: TemporaryChangeAction, why: string, whoCan: string): Promise<void> =>
      deps.responses.refuse(action, { why, whoCan, changed: '' }),
    answerInPlace,
    forgetRaise,
  };

  /** If only the person sees the message with the button, nothing else updates it. */
  async function answerInPlace(action: Action, over: TemporaryChange): Promise<void> {
    if (action.origin.replace)
      await deps.responses.answer(action, temporaryChangeEnded(over, await deps.factsOf(over.acctId)));
  }

  /** `isSent`: an earlier attempt may have been carried out. */
  async function refuse(
    action: TemporaryChangeAction,
    why: string,
    whoCan: string,
    { isSent = false, isNotPermitted = false } = {},
  ): Promise<void> {
    await forgetRaise(action);
    const unsure = { whoCan: 'The card service may have done it before: look at the card.', isUnsure: true };
    await deps.responses.refuse(action, { why, whoCan, ...(isSent && unsure) }, { isNotPermitted });
  }

  async function refuseDecision(
    action: TemporaryChangeAction,
    acctId: number,
    why: WhyNotEnd,
    isSent: boolean,
  ): Promise<void> {
    if (why !== 'late') return await refuse(action, why.why, why.whoCan, { isSent, isNotPermitted: true });
    if (isSent) return await refuse(action, 'It waited longer than 10 minutes.', '', { isSent });
    await forgetRaise(action);
    await deps.responses.askAgain(action, { acctId });
  }

  /** It may have been permitted before, and counts as no raise if nothing was sent. */
  async function forgetRaise(action: TemporaryChangeAction): Promise<void> {
    const isSending = (await deps.progress.read(action.id))?.state === 'sending';
    if (!isSending) await deps.raises.forget(action);
  }
}

const notClear = 'Whether the card service made the change itself is not clear yet.';
const lookLater = 'Wait two minutes, then look at the card.';
const whereAsked = 'The question is in the approvals channel.';

const nothingLeft = 'Nothing is left to be done.';
const over: Readonly<Record<TemporaryChange['state'], readonly [why: string, whoCan: string]>> = {
  open: ['It is still in force.', 'It ends by itself.'],
  asking: ['Its time is over, but the card has another value or ruleset now: an approver has to decide.', whereAsked],
  ended: ['It was put back already.', nothingLeft],
  kept: ['It was decided already to leave it as it is.', nothingLeft],
  refused: [
    'The card service refused to put it back.',
    'It is still in force: change it in the card program’s portal.',
  ],
  superseded: ['A later change took its place.', nothingLeft],
};

const whyOver = (one: TemporaryChange): readonly [why: string, whoCan: string] =>
  one.state === 'asking' && isInDoubt(one) ? [DOUBTFUL, whereAsked] : over[one.state];

/** Asks the policy and records the request. Idempotent. Returns why it is not permitted; null when it is. */
type PermitDecisionOrAsk = (
  action: TemporaryChangeAction,
  temporaryChange: TemporaryChange,
) => Promise<WhyNotEnd | null>;

interface PermitDeps extends Pick<ActionTools, 'record' | 'factsOf' | 'withLock'> {
  readonly rights: Pick<Rights, 'authorize' | 'policyOfCard'>;
  readonly raises: Pick<
    RaiseAmounts,
    'count' | 'remember' | 'withoutChange' | 'valuesPutBack' | 'returnTerm' | 'lastsMs'
  >;
  readonly openRequest: OpenRequest;
  readonly resumeRequest: ResumeRequest;
}

/**
 * Reverting a temporary reduction is a raise. Only an approver who made the reduction may always restore the earlier value
 * alone; for everyone else it is an ordinary raise from the current value, like restoring a rule that someone has changed
 * since. Keeping a raise for good is one, too, from the value that it would go back to. Above what one approver may allow
 * alone, others are asked.
 */
export function createPermitDecisionOrAsk(deps: PermitDeps): PermitDecisionOrAsk {
  const { record, factsOf, raises } = deps;
  return async function permitDecisionOrAsk(action, temporaryChange) {
    const { id, acctId, changes } = temporaryChange;
    const { userId } = action.actor;
    // After a crash, only the others decide who were asked before.
    const resumed = await deps.resumeRequest(action.id);
    if (resumed !== null) return askedOthers(resumed.changes, resumed.note);
    const isKept = isKeeping(action);
    const isEarly = action.verb === 'revert';
    // Since the backup that it is from, somebody may have made it permanent.
    const endsAnyway = isEarly && temporaryChange.isFromBackup !== true;
    const all = await raisesOf(action, temporaryChange, raises);
    const beyond = endsAnyway && isMadeBy(temporaryChange, userId) ? [] : all;
    const term = isKept ? permanent : await raises.returnTerm(all, temporaryChange);
    const raisedBy = (change: RuleChange) => {
      const inEffect = { ...change, from: change.to };
      // What is kept is in effect already, so it is a raise only from the value that it would go back to. What is taken
      // back is what it would go back to anyway, so it is a raise only for the moment.
      return { change: isKept ? inEffect : change, fromBase: endsAnyway ? inEffect : change };
    };
    const isRaise = all.length > 0 || isLooser(reversed(changes));
    const verb = isRaise ? 'complete-temporary-change' : action.verb;
    // What is kept, and what is restored after someone has changed it, stays, unless another temporary change has set it.
    const lasting = raises.lastsMs(term);
    const lasts = beyond.length > 0 && !endsAnyway ? { lastsMs: lasting } : {};
    const about = { ...lasts, raiseCents: Number(isRaise && !isKept) };
    const raise = beyond.length > 0 ? { changes: beyond.map(raisedBy), term } : null;
    const { verdict, counted } = await permitRaise({ ...action, verb }, acctId, raise, about, deps);
    if (verdict.kind === 'late') return 'late';
    if (verdict.kind === 'refused')
      return { why: verdict.why, whoCan: verdict.who === null ? inTimeWords(isKept) : 'Ask an approver.' };
    if (verdict.kind === 'request') {
      const tooLong = whyTooLong(await deps.rights.policyOfCard(acctId), lasting);
      if (tooLong !== null)
        return { why: tooLong, whoCan: endsAnyway ? 'Whoever made the change can take it back.' : inTimeWords(isKept) };
      // A policy may leave not even the smallest raise to one approver.
      const wanted = beyond.length > 0 ? beyond : reversed(changes).filter((change) => isLooser([change]));
      const { note } = await deps.openRequest({
        action: raiseOf(action, acctId, wanted, term),
        acctId,
        card: await factsOf(acctId),
        changes: raise?.changes.map(({ change }) => change) ?? wanted,
        term,
        others: verdict.others,
        counted,
      });
      return askedOthers(wanted, note);
    }
    await record(action, { event: 'asked', begins: true, acctId, cardId: (await factsOf(acctId)).cardId, detail: id });
    return null;
  };
}

/** What to do instead of what the policy allows only for a time. */
function inTimeWords(isKept: boolean): string {
  return `${isKept ? 'Put it back' : 'Leave it'}, or use ${commandCode('limit')} with a duration.`;
}

function askedOthers(wanted: readonly RuleChange[], whoCan: string): WhyNotEnd {
  return { why: `One approver alone may not raise this: ${ruleMoves(wanted)}.`, whoCan };
}

/** Restoring the earlier values, as the raise that it is. */
function raiseOf(action: TemporaryChangeAction, acctId: number, wanted: readonly RuleChange[], term: Term): RuleAction {
  const { id, reason, actor, roles, asHolder, origin, askedAt } = action;
  const target = { kind: 'card', acctId, cardId: null, alertId: null } as const;
  const changeRequest = { goals: goalsOf(wanted), term };
  return { id, verb: ruleVerbOf(wanted), target, reason, actor, roles, asHolder, origin, askedAt, changeRequest };
}

function isKeeping(action: TemporaryChangeAction): boolean {
  return action.verb === 'complete-temporary-change' && !action.restore;
}

async function raisesOf(
  action: TemporaryChangeAction,
  temporaryChange: TemporaryChange,
  raises: Pick<RaiseAmounts, 'withoutChange' | 'valuesPutBack'>,
): Promise<RuleChange[]> {
  if (isKeeping(action)) return raisesKept(temporaryChange);
  if (action.verb === 'complete-temporary-change')
    return raisesBeyond(temporaryChange, await raises.valuesPutBack(temporaryChange));
  return await raises.withoutChange(temporaryChange);
}

/** The raise that restoring the earlier values makes, for rules that someone has changed since, or may have. */
function raisesBeyond(
  { changes, meanwhile, isFromBackup }: TemporaryChange,
  values: readonly RuleValue[],
): RuleChange[] {
  return changes.flatMap(({ rule, from, to }, index) => {
    const found = meanwhile?.[index]?.to;
    const back =
      found === undefined || (found === to && isFromBackup !== true)
        ? []
        : [{ rule, from: found, to: values[index] ?? from }];
    return isLooser(back) ? back : [];
  });
}
