import type { Action, Resolved } from '../actions/action.ts';
import type { Attempt } from '../actions/action-tools.ts';
import { superseded } from '../actions/change-status.ts';
import { endOf } from '../actions/report.ts';
import type { Result } from '../actions/result.ts';
import { noteOf } from '../actions/send-status.ts';
import type { Term } from '../card-api/rule-change.ts';
import { changesFrom, isAboutLimits, isLooser, isMade, limitGoals, type RuleChange } from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { CardApiError } from '../core/errors.ts';
import { type CountedRaise, countedCents, tooMuchForOne } from '../policy/counted-raise.ts';
import { decide } from '../policy/decide.ts';
import { endOfTerm } from './change-request.ts';
import { composeTemporaryTerms } from './compose.ts';
import { contradiction } from './contradiction.ts';
import type { LimitDeps } from './deps.ts';
import type { MadeChange, TemporaryTerms } from './open-temporary-change.ts';
import type { RaisedBy } from './raise-amount.ts';
import { ruleNames, ruleStates, stateWords } from './rule-words.ts';
import { withCategory } from './unknown-category.ts';
import { limitVerbs, type RuleAction } from './verbs.ts';

/** Whoever had to has approved; the outcome belongs to the action that asked. */
export interface Approval {
  readonly outcomeOf: string;
  readonly requestId: string;
  /** Who approved alone, be it by emergency override, and who asked: it counts with their other raises. Null: two approved. */
  readonly alone: RaisedBy | null;
}

/** A change that the policy does not leave to the person who asks for it. */
export interface AskedChange<A extends Action = RuleAction> {
  readonly action: A;
  readonly acctId: number;
  readonly card: CardFacts;
  /** From what the rules are, or will be again by themselves. */
  readonly changes: readonly RuleChange[];
  readonly term: Term;
  /** How many other approvers have to approve. */
  readonly others: 1 | 2;
  /** What was counted, where it is too much for one person. */
  readonly counted: CountedRaise | null;
}

/** Opens a request that others decide. Answers with a sentence that says what happens now. */
export type OpenRequest = (asked: AskedChange) => Promise<string>;

type Finish = (state: Result['state'], rest?: Partial<Result>) => Promise<Result>;

/**
 * Changes a card's spend rules, once: reads them, changes those that are asked for, writes everything back.
 *
 * What the policy does not leave to one person becomes a request instead, unless others approved it. Runs under the
 * account's lock.
 *
 * @throws CardApiError when the job should run again.
 */
export async function changeRule(
  { action, acctId }: Resolved<RuleAction>,
  approval: Approval | null,
  deps: LimitDeps,
  openRequest: OpenRequest,
  attempt: Attempt,
): Promise<Result> {
  const { card: api, progress } = deps;
  const written = await progress.read(action.id);
  const card = await deps.factsOf(acctId);
  const { rules, raw } = await api.getSpendRules(acctId);
  const { changeRequest, why } = await withCategory(action, action.changeRequest, acctId, rules, deps);
  const changes = changeRequest === null ? [] : changesFrom(rules, changeRequest.goals);
  const verb = isAboutLimits(changes) ? 'limit' : 'allow';
  const finish: Finish = async (state, rest = {}) => {
    const sides = changeRequest === null ? { before: null, after: null } : sidesOf(changes);
    const result = { state, card, ...sides, apiWords: null, note: null, ...rest };
    return await deps.reports.report(action, verb, result, approval ?? {});
  };
  if (changeRequest === null) return await finish('failed', { note: why });
  const { term } = changeRequest;
  const made: MadeChange = { action, acctId, changes, term, requestId: approval?.requestId ?? null };
  const isThere = isMade(changes);
  const terms = composeTemporaryTerms(deps);

  // After a crash the write may have been ours: then the change is done, not superfluous.
  if (isThere && written?.state === 'sending') {
    const sent = written.expects?.kind === 'rule' ? written.expects.changes : changes;
    return await conclude({ ...made, changes: sent }, 'confirmed', finish, terms);
  }
  const against = isThere ? null : obstacleTo(changes, term, rules, deps);
  if (against !== null) return await finish('failed', { note: against });
  const fromBase = await deps.raises.changesFromBase(changes, term, acctId);
  if (approval === null && isLooser(fromBase)) {
    const { userId } = action.actor;
    const raise = await deps.raises.count(action, acctId, { changes, fromBase, term }, [userId]);
    const isOwnCard = await deps.links.wasHolderLately(userId, acctId);
    const question = { roles: action.roles, isOwnCard, raiseCents: countedCents(raise) };
    const verdict = decide(limitVerbs[action.verb].permission, question, deps);
    if (verdict.kind === 'refused') return await finish('failed', { note: verdict.why });
    if (verdict.kind === 'request') {
      const counted = tooMuchForOne(raise);
      const asked = { action, changes: fromBase, term, acctId, card, others: verdict.others, counted };
      return await finish('waiting', { note: await openRequest(asked), counted });
    }
  }
  // Counted before it is sent: two clicks at once must not both pass for the first.
  const alone = approval === null ? { by: action.actor.userId, askedBy: action.actor.userId } : approval.alone;
  if (alone !== null && isLooser(changes)) await deps.raises.remember(action, acctId, made, alone);

  if (isThere) {
    const kept = await terms.keep(made);
    return kept === null ? await finish('unchanged', { note: alreadySo(changes) }) : await finish('done', kept);
  }

  const expects = { kind: 'rule', changes, term } as const;
  if (
    written?.state === 'sending' &&
    (await deps.confirmations.isSuperseded(acctId, expects, action.id, written.followed))
  ) {
    await terms.forgetIfGone(action.id, changes, acctId);
    return await finish('unknown', { note: superseded });
  }

  const sides = sidesOf(changes);
  const followed = await deps.confirmations.changedBy(acctId, expects);
  const sending = { state: 'sending', ...sides, expects, followed } as const;
  const end = endOf(await progress.write(action.id, sending));
  if (end !== null) {
    await deps.reports.notify(action, verb, end, approval ?? {});
    return end.result;
  }
  await deps.record(action, { event: 'sent', acctId, cardId: card.cardId, ...sides });
  await deps.confirmations.changed(acctId, expects, action.id);
  if (term.kind !== 'permanent') await terms.openUnsent(made);
  try {
    await api.putSpendRules(acctId, deps.applyChanges(raw, changes));
  } catch (error) {
    if (!(error instanceof CardApiError)) throw error;
    const isDone = error.outcome === 'unknown' ? await isAsRequested(acctId, changes, deps) : false;
    if (isDone === true) return await conclude(made, 'confirmed', finish, terms);
    if ((error.retryable || isDone === null) && !attempt.isLast) throw error;
    const state = isDone === null ? 'unknown' : 'failed';
    if (state === 'failed') await deps.temporaryChanges.forget(action.id);
    const unconfirmed = isDone === null ? { expects } : {};
    return await finish(state, { apiWords: error.apiMessage, note: noteOf(error), ...unconfirmed });
  }
  return await conclude(made, 'sent', finish, terms);
}

/** Why the card service would refuse, before it does; null when nothing speaks against it. */
function obstacleTo(changes: readonly RuleChange[], term: Term, rules: SpendRules, deps: LimitDeps): string | null {
  const end = endOfTerm(term, deps.now(), deps.serviceDays);
  if (end !== null && end <= deps.now()) return 'That day is over: choose a later one.';
  const limits = limitGoals(changes);
  if (limits.some(({ rule }) => rule.period === 'transaction' && rule.category === null)) {
    return 'A card has no limit of its own for a single purchase: only a merchant category does.';
  }
  return contradiction(rules, limits)?.why ?? null;
}

/** Nothing is left to change. */
function alreadySo(changes: readonly RuleChange[]): string {
  if (changes.length > 1) return `It is so already: ${ruleStates(changes, 'from')}.`;
  const name = ruleNames(changes);
  return isAboutLimits(changes)
    ? `The ${name} is ${stateWords(changes, 'from')} already.`
    : `${name.slice(0, 1).toUpperCase()}${name.slice(1)} are ${stateWords(changes, 'from')} already.`;
}

/** The change is made: start its end, if it has one, and tell. */
async function conclude(
  made: MadeChange,
  confirmation: 'sent' | 'confirmed',
  finish: Finish,
  terms: TemporaryTerms,
): Promise<Result> {
  const { changes, term } = made;
  const opened = await terms.resolve(made);
  const expects = confirmation === 'sent' ? { expects: { kind: 'rule', changes, term } as const } : {};
  return await finish('done', { ...sidesOf(changes), ...opened, confirmation, ...expects });
}

/** Whether the rules are now what was wanted; null when they cannot be read. */
async function isAsRequested(acctId: number, changes: readonly RuleChange[], deps: LimitDeps): Promise<boolean | null> {
  try {
    return isMade(changesFrom((await deps.card.getSpendRules(acctId)).rules, changes));
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}

function sidesOf(changes: readonly RuleChange[]): { before: string; after: string } {
  return { before: ruleStates(changes, 'from'), after: ruleStates(changes, 'to') };
}
