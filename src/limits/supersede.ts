import { ITS_END } from '../../templates/limits/temporary-change.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { CardClient } from '../card-api/client.ts';
import { orNull } from '../card-api/errors.ts';
import { without } from '../card-api/rule.ts';
import { limitGoals, type RuleChange, type RuleGoal } from '../card-api/rule-change.ts';
import { deviatingReturns, withAcceptedReturns } from './contradiction.ts';
import type { NotifyEnd } from './notify-end.ts';
import { insteadWords, ruleNames, ruleStates } from './rule-words.ts';
import { about, undecided } from './temporary-change.ts';
import type { TemporaryChange, TemporaryChanges } from './temporary-change-store.ts';

/**
 * A later change superseded these rules, so they are not restored at the end. The other rules still are.
 *
 * @param later the later change, and the Slack user who made it.
 * @param isForGood these rules keep their current values: the others must not go back below them.
 * @returns the texts about rules that go back to more than before.
 */
export type Supersede = (
  temporaryChange: TemporaryChange,
  goals: readonly RuleGoal[],
  later: { readonly id: string; readonly by: string },
  isForGood?: boolean,
) => Promise<readonly string[]>;

interface SupersedeDeps extends Pick<ActionTools, 'now'> {
  readonly outcomes: Pick<ActionTools['outcomes'], 'show'>;
  readonly notifyEnd: Pick<NotifyEnd, 'show'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'save'>;
  readonly card: Pick<CardClient, 'getSpendRules'>;
}

export function createSupersede(deps: SupersedeDeps): Supersede {
  return async function supersede(temporaryChange, goals, later, isForGood = false) {
    if (goals.length === 0) return [];
    const { id, alertId, acctId, changes } = temporaryChange;
    const at = deps.now().toISOString();
    const left = without(changes, goals);
    const rest = about(temporaryChange, left);
    // Of a question, the rest may be back already. Then people have nothing to decide.
    const isOver = undecided(rest).length === 0;
    const lifted = isForGood && !isOver ? await raiseRestoreValues(left, goals, acctId) : left;
    const superseded: TemporaryChange = isOver
      ? { ...temporaryChange, state: 'superseded', closedAt: at, closedBy: later.by }
      : { ...rest, changes: lifted };
    // Before it is stored: a rerun after a crash finds only changes that are not superseded yet.
    if (alertId !== null)
      await deps.outcomes.show(alertId, `superseded-${id}-${later.id}`, {
        verb: 'supersede',
        by: later.by,
        at,
        state: 'done',
        text: isOver ? ITS_END : partWords(without(changes, left), lifted),
        ...(isOver && { ends: id }),
      });
    await deps.temporaryChanges.save(superseded);
    await deps.notifyEnd.show(superseded);
    return insteadWords(deviatingReturns(left, lifted));
  };

  /**
   * Some limits of a temporary change become permanent. The others must not go back to values below these, because the
   * card service would reject that at their end. They go back to the lowest accepted value instead. If the rules cannot be
   * read, the temporary change ends anyway.
   */
  async function raiseRestoreValues(
    left: readonly RuleChange[],
    kept: readonly RuleGoal[],
    acctId: number,
  ): Promise<readonly RuleChange[]> {
    const keptLimits = limitGoals(kept);
    if (keptLimits.length === 0) return left;
    const read = await orNull(deps.card.getSpendRules(acctId));
    return read === null ? left : withAcceptedReturns(read.rules, left, keptLimits);
  }
}

/** `Only the daily limit. This still goes back: weekly limit $600.00.` */
function partWords(replaced: readonly RuleChange[], left: readonly RuleChange[]): string {
  return `Only the ${ruleNames(replaced)}. This still goes back: ${ruleStates(left, 'from')}.`;
}

/** Describes which of the requested rules were temporary and are now permanent. Null: none. */
export function keptWords(temporary: readonly RuleGoal[], asked: number): string | null {
  if (temporary.length === 0) return null;
  const names = ruleNames(temporary);
  if (temporary.length > 1) return `The ${names} were temporary; now they stay until they are changed.`;
  return `${asked === 1 ? 'It' : `The ${names}`} was temporary; now it is permanent.`;
}
