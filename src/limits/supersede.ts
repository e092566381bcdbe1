import type { ActionDeps } from '../actions/deps.ts';
import { CardApiError } from '../core/errors.ts';
import { inOrder } from './limit-change.ts';
import { batch, plannedOf, type RuleOfOne, type Single, singlesOf, targetOf } from './rule-change.ts';
import { ruleName, stateWords } from './rule-words.ts';
import type { TemporaryChange } from './temporary-change-store.ts';

/**
 * A later change took the place of these rules: they are not put back when the time is over. The others still are.
 *
 * @param isForGood these rules stay as they are now: the others go back to no less than these allow.
 * @returns what to say of those that go back to more than they were.
 */
export async function supersede(
  temporaryChange: TemporaryChange,
  rules: readonly RuleOfOne[],
  deps: ActionDeps,
  isForGood = false,
): Promise<readonly string[]> {
  if (rules.length === 0) return [];
  const targets = rules.map(targetOf);
  const others = singlesOf(temporaryChange.change, temporaryChange.before).filter(
    ({ change }) => !targets.includes(targetOf(change)),
  );
  const { backs, notes } =
    isForGood && others.length > 0
      ? await liftBack(others, rules, temporaryChange.acctId, deps)
      : { backs: others, notes: [] };
  const left = batch(backs);
  const over = { ...temporaryChange, state: 'replaced', closedAt: deps.now().toISOString() } as const;
  await deps.temporaryChanges.save(
    left === null ? over : { ...temporaryChange, change: left.change, before: left.value },
  );
  await deps.updateTemporaryChange(temporaryChange.id);
  return notes;
}

/** Several rules of a temporary change that go back, and what to say of those that go back to more than before. */
interface Lifted {
  readonly backs: readonly Single[];
  /** Whole sentences; empty when all go back to what they were. */
  readonly notes: readonly string[];
}

/**
 * Some limits of a temporary change stay for good: the others must not go back to less than these, which the card
 * service would refuse when their time is over. Then they go back to the least that it takes.
 *
 * @param backs what goes back, each with what it goes back to.
 * @param kept what stays.
 */
async function liftBack(
  backs: readonly Single[],
  kept: readonly RuleOfOne[],
  acctId: number,
  deps: ActionDeps,
): Promise<Lifted> {
  if (!kept.some(({ kind }) => kind === 'limit')) return { backs, notes: [] };
  const rules = await readRules(acctId, deps);
  if (rules === null) return { backs, notes: [] };
  const goals = backs.map(({ change, value }) =>
    change.kind === 'limit' && typeof value === 'number' ? { ...change, limitCents: value } : change,
  );
  const planned = [...goals.filter((_goal, index) => typeof backs[index]?.value === 'number'), ...kept];
  const ordered = inOrder(rules, planned.flatMap(plannedOf));
  const lifted = backs.map((back): Single => {
    const [place] = plannedOf(back.change);
    const goal = ordered.find(({ period, category }) => period === place?.period && category === place.category);
    const isHigher = typeof back.value === 'number' && (goal?.limitCents ?? 0) > back.value;
    return isHigher ? { change: back.change, value: goal?.limitCents ?? null } : back;
  });
  const notes = lifted.flatMap(({ change, value }, index) => {
    const was = backs[index]?.value ?? null;
    const words = `goes back to ${stateWords(change, value)}, not to ${stateWords(change, was)}`;
    return value === was ? [] : [`The ${ruleName(change)} ${words}: that would be below what stays.`];
  });
  return { backs: lifted, notes };
}

/** What was temporary and now stays, of the rules that were asked for. Null: nothing was. */
export function keptWords(temporary: readonly RuleOfOne[], asked: number): string | null {
  const change = batch(temporary.map((one) => ({ change: one, value: null })))?.change;
  if (change === undefined) return null;
  if (temporary.length > 1) return `The ${ruleName(change)} were temporary; now they stay until they are changed.`;
  const what = asked === 1 ? 'It' : `The ${ruleName(change)}`;
  return `${what} was temporary; now it stays until it is changed.`;
}

/** Null where they cannot be read: what was temporary ends all the same. */
async function readRules(acctId: number, { card, log }: ActionDeps) {
  try {
    return (await card.getSpendRules(acctId)).rules;
  } catch (error) {
    if (!(error instanceof CardApiError)) throw error;
    log.warn({ err: error }, 'what a temporary change goes back to could not be compared with what stays');
    return null;
  }
}
