import type { ActionTools } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { isSameRule } from '../card-api/rule.ts';
import { isLooser, limitGoals, type RuleChange, type RuleGoal, without } from '../card-api/rule-change.ts';
import type { SpendRules } from '../card-api/spend-rules.ts';
import { CardApiError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import { withAcceptedReturns } from './contradiction.ts';
import { ruleName, ruleNames, stateWords } from './rule-words.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

/**
 * A later change superseded these rules, so they are not restored at the end. The other rules still are.
 *
 * @param isForGood these rules keep their current values: the others must not go back below them.
 * @returns the texts about rules that go back to more than before.
 */
export type Supersede = (
  temporaryChange: TemporaryChange,
  goals: readonly RuleGoal[],
  isForGood?: boolean,
) => Promise<readonly string[]>;

interface SupersedeDeps extends Pick<ActionTools, 'updateTemporaryChange' | 'now'> {
  readonly temporaryChanges: Pick<TemporaryChanges, 'save'>;
  readonly card: Pick<CardClient, 'getSpendRules'>;
  readonly log: Log;
}

/** See {@link Supersede}. */
export function createSupersede(deps: SupersedeDeps): Supersede {
  return async function supersede(temporaryChange, goals, isForGood = false) {
    if (goals.length === 0) return [];
    const { meanwhile } = temporaryChange;
    const left = without(temporaryChange.changes, goals);
    const lifted = isForGood && left.length > 0 ? await raiseRestoreValues(left, goals, temporaryChange.acctId) : left;
    await deps.temporaryChanges.save(
      left.length === 0
        ? { ...temporaryChange, state: 'superseded', closedAt: deps.now().toISOString() }
        : { ...temporaryChange, changes: lifted, meanwhile: meanwhile && without(meanwhile, goals) },
    );
    await deps.updateTemporaryChange(temporaryChange.id);
    return otherwiseWords(left, lifted);
  };

  /**
   * Some limits of a temporary change become permanent. The others must not go back to values below these, because the
   * card service would reject that at their end. They go back to the lowest accepted value instead.
   */
  async function raiseRestoreValues(
    left: readonly RuleChange[],
    kept: readonly RuleGoal[],
    acctId: number,
  ): Promise<readonly RuleChange[]> {
    const keptLimits = limitGoals(kept);
    if (keptLimits.length === 0) return left;
    const rules = await readRules(acctId);
    if (rules === null) return left;
    return withAcceptedReturns(rules, left, keptLimits);
  }

  /** Null if they cannot be read. The temporary change ends anyway. */
  async function readRules(acctId: number): Promise<SpendRules | null> {
    try {
      return (await deps.card.getSpendRules(acctId)).rules;
    } catch (error) {
      if (!(error instanceof CardApiError)) throw error;
      deps.log.warn({ err: error }, 'could not read the rules to check what a temporary change goes back to');
      return null;
    }
  }
}

/** What goes back to another value than before, because the card service would not accept that. */
export function otherwiseWords(before: readonly RuleChange[], accepted: readonly RuleChange[]): string[] {
  return accepted.flatMap(({ rule, from }, index) => {
    const was = before[index]?.from ?? null;
    if (from === was) return [];
    const side = isLooser([{ rule, from: was, to: from }]) ? 'below' : 'above';
    const words = `goes back to ${stateWords([{ rule, from }], 'from')}, not to ${stateWords([{ rule, from: was }], 'from')}`;
    return [`The ${ruleName(rule)} ${words}: that would be ${side} what stays.`];
  });
}

/**
 * A temporary change ends while a shorter one is on top of it. The shorter one then goes back to the value before both.
 * Otherwise the longer one's value would return permanently.
 *
 * @returns the rest, to be restored now; null: nothing.
 */
export type HandOver = (temporaryChange: TemporaryChange) => Promise<TemporaryChange | null>;

export function createHandOver(
  deps: Pick<SupersedeDeps, 'updateTemporaryChange'> & {
    readonly temporaryChanges: Pick<TemporaryChanges, 'all' | 'save' | 'get'>;
    readonly supersede: Supersede;
  },
): HandOver {
  return async function handOver(temporaryChange) {
    const { id, acctId, changes } = temporaryChange;
    const ours = (change: RuleChange) =>
      changes.find(({ rule, to }) => isSameRule(rule, change.rule) && to === change.from);
    // Already handed over before a crash: it goes back to the same value as this one.
    const isHandedOver = (change: RuleChange, { openedAt }: TemporaryChange): boolean =>
      openedAt > temporaryChange.openedAt &&
      changes.some(({ rule, from }) => isSameRule(rule, change.rule) && from === change.from);
    const given: RuleChange[] = [];
    for (const other of await deps.temporaryChanges.all()) {
      const onOurs = other.changes.filter((change) => ours(change) !== undefined || isHandedOver(change, other));
      // Only a later change can be on top of this one.
      const isOnTop = other.acctId === acctId && other.state === 'open' && other.openedAt >= temporaryChange.openedAt;
      if (other.id === id || !isOnTop || onOurs.length === 0) continue;
      const from = (change: RuleChange): RuleChange => ({ ...change, from: (ours(change) ?? change).from });
      await deps.temporaryChanges.save({ ...other, changes: other.changes.map(from) });
      await deps.updateTemporaryChange(other.id);
      given.push(...onOurs);
    }
    await deps.supersede(temporaryChange, given);
    const left = given.length === 0 ? temporaryChange : await deps.temporaryChanges.get(id);
    return left?.state === 'superseded' ? null : left;
  };
}

/** Describes which of the requested rules were temporary and are now permanent. Null: none. */
export function keptWords(temporary: readonly RuleGoal[], asked: number): string | null {
  if (temporary.length === 0) return null;
  const names = ruleNames(temporary);
  if (temporary.length > 1) return `The ${names} were temporary; now they stay until they are changed.`;
  return `${asked === 1 ? 'It' : `The ${names}`} was temporary; now it is permanent.`;
}
