import type { Action } from '../actions/action.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { LatestChanges } from '../actions/progress-store.ts';
import { mayStillBeMade } from '../actions/send-change.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { isSameRule } from '../card-api/rule.ts';
import {
  changesFrom,
  isLooser,
  isMade,
  isOnCard,
  isSameGoals,
  type LimitGoal,
  limitGoals,
  limitsOf,
  type RuleChange,
  type RuleGoal,
  reversed,
  ruleValue,
  withGoals,
  without,
} from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { CardApiError, TooLateError } from '../core/errors.ts';
import { capital } from '../core/first-letter.ts';
import type { Lease } from '../core/lock.ts';
import { withAcceptedReturns } from './contradiction.ts';
import { about, type NotifyEnd, type OverChange } from './notify-end.ts';
import { ruleStates } from './rule-words.ts';
import { assertFresh } from './send-rules.ts';
import { isMadeBy, type TemporaryChange, type TemporaryChanges } from './temporary-change-store.ts';

/** A refusal may pass: the specification does not say what a 409 means, and it may stand for a repeated call. */
export const REFUSALS_MAX = 5;

/**
 * Restores the rules from before the temporary change, but none that someone changed meanwhile: people decide about
 * these. Returns the temporary change's new state; the caller that reports it saves it.
 *
 * @param by who reverts it early; null when its time is over.
 * @returns null: the earlier rules are in effect, but the change may still be made, and must end then. Or whoever reverts it
 * may not do so any more.
 * @throws CardApiError when the rules could not be read or written, TooLateError when this process must not write.
 */
export type Restore = (
  temporaryChange: TemporaryChange,
  by: RevertedBy | null,
  lease: Lease,
) => Promise<OverChange | null>;

interface RevertedBy extends Pick<Action, 'id' | 'actor' | 'askedAt'> {
  /** Asked when the rules have been read, because that may take long. */
  readonly mayStill: () => Promise<boolean>;
}

interface RestoreDeps extends Pick<ActionTools, 'applyChanges'>, LaterDeps {
  readonly progress: Pick<ActionTools['progress'], 'read' | 'write'>;
  readonly card: Pick<CardClient, 'getSpendRules' | 'putSpendRules'>;
  readonly latestChanges: Pick<LatestChanges, 'changed' | 'notMade'>;
}

export function createRestore(deps: RestoreDeps): Restore {
  const putBack = createPutBack(deps);
  return async function restore(whole, by, lease) {
    const { id, acctId, state } = whole;
    const { rules, raw } = await deps.card.getSpendRules(acctId);
    const readAt = performance.now();
    const closed = { closedAt: deps.now().toISOString(), closingActionId: by?.id ?? null };
    // The limits of a category that the card has lost are gone with it.
    const temporaryChange = about(
      whole,
      whole.changes.filter(({ rule }) => isOnCard(rules, rule)),
    );
    if (temporaryChange.changes.length === 0) return { ...whole, ...closed, state: 'kept' };
    const changes = accepted(rules, temporaryChange.changes);
    const back = changesFrom(rules, reversed(changes));
    const meanwhile = changes.map(({ rule, to }, index) => ({ rule, from: to, to: back[index]?.from ?? null }));
    const ended = { ...temporaryChange, ...closed, changes, closedBy: by?.actor.userId ?? null, meanwhile };
    const asEnded = async (): Promise<OverChange> => {
      await lease.confirm();
      const later = await restoreLater(ended, temporaryChange.changes, rules, deps);
      return { ...ended, ...(later.length > 0 && { later }), state: 'ended' };
    };
    // Someone restored them already, or we did before a crash.
    if (isMade(back)) return (await mayStillCome(id, deps)) ? null : await asEnded();
    if (by !== null && !(await by.mayStill())) return null;
    assertFresh(readAt);
    const isAgreed = state === 'asking' && isSameGoals(temporaryChange.meanwhile ?? [], meanwhile);
    // The automatic end was decided when the change was opened.
    const endId = `end-${id}`;
    const askedAt = by?.askedAt ?? temporaryChange.openedAt;
    // A click that may have been carried out must not be reported as refused or failed.
    const write = { id: endId, progressId: by?.id ?? endId, acctId, raw, readAt, askedAt, lease };
    const touched = changes.filter(({ rule, from, to }) => ![from, to].includes(ruleValue(rules, rule)));
    if (isAgreed || touched.length === 0) {
      await putBack({ ...write, back });
      return await asEnded();
    }
    const own = state === 'open' ? ownOf(temporaryChange.changes, touched, rules) : [];
    // A person who clicked gets an answer at once. The automatic end is tried again after a refusal.
    const isLast = by !== null || (temporaryChange.refusals ?? 0) + 1 >= REFUSALS_MAX;
    if (own.length === 0 || !(await isPutBack({ ...write, back: own }, isLast)))
      return { ...temporaryChange, state: 'asking', meanwhile };
    return { ...temporaryChange, state: 'asking', meanwhile: withGoals(meanwhile, own) };
  };

  /** False: the card service refuses them without the others. Throws that refusal unless it is the last attempt. */
  async function isPutBack(write: Write, isLast: boolean): Promise<boolean> {
    try {
      await putBack(write);
      return true;
    } catch (error) {
      if (!(error instanceof CardApiError) || error.code !== 'refused') throw error;
      if (!isLast && error.outcome !== 'not_sent') throw error;
      return false;
    }
  }
}

/**
 * The changes back of the rules that nobody touched, while people decide about the others: without those that the card
 * service would not accept beside what the others are now.
 */
function ownOf(changes: readonly RuleChange[], touched: readonly RuleChange[], rules: SpendRules): RuleChange[] {
  const untouched = without(changes, touched);
  const asBefore = accepted(rules, untouched).filter(({ from }, index) => from === untouched[index]?.from);
  return changesFrom(rules, reversed(asBefore)).filter(({ from, to }) => from !== to);
}

/** The changes with what the card service accepts to go back to, beside its other limits as they are now. */
function accepted(rules: SpendRules, changes: readonly RuleChange[]): RuleChange[] {
  return withAcceptedReturns(rules, changes, without(limitsOf(rules), changes));
}

interface Write {
  readonly id: string;
  readonly progressId: string;
  readonly acctId: number;
  /** The rules as the card service sent them, and when (ms). */
  readonly raw: Record<string, unknown>;
  readonly readAt: number;
  readonly back: readonly RuleChange[];
  /** UTC ISO 8601. */
  readonly askedAt: string;
  readonly lease: Lease;
}

/**
 * Writes the earlier values. A rerun after a crash keeps the progress that was written first. Of a write that was certainly
 * not made, nothing is left.
 */
function createPutBack(deps: RestoreDeps): (write: Write) => Promise<void> {
  const { progress, latestChanges } = deps;
  return async function putBack({ id, progressId, acctId, raw, readAt, back, askedAt, lease }) {
    const wasSent = (await progress.read(progressId))?.state === 'sending';
    if (!wasSent) {
      const sides = { before: ruleStates(back, 'from'), after: ruleStates(back, 'to') };
      await progress.write(progressId, { state: 'sending', ...sides });
    }
    const expects = { kind: 'rule', changes: back } as const;
    await latestChanges.changed(acctId, expects, { id, verb: 'end', askedAt });
    // Whoever has the lock by now continues from what is stored.
    await lease.confirm();
    try {
      assertFresh(readAt);
      await deps.card.putSpendRules(acctId, deps.applyChanges(raw, back));
    } catch (error) {
      if (!(error instanceof CardApiError || error instanceof TooLateError)) throw error;
      const outcome = error instanceof TooLateError ? 'not_sent' : error.outcome;
      if (outcome === 'unknown' && (await isBack(acctId, back, deps))) return;
      if (outcome !== 'unknown' && !wasSent) {
        await latestChanges.notMade(acctId, expects, { id });
        await progress.write(progressId, { state: 'asked' });
      }
      throw error;
    }
  };
}

/** The write of a temporary change got no answer yet, or is being verified. */
export async function mayStillCome(
  id: string,
  { progress, now }: { readonly progress: Pick<ActionTools['progress'], 'read'>; readonly now: () => Date },
): Promise<boolean> {
  const written = await progress.read(id);
  const isVerified = reported(written)?.state !== 'sent' || reported(written)?.result.state !== 'unknown';
  return !isVerified || mayStillBeMade(written, 'limit', now());
}

/**
 * No answer came: whether the earlier rules are in effect. A retry would take a change that someone makes before it for a
 * reason not to restore them.
 */
async function isBack(
  acctId: number,
  back: readonly RuleChange[],
  { card }: Pick<RestoreDeps, 'card'>,
): Promise<boolean> {
  const now = await orNull(card.getSpendRules(acctId));
  return now !== null && isMade(changesFrom(now.rules, back));
}

interface LaterDeps extends Pick<ActionTools, 'now'> {
  readonly temporaryChanges: Pick<TemporaryChanges, 'all' | 'save'>;
  readonly outcomes: Pick<ActionTools['outcomes'], 'show'>;
  readonly notifyEnd: Pick<NotifyEnd, 'show'>;
}

/**
 * Limits of a temporary change go back only as far as the card service accepts beside another temporary change: a daily
 * limit not above a weekly one that is lower for now. They go back all the way when that one ends. Otherwise they would
 * keep a value that nobody set for good. Idempotent.
 *
 * @param ended with the values that the limits go back to now.
 * @param wanted the same changes with the values they should go back to.
 * @param rules as they were read before.
 * @returns what goes back later.
 */
async function restoreLater(
  ended: TemporaryChange,
  wanted: readonly RuleChange[],
  rules: SpendRules,
  deps: LaterDeps,
): Promise<RuleGoal[]> {
  const short = wanted.flatMap((change, index) => {
    const reached = ended.changes[index]?.from;
    return reached === undefined || reached === change.from ? [] : [{ ...change, to: reached }];
  });
  if (short.length === 0) return [];
  const running = (await deps.temporaryChanges.all()).filter(
    ({ id, acctId, state, isUnconfirmed }) =>
      acctId === ended.acctId && id !== ended.id && state === 'open' && isUnconfirmed !== true,
  );
  const stopping = short.map((change) => firstStopping(change, ended, running, rules));
  for (const other of running) {
    const joining = short.filter((_change, index) => stopping[index] === other);
    if (joining.length > 0) await join(joining, other, ended, deps);
  }
  return short.filter((_change, index) => stopping[index] !== undefined).map(({ rule, from }) => ({ rule, to: from }));
}

async function join(
  changes: readonly RuleChange[],
  other: TemporaryChange,
  ended: TemporaryChange,
  deps: LaterDeps,
): Promise<void> {
  const { id, alertId, by, isOverOthers } = other;
  // Whoever takes the other one back ends this reduction as well.
  const isOthers = isLooser(reversed(changes)) && !isMadeBy(ended, by.userId);
  // Its alert says what it goes back to when it was made.
  if (alertId !== null)
    await deps.outcomes.show(alertId, `joined-${id}-${ended.id}`, {
      verb: 'rebase',
      by: null,
      at: deps.now().toISOString(),
      state: 'done',
      text: `${capital(ruleStates(changes, 'from'))}: goes back together with this change.`,
    });
  const joined = { ...other, changes: [...without(other.changes, changes), ...changes] };
  await deps.temporaryChanges.save(isOthers || isOverOthers === true ? { ...joined, isOverOthers: true } : joined);
  await deps.notifyEnd.show(joined);
}

/**
 * The temporary change at whose end a limit can go back further, if they end one after another. Undefined: none of them is
 * in the way.
 *
 * @param short from the value it should go back to, to the one that it goes back to now.
 * @param running earliest end first.
 */
function firstStopping(
  short: RuleChange,
  { changes }: TemporaryChange,
  running: readonly TemporaryChange[],
  rules: SpendRules,
): TemporaryChange | undefined {
  let limits: LimitGoal[] = [...without(limitsOf(rules), changes), ...limitGoals(reversed(without(changes, [short])))];
  return running.find((other) => {
    const isInForce = (change: RuleChange): boolean =>
      limits.some(({ rule, to }) => isSameRule(rule, change.rule) && to === change.to);
    const back = limitGoals(reversed(other.changes.filter(isInForce)));
    limits = [...without(limits, back), ...back];
    return withAcceptedReturns(rules, [short], limits)[0]?.from !== short.to;
  });
}
