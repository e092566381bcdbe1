import type { ActionTools } from '../actions/action-tools.ts';
import { isSameRule } from '../card-api/rule.ts';
import {
  isLooser,
  type LimitGoal,
  limitGoals,
  limitsOf,
  type RuleChange,
  type RuleGoal,
  reversed,
  without,
} from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { capital } from '../core/first-letter.ts';
import { withAcceptedReturns } from './contradiction.ts';
import type { NotifyEnd } from './notify-end.ts';
import { ruleStates } from './rule-words.ts';
import { isMadeBy, type TemporaryChange, type TemporaryChanges } from './temporary-change-store.ts';

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
export type RestoreLater = (
  ended: TemporaryChange,
  wanted: readonly RuleChange[],
  rules: SpendRules,
) => Promise<readonly RuleGoal[]>;

interface Deps extends Pick<ActionTools, 'now'> {
  readonly temporaryChanges: Pick<TemporaryChanges, 'all' | 'save'>;
  readonly outcomes: Pick<ActionTools['outcomes'], 'show'>;
  readonly notifyEnd: Pick<NotifyEnd, 'show'>;
}

export function createRestoreLater(deps: Deps): RestoreLater {
  return async function restoreLater(ended, wanted, rules) {
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
      if (joining.length > 0) await join(joining, other, ended);
    }
    return short
      .filter((_change, index) => stopping[index] !== undefined)
      .map(({ rule, from }) => ({ rule, to: from }));
  };

  async function join(changes: readonly RuleChange[], other: TemporaryChange, ended: TemporaryChange): Promise<void> {
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
