import type { Action } from '../actions/action.ts';
import { noteOf, superseded } from '../actions/change-status.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { auditRecord, endOf, notify, report } from '../actions/report.ts';
import type { Expected, Result } from '../actions/result.ts';
import { openRequest } from '../approvals/open-request.ts';
import { CardApiError } from '../core/errors.ts';
import type { Resolved } from '../directory/resolve-card.ts';
import { judge } from '../policy/decide.ts';
import { type ChangeRequest, endOfTerm } from './change-request.ts';
import { contradiction } from './limit-change.ts';
import { forgetIfGone, openTemporaryChange, resolveTemporaryChanges, resolveTerm } from './open-temporary-change.ts';
import { baseOf, countRaise, isOwnCardOf, raisedCents } from './raise-amount.ts';
import {
  type CardRules,
  currentOf,
  isLooser,
  isOfLimits,
  isSameValue,
  plannedOf,
  type RuleChange,
  type RuleValue,
  wantedOf,
} from './rule-change.ts';
import { ruleName, ruleState, stateWords } from './rule-words.ts';
import { withCategory } from './unknown-category.ts';

/** Whoever had to has said yes; the outcome belongs to the action that asked. */
export interface Approval {
  readonly outcomeOf: string;
  readonly requestId: string;
  /** One person said yes, be it by breaking the glass: it counts among what single persons added. */
  readonly isSingle: boolean;
}

/**
 * Changes one of a card's spend rules, or several limits together, once: read, change their fields, write everything back.
 *
 * What the policy does not leave to one person becomes a request instead, unless the others said yes. Runs under the
 * account's lock.
 *
 * @throws CardApiError when the job should run again.
 */
export async function changeRule(
  { action, acctId }: Resolved,
  approval: Approval | null,
  deps: ActionDeps,
): Promise<Result> {
  const { card: api, progress } = deps;
  if (action.changeRequest === null) throw new Error('an action on rules without a wish');
  const written = await progress.read(action.id);
  const card = deps.toFacts(acctId, await deps.directory.account(acctId));
  const { rules, raw } = await api.getSpendRules(acctId);
  const { changeRequest, why } = await withCategory(action, action.changeRequest, acctId, rules, deps);
  const current = changeRequest === null ? null : currentOf(rules, changeRequest.change);
  const finish = async (state: Result['state'], rest: Partial<Result> = {}): Promise<Result> => {
    const sides = changeRequest === null ? { before: null, after: null } : sidesOf(changeRequest, current);
    const result = { state, card, ...sides, apiWords: null, note: null, ...rest };
    return await report(action, verbOf(changeRequest), result, deps, approval ?? {});
  };
  if (changeRequest === null) return await finish('failed', { note: why });
  const wanted = wantedOf(changeRequest.change);
  const isThere = isSameValue(current, wanted);

  // After a crash the write may have been ours: then the change is done, not superfluous.
  if (isThere && written?.state === 'sending') {
    return await conclude(
      action,
      changeRequest,
      acctId,
      fromProgress(written.before),
      approval,
      finish,
      deps,
      'confirmed',
    );
  }
  const against = isThere ? null : obstacleTo(changeRequest, rules, deps);
  if (against !== null) return await finish('failed', { note: against });
  const base = await baseOf(changeRequest, acctId, current, deps);
  if (approval === null && isLooser(base, wanted)) {
    const cents = await raisedCents(action, changeRequest, acctId, { current, base }, deps);
    const isOwnCard = await isOwnCardOf(action.actor.userId, acctId, deps);
    const verdict = judge({ verb: 'raise', roles: action.roles, isOwnCard, amountCents: cents }, deps);
    if (verdict.kind === 'refused') return await finish('failed', { note: verdict.why });
    if (verdict.kind === 'request') {
      const asked = { action, changeRequest, acctId, card, before: base, others: verdict.others };
      return await finish('waiting', { note: await openRequest(asked, deps) });
    }
  }
  // Counted before it is sent: two clicks at once must not both pass for the first.
  if ((approval === null || approval.isSingle) && isLooser(current, wanted)) {
    await countRaise(action, changeRequest, acctId, current, deps);
  }

  if (isThere) {
    const settled = await resolveTemporaryChanges(action, changeRequest, acctId, current, approval, deps);
    return settled === null
      ? await finish('unchanged', { note: alreadySo(changeRequest.change, current) })
      : await finish('done', settled);
  }

  const expects = expectedOf(changeRequest, current);
  if (
    written?.state === 'sending' &&
    (await deps.confirmations.isSuperseded(acctId, expects, action.id, written.followed))
  ) {
    await forgetIfGone(action.id, changeRequest.change, acctId, current, deps);
    return await finish('unknown', { note: superseded });
  }

  const sides = sidesOf(changeRequest, current);
  const followed = await deps.confirmations.changedBy(acctId, expects);
  const sending = { state: 'sending', before: JSON.stringify(current), after: sides.after, expects, followed } as const;
  const end = endOf(await progress.write(action.id, sending));
  if (end !== null) {
    await notify(action, verbOf(changeRequest), end, deps, approval ?? {});
    return end.result;
  }
  await deps.audit.append(auditRecord(action, 'sent', { ...card, acctId, ...sides }, deps));
  await deps.confirmations.changed(acctId, expects, action.id);
  if (changeRequest.term.kind !== 'permanent')
    await openTemporaryChange(action, changeRequest, acctId, current, approval, deps, false);
  try {
    await api.putSpendRules(acctId, deps.changeRule(raw, changeRequest.change));
  } catch (error) {
    if (!(error instanceof CardApiError)) throw error;
    const isDone = error.outcome === 'unknown' ? await isAsRequested(acctId, changeRequest, deps) : false;
    if (isDone === true)
      return await conclude(action, changeRequest, acctId, current, approval, finish, deps, 'confirmed');
    if ((error.retryable || isDone === null) && !deps.isLastAttempt) throw error;
    const state = isDone === null ? 'unknown' : 'failed';
    if (state === 'failed') await deps.temporaryChanges.forget(action.id);
    const unsure = isDone === null ? { expects } : {};
    return await finish(state, { apiWords: error.apiMessage, note: noteOf(error), ...unsure });
  }
  return await conclude(action, changeRequest, acctId, current, approval, finish, deps, 'sent');
}

/** Why the card service would refuse, before it does; null when nothing speaks against it. */
function obstacleTo({ change, term }: ChangeRequest, rules: CardRules, deps: ActionDeps): string | null {
  const end = endOfTerm(term, deps.now(), deps.serviceDays);
  if (end !== null && end <= deps.now()) return 'That day is over: choose a later one.';
  const planned = plannedOf(change);
  if (planned.some(({ period, category }) => period === 'transaction' && category === null)) {
    return 'A card has no limit of its own for a single purchase: only a merchant category does.';
  }
  return contradiction(rules, planned)?.why ?? null;
}

/** Nothing is left to change. */
function alreadySo(change: RuleChange, current: RuleValue): string {
  const name = ruleName(change);
  if (change.kind === 'limits') return `It is so already: ${ruleState(change, current)}.`;
  return change.kind === 'limit'
    ? `The ${name} is ${stateWords(change, current)} already.`
    : `${name.slice(0, 1).toUpperCase()}${name.slice(1)} are ${stateWords(change, current)} already.`;
}

/** The change is made: start its end, if it has one, and tell. */
async function conclude(
  action: Action,
  changeRequest: ChangeRequest,
  acctId: number,
  before: RuleValue,
  approval: Approval | null,
  finish: (state: Result['state'], rest?: Partial<Result>) => Promise<Result>,
  deps: ActionDeps,
  confirmation: 'sent' | 'confirmed',
): Promise<Result> {
  const opened = await resolveTerm(action, changeRequest, acctId, before, approval, deps);
  const sure =
    confirmation === 'sent' ? { confirmation, expects: expectedOf(changeRequest, before) } : { confirmation };
  return await finish('done', { ...sidesOf(changeRequest, before), ...opened, ...sure });
}

function expectedOf({ change }: ChangeRequest, before: RuleValue): Expected {
  return { kind: 'rule', change, before };
}

/** Whether the rule is now what was wanted; null when it cannot be read. */
async function isAsRequested(acctId: number, { change }: ChangeRequest, deps: ActionDeps): Promise<boolean | null> {
  try {
    return isSameValue(currentOf((await deps.card.getSpendRules(acctId)).rules, change), wantedOf(change));
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}

function sidesOf({ change }: ChangeRequest, before: RuleValue): { before: string; after: string } {
  return { before: ruleState(change, before), after: ruleState(change, wantedOf(change)) };
}

function verbOf(changeRequest: ChangeRequest | null): 'limit' | 'allow' {
  return changeRequest === null || isOfLimits(changeRequest.change) ? 'limit' : 'allow';
}

function fromProgress(before: string | null): RuleValue {
  return before === null ? null : (JSON.parse(before) as RuleValue);
}
