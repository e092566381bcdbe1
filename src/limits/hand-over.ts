import type { ActionTools } from '../actions/action-tools.ts';
import { isSameRule, ofRules, without } from '../card-api/rule.ts';
import {
  hasGoal,
  isLooser,
  type LimitGoal,
  limitGoals,
  limitsOf,
  type RuleChange,
  type RuleGoal,
  reversed,
  ruleValue,
} from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { capital } from '../core/first-letter.ts';
import { deviatingReturns, withAcceptedReturns } from './contradiction.ts';
import type { NotifyEnd } from './notify-end.ts';
import { setBelow, setTemporarily } from './rule-future.ts';
import { ruleStates } from './rule-words.ts';
import { isMadeBy, isUndecided, undecided } from './temporary-change.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

export interface HandOverDeps extends Pick<ActionTools, 'now'> {
  readonly temporaryChanges: Pick<TemporaryChanges, 'all' | 'save'>;
  readonly outcomes: Pick<ActionTools['outcomes'], 'show'>;
  readonly notifyEnd: Pick<NotifyEnd, 'notify' | 'show'>;
}

/**
 * A temporary change ends while another one is on top of it. The other one then goes back to the value before both.
 * Otherwise the value of the one that ends would return permanently.
 *
 * @param rules as they are now.
 */
export function createHandOver(deps: HandOverDeps) {
  return async function handOver({ id, acctId, changes, openedAt, isFromBackup }: TemporaryChange, rules: SpendRules) {
    const ours = (change: RuleChange) =>
      changes.find(({ rule, to }) => isSameRule(rule, change.rule) && to === change.from);
    // Already handed over before a crash: it goes back to the same value as this one.
    const isHandedOver = (change: RuleChange) =>
      changes.some(({ rule, from }) => isSameRule(rule, change.rule) && from === change.from);
    const all = await deps.temporaryChanges.all();
    const set = setTemporarily(all, acctId);
    // A newer change may have set the same value again: then it is not ours.
    const isStillOurs = ({ rule, to }: RuleChange) => {
      const now = ruleValue(rules, rule);
      return to !== now && setBelow({ rule, from: now, to: now }, set)[0]?.setBy.id === id;
    };
    const taken: RuleChange[] = [];
    const rebased: TemporaryChange[] = [];
    const ends: string[] = [];
    for (const other of all) {
      // Only a later change can be on top of this one.
      if (other.id === id || other.acctId !== acctId || !isUndecided(other) || other.openedAt < openedAt) continue;
      // One that people decide about, or that may never be made, is rebased only: its own end may put nothing back.
      const onOurs = rulesMade(other, rules).filter(
        (change) =>
          !isStillOurs(change) && (ours(change) !== undefined || (other.openedAt > openedAt && isHandedOver(change))),
      );
      taken.push(...onOurs);
      if (onOurs.length === 0 && !other.changes.some((change) => ours(change) !== undefined)) continue;
      const from = (change: RuleChange): RuleChange => ({ ...change, from: (ours(change) ?? change).from });
      rebased.push({ ...other, changes: other.changes.map(from), ...(isFromBackup === true && { isFromBackup }) });
      if (onOurs.length > 0) ends.push(other.endsAt);
    }
    return {
      /** When the others end: UTC ISO 8601. */
      ends,
      /** The rules of the one that ends which go back only when the other one ends. */
      given: ofRules(changes, taken),
      /** Lets the others go back to the values before both. Called when its other rules have gone back. Idempotent. */
      async rebase() {
        for (const one of rebased)
          await (one.state === 'asking' && undecided(one).length === 0 ? endQuestion(one) : keepRebased(one, id));
      },
    };
  };

  /** The card has the values from before both, so people have nothing to decide. */
  async function endQuestion(asking: TemporaryChange): Promise<void> {
    const closedAt = deps.now().toISOString();
    await deps.notifyEnd.notify({ ...asking, state: 'ended', closedAt, closedBy: null, closingActionId: null }, null);
  }

  async function keepRebased(rebased: TemporaryChange, endedId: string): Promise<void> {
    const back = capital(ruleStates(rebased.changes, 'from'));
    const text = `${back}: the change that it was made on top of is over.`;
    await showRebased(rebased, `rebased-${rebased.id}-${endedId}`, text, deps);
    await deps.temporaryChanges.save(rebased);
    await deps.notifyEnd.show(rebased);
  }
}

/**
 * The rules that a running temporary change is known to have set: the card service has answered it, or the card shows
 * them. Otherwise it may never be made, and is then forgotten without putting anything back.
 */
function rulesMade({ state, certainty, changes }: TemporaryChange, rules: SpendRules): readonly RuleChange[] {
  if (state !== 'open') return [];
  return certainty === 'certain' ? changes : changes.filter(({ rule, to }) => ruleValue(rules, rule) === to);
}

/** Its alert says what it went back to when it was made. */
async function showRebased(
  { alertId }: TemporaryChange,
  outcomeId: string,
  text: string,
  { outcomes, now }: Pick<HandOverDeps, 'outcomes' | 'now'>,
): Promise<void> {
  const at = now().toISOString();
  if (alertId !== null) await outcomes.show(alertId, outcomeId, { verb: 'rebase', by: null, at, state: 'done', text });
}

/**
 * Limits of a temporary change go back only as far as the card service accepts beside another temporary change: a daily
 * limit not above a weekly one that is lower for now. They go back all the way when that one ends. Otherwise they would
 * keep a value that nobody set for good. Idempotent.
 *
 * @param ended with the values that the limits go back to now.
 * @param wanted the same changes with the values they should go back to.
 * @param rules as they were read before.
 * @returns what goes back later, and when that is to be: the ends of the others, UTC ISO 8601. `instead`: what does not, from
 * the values they should have gone back to, to those that they go back to.
 */
export async function restoreLater(
  ended: TemporaryChange,
  wanted: readonly RuleChange[],
  rules: SpendRules,
  deps: HandOverDeps,
): Promise<{ readonly later: RuleGoal[]; readonly ends: string[]; readonly instead: RuleChange[] }> {
  const short = deviatingReturns(wanted, ended.changes);
  if (short.length === 0) return { later: [], ends: [], instead: [] };
  const running = (await deps.temporaryChanges.all()).filter(
    (other) => other.acctId === ended.acctId && other.id !== ended.id && rulesMade(other, rules).length > 0,
  );
  const stopping = firstStopping(short, ended, running, rules);
  for (const other of running) {
    const joining = short.filter((_change, index) => stopping[index] === other);
    if (joining.length > 0) await join(joining, other, ended, deps);
  }
  return {
    later: short
      .filter((_change, index) => stopping[index] !== undefined)
      .map(({ rule, from }) => ({ rule, to: from })),
    ends: stopping.flatMap((other) => other?.endsAt ?? []),
    instead: short.filter((_change, index) => stopping[index] === undefined),
  };
}

async function join(
  changes: readonly RuleChange[],
  other: TemporaryChange,
  ended: TemporaryChange,
  deps: HandOverDeps,
): Promise<void> {
  const { id, by, isOverOthers } = other;
  // Whoever takes the other one back ends this reduction as well.
  const isOthers = isLooser(reversed(changes)) && !isMadeBy(ended, by.userId);
  const back = capital(ruleStates(changes, 'from'));
  await showRebased(other, `joined-${id}-${ended.id}`, `${back}: goes back together with this change.`, deps);
  const isDoubtful = ended.isFromBackup === true && { isFromBackup: true };
  const joined = { ...other, changes: [...without(other.changes, changes), ...changes], ...isDoubtful };
  await deps.temporaryChanges.save(isOthers || isOverOthers === true ? { ...joined, isOverOthers: true } : joined);
  await deps.notifyEnd.show(joined);
}

/**
 * The temporary change at whose end each limit can go back further, if they end one after another. Undefined: none of them
 * is in the way. The limits go back together: where one can, a shorter one can follow it.
 *
 * @param short from the values they should go back to, to those that they go back to now.
 * @param running earliest end first.
 */
function firstStopping(
  short: readonly RuleChange[],
  { changes }: TemporaryChange,
  running: readonly TemporaryChange[],
  rules: SpendRules,
): (TemporaryChange | undefined)[] {
  let limits: LimitGoal[] = [...without(limitsOf(rules), changes), ...limitGoals(reversed(without(changes, short)))];
  const accepted = running.map((other) => {
    const inForce = other.changes.filter((change) => hasGoal(limits, change));
    const back = limitGoals(reversed(inForce));
    limits = [...without(limits, back), ...back];
    return withAcceptedReturns(rules, short, limits);
  });
  return short.map(({ to }, index) => running.find((_other, at) => accepted[at]?.[index]?.from !== to));
}
