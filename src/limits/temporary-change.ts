import { without } from '../card-api/rule.ts';
import { hasGoal, isLooser, type RuleChange, reversed } from '../card-api/rule-change.ts';
import type { TemporaryChange } from './temporary-change-store.ts';

/** Its rules may still go back. */
export const isUndecided = ({ state }: TemporaryChange): boolean => state === 'open' || state === 'asking';

/** All that it takes back at its end is this person's own. */
export const isMadeBy = ({ by, isOverOthers }: TemporaryChange, userId: string): boolean =>
  by.userId === userId && isOverOthers !== true;

/** Only these rules of a temporary change. */
export function about(temporaryChange: TemporaryChange, changes: readonly RuleChange[]): TemporaryChange {
  const others = without(temporaryChange.changes, changes);
  const { meanwhile } = temporaryChange;
  return { ...temporaryChange, changes: [...changes], meanwhile: meanwhile && without(meanwhile, others) };
}

/** What people have to decide about: the rules that do not have their earlier values. All, while its time is not over. */
export function undecided({ changes, meanwhile }: Pick<TemporaryChange, 'changes' | 'meanwhile'>): RuleChange[] {
  return changes.filter(({ from }, index) => meanwhile?.[index]?.to !== from);
}

/**
 * The card still has the lower values that it set, but a backup was restored since it began. So a person may have made
 * them permanent meanwhile.
 */
export function isInDoubt(asking: Pick<TemporaryChange, 'changes' | 'meanwhile' | 'isFromBackup'>): boolean {
  const still = stillSet(asking);
  return (
    asking.isFromBackup === true &&
    undecided(asking).every((change) => still.includes(change) && isLooser(reversed([change])))
  );
}

/** What needs no decision, because it has its earlier value. */
export function backAlready(asking: Pick<TemporaryChange, 'changes' | 'meanwhile'>): RuleChange[] {
  return without(asking.changes, undecided(asking));
}

/** The rules that had their temporary value when they were last read. All, while its time is not over. */
export function stillSet({ changes, meanwhile }: Pick<TemporaryChange, 'changes' | 'meanwhile'>): RuleChange[] {
  return changes.filter(({ to }, index) => [undefined, to].includes(meanwhile?.[index]?.to));
}

/** The raises that become permanent: rules that still have their temporary value. */
export function raisesKept(asking: Pick<TemporaryChange, 'changes' | 'meanwhile'>): RuleChange[] {
  return stillSet(asking).filter((change) => isLooser([change]));
}

/** The rules of an ended change that are under another one: nothing of them has gone back yet. */
export function notBackYet({ changes, later = [] }: Pick<TemporaryChange, 'changes' | 'later'>): RuleChange[] {
  return changes.filter(({ rule, from }) => hasGoal(later, { rule, to: from }));
}

/** What the rules of an ended change were before they went back: somebody may have set another value meanwhile. */
export function wentBackFrom(ended: Pick<TemporaryChange, 'changes' | 'meanwhile' | 'later'>): RuleChange[] {
  const later = notBackYet(ended);
  return ended.changes.map((change, index) => {
    const was = later.includes(change) ? undefined : ended.meanwhile?.[index];
    return { ...change, to: (was ?? change).to };
  });
}
