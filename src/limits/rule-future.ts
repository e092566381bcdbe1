import { z } from 'zod';
import { isSameRule, Rule, RuleValue } from '../card-api/rule.ts';
import { centsOf, isLooser, type RuleChange, type RuleGoal, raiseCents, reversed } from '../card-api/rule-change.ts';
import { isUndecided, stillSet } from './temporary-change.ts';
import type { TemporaryChange } from './temporary-change-store.ts';

/** A rule that has another value for the moment. */
export const TemporaryValue = z.strictObject({
  rule: Rule,
  /** Its current value, and the one that it goes back to. */
  now: RuleValue,
  back: RuleValue,
  /** UTC ISO 8601. Null: an approver has to decide whether it goes back. */
  until: z.string().nullable(),
});
export type TemporaryValue = z.infer<typeof TemporaryValue>;

/** A rule as an undecided temporary change has set it. */
interface SetTemporarily extends RuleChange {
  readonly setBy: TemporaryChange;
}

/**
 * What undecided temporary changes have set of an account's rules, oldest first. What somebody has changed since, as was seen
 * at the end of one, only an approver puts back: it is not from this change any more, even if it has the same value again.
 */
export function setTemporarily(all: readonly TemporaryChange[], acctId: number): SetTemporarily[] {
  return all
    .filter((open) => open.acctId === acctId && isUndecided(open))
    .toSorted((a, b) => a.openedAt.localeCompare(b.openedAt))
    .flatMap((setBy) => stillSet(setBy).map((change) => ({ ...change, setBy })));
}

/**
 * Each temporary change that the current value of a rule rests on, newest first: the last one has the value that the rule
 * goes back to. If someone has changed the rule since, the earlier values are irrelevant.
 */
export function setBelow({ rule, from }: RuleChange, set: readonly SetTemporarily[]): SetTemporarily[] {
  const last = set.findLast((one) => isSameRule(one.rule, rule) && one.to === from);
  if (last === undefined) return [];
  // A newer one may have set the value again that it goes back to.
  const others = set.filter((one) => one !== last && one.setBy.openedAt <= last.setBy.openedAt);
  return [last, ...setBelow(last, others)];
}

/** Since when temporary changes have loosened rules, one after another. Undefined: their values rest on none that did. */
export function loosenedSince(changes: readonly RuleChange[], set: readonly SetTemporarily[]): string | undefined {
  return changes
    .flatMap((change) => setBelow(change, set))
    .filter((below) => isLooser([below]))
    .map(({ setBy }) => setBy.loosenedSince ?? setBy.openedAt)
    .toSorted()[0];
}

/**
 * What a change takes the place of: the newest temporary change that set a rule, and what is below it down to one that set
 * the new value already. All of them end no later, and by themselves.
 */
export function endingBefore(
  endsAt: string,
  change: RuleChange,
  set: readonly SetTemporarily[],
): readonly TemporaryChange[] {
  const below = setBelow(change, set);
  const longer = below.findIndex((one) => one.setBy.endsAt > endsAt || mayBePermanent(one, one.setBy));
  const ending = longer === -1 ? below : below.slice(0, longer);
  const isSet = ending.findLastIndex(({ to }) => to === change.to);
  return ending.slice(0, Math.max(1, isSet + 1)).map(({ setBy }) => setBy);
}

/** A reduction that a person may have made permanent since a backup was taken: people decide at its end. */
export function mayBePermanent(change: RuleChange, { isFromBackup }: Pick<TemporaryChange, 'isFromBackup'>): boolean {
  return isFromBackup === true && isLooser(reversed([change]));
}

/**
 * How long these values of rules last: until the first end of a temporary change that has set one of them. Undefined: until
 * somebody changes them.
 */
export function firstEnd(goals: readonly RuleGoal[], set: readonly SetTemporarily[]): string | undefined {
  const running = set.filter(({ setBy }) => setBy.state === 'open');
  return goals
    .flatMap(({ rule, to }) => setBelow({ rule, from: to, to }, running)[0]?.setBy.endsAt ?? [])
    .toSorted()[0];
}

/**
 * A running temporary change with the values that its rules go back to at its end: what is below and ends before is over by
 * then. If it is taken back now, they go back to the values that are stored.
 */
export function withBackAtEnd(one: TemporaryChange, all: readonly TemporaryChange[]): TemporaryChange {
  // Its purchase may be made at once.
  if (one.state !== 'open' || one.term.kind === 'purchase') return one;
  const older = all.filter(({ id, openedAt }) => id !== one.id && openedAt <= one.openedAt);
  const set = setTemporarily(older, one.acctId);
  const atEnd = ({ rule, from }: RuleChange): RuleValue => {
    const below = setBelow({ rule, from, to: from }, set);
    return valueAt(Date.parse(one.endsAt), below, afterAll(below, from), surelyOver);
  };
  return { ...one, changes: one.changes.map((change) => ({ ...change, from: atEnd(change) })) };
}

/** A rule that has another value for the moment. Null: its value is not temporary. */
export function temporaryValue(change: RuleChange, set: readonly SetTemporarily[]): TemporaryValue | null {
  const below = setBelow(change, set);
  const back = afterAll(below, change.from);
  if (back === change.from) return null;
  const until = below.every(({ setBy }) => setBy.state === 'open')
    ? below.reduce((last, { setBy: { endsAt } }) => (endsAt > last ? endsAt : last), '')
    : null;
  return { rule: change.rule, now: change.from, back, until };
}

/** The lowest value that a rule would have at any time before `endMs`, if it were not changed now. */
export function lowestBefore(change: RuleChange, set: readonly SetTemporarily[], endMs: number): RuleValue {
  const below = setBelow(change, set);
  const atLast = afterAll(below, change.from);
  const values = below
    .map(earliestEnd)
    .filter((at) => at < endMs)
    .map((at) => valueAt(at, below, atLast, earliestEnd));
  return values.reduce((lowest, value) => (isLooserValue(change, value, lowest) ? value : lowest), change.from);
}

/**
 * Someone asks for the present value of a rule, with an end: the temporary change that set the value ends then. What the rule
 * would allow sooner, and that temporary change. Null: that loosens nothing, because it was no reduction, or would end no
 * later anyway.
 *
 * @param fromMs when the change may end at the earliest.
 */
export function loosenedByEarlierEnd(change: RuleChange, set: readonly SetTemporarily[], fromMs: number) {
  const [top, ...rest] = setBelow(change, set);
  if (top === undefined) return null;
  const atLast = (rest.at(-1) ?? top).from;
  const values = [fromMs, ...rest.map(latestEnd)]
    .filter((at) => at >= fromMs && at < latestEnd(top))
    .map((at) => valueAt(at, rest, atLast, latestEnd));
  const highest = values.reduce((most, value) => (isLooserValue(change, most, value) ? value : most), change.from);
  return highest === change.from ? null : { ...change, to: highest, reduction: top.setBy };
}

/**
 * The largest raise at any time from now on if a temporary change of a rule ended now. Null: there is none.
 *
 * @param set includes that change.
 */
export function raiseWithout(
  { rule, to }: RuleChange,
  ended: TemporaryChange,
  set: readonly SetTemporarily[],
  nowMs: number,
): RuleChange | null {
  const below = setBelow({ rule, from: to, to }, set);
  const left = below.filter(({ setBy }) => setBy.id !== ended.id);
  const atLast = afterAll(below, to);
  const moments = [nowMs, ...below.map(latestEnd)].filter((at) => at >= nowMs);
  const raises = moments
    .map((at) => ({
      rule,
      from: valueAt(at, below, atLast, latestEnd),
      to: valueAt(at, left, atLast, latestEnd),
    }))
    .filter((raise) => isLooser([raise]));
  return raises.toSorted((a, b) => centsOfRaise(b) - centsOfRaise(a))[0] ?? null;
}

/** The highest value that a rule would have at any time from now on, if what a temporary change set were put back. */
export function highestBack(
  { rule, from }: RuleChange,
  ended: TemporaryChange,
  set: readonly SetTemporarily[],
): RuleValue {
  const others = set.filter(({ setBy }) => setBy.id !== ended.id);
  // It may be the value of another temporary change, which then ends.
  return setBelow({ rule, from, to: from }, others).reduce<RuleValue>(
    (highest, below) => (isLooser([{ rule, from: highest, to: below.from }]) ? below.from : highest),
    from,
  );
}

/** The value of a rule while these temporary changes end one after another. @param atLast after all of them. */
function valueAt(
  atMs: number,
  below: readonly SetTemporarily[],
  atLast: RuleValue,
  endOf: (one: SetTemporarily) => number,
): RuleValue {
  const running = below.find((one) => endOf(one) > atMs);
  return running === undefined ? atLast : running.to;
}

/** Null is a value: no limit. */
function afterAll(below: readonly SetTemporarily[], otherwise: RuleValue): RuleValue {
  const last = below.at(-1);
  return last === undefined ? otherwise : last.from;
}

const latestEnd = ({ setBy }: SetTemporarily): number => Date.parse(setBy.endsAt);

/** What people decide about may stay. */
function surelyOver(one: SetTemporarily): number {
  return one.setBy.state === 'asking' || mayBePermanent(one, one.setBy) ? Number.POSITIVE_INFINITY : latestEnd(one);
}

/** A purchase may be made at any time, and an approver may decide at any time. */
function earliestEnd({ setBy }: SetTemporarily): number {
  return setBy.term.kind === 'purchase' || setBy.state === 'asking' ? 0 : Date.parse(setBy.endsAt);
}

const centsOfRaise = ({ from, to }: RuleChange): number => raiseCents(centsOf(from), centsOf(to));

function isLooserValue({ rule }: RuleChange, from: RuleValue, to: RuleValue): boolean {
  return isLooser([{ rule, from, to }]);
}
