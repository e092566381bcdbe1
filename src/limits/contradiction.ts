import { isSameRule, type LimitRule, limitPeriods, ofRule } from '../card-api/rule.ts';
import { type LimitGoal, limitGoals, limitOf, limitRule, type RuleChange, reversed } from '../card-api/rule-change.ts';
import type { CardLimits } from '../card-api/spend-rules.ts';
import { capital } from '../core/first-letter.ts';
import { formatCents } from '../core/money.ts';

/**
 * Explains why the card service would reject limits that are changed together: a shorter window above a longer one, or
 * a category above the card's overall limit. In one sentence, with what to do instead. Null when there is no contradiction.
 *
 * Reports only contradictions that the changes cause, not existing ones.
 */
export function contradiction(current: CardLimits, goals: readonly LimitGoal[]) {
  for (const goal of goals) {
    const { rule, to } = goal;
    if (to === null) continue;
    const wrong = neighborsOf(current, rule).find(({ rule: neighbor, isAbove, apartCents }) => {
      const cents = plannedOf(current, goals, neighbor);
      if (cents === null) return false;
      return isAbove ? to + apartCents > cents : to < cents + apartCents;
    });
    if (wrong !== undefined) return { goal, why: sentence(current, goals, { rule, to }, wrong) };
  }
  return null;
}

/**
 * The same goals, plus every limit that would end up below another. Each is raised only as far as necessary. Limits
 * that nobody asked to change come last.
 */
export function withRaisedAlong(current: CardLimits, goals: readonly LimitGoal[]): LimitGoal[] {
  const all = [...goals];
  const risen = [...goals];
  for (const { rule, to } of risen) {
    if (to === null) continue;
    for (const { rule: neighbor, isAbove, apartCents } of neighborsOf(current, rule)) {
      const cents = plannedOf(current, all, neighbor);
      const least = to + apartCents;
      if (!isAbove || cents === null || cents >= least) continue;
      const raised = { rule: neighbor, to: least };
      const index = all.findIndex((goal) => isSameRule(goal.rule, neighbor));
      all.splice(index === -1 ? all.length : index, 1, raised);
      // The raised limit may now be above yet another: a category's day, the card's day, the card's week.
      risen.push(raised);
    }
  }
  return all;
}

/**
 * The same changes, going back only to what the card service accepts beside the other limits, which go back as well or
 * have their planned or else their current values: not above a longer window or the card's overall limit, and not below a
 * shorter window or a category. A limit that was none goes back to none.
 *
 * Of two that go back together and do not fit, the shorter window or the category goes back to less: their values may come
 * from different times, and nothing tells which was set last. One that stays keeps its value: a longer one then goes back to
 * more.
 */
export function withAcceptedReturns(
  current: CardLimits,
  changes: readonly RuleChange[],
  planned: readonly LimitGoal[],
): RuleChange[] {
  const backs = limitGoals(reversed(changes));
  // What is above may go back only to less than it should, too. No limit is below $0, also not under one of $0.
  const acceptedTo = ({ rule, to }: LimitGoal): number | null =>
    to === null ? null : Math.max(0, Math.min(to, most(rule)));
  const most = (rule: LimitRule): number =>
    Math.min(
      ...neighborsOf(current, rule).map((neighbor) => {
        if (!neighbor.isAbove) return Infinity;
        const back = ofRule(backs, neighbor.rule);
        const cents = back === undefined ? plannedOf(current, planned, neighbor.rule) : acceptedTo(back);
        return cents === null ? Infinity : cents - neighbor.apartCents;
      }),
    );
  const lowered = backs.map((back) => ({ ...back, to: acceptedTo(back) }));
  const goals = withRaisedAlong(current, [...lowered, ...planned]);
  return changes.map((change) => {
    if (typeof change.from !== 'number') return change;
    return { ...change, from: ofRule(goals, change.rule)?.to ?? change.from };
  });
}

/**
 * The changes that go back to another value than they should: from that one, to the one that is accepted.
 *
 * @param accepted the same changes, from {@link withAcceptedReturns}.
 */
export function deviatingReturns(wanted: readonly RuleChange[], accepted: readonly RuleChange[]): RuleChange[] {
  return wanted.flatMap((change, index) => {
    const reached = accepted[index]?.from;
    return reached === undefined || reached === change.from ? [] : [{ ...change, to: reached }];
  });
}

/** What a limit will be: the planned value, or else the current one. */
function plannedOf(current: CardLimits, goals: readonly LimitGoal[], rule: LimitRule): number | null {
  const goal = ofRule(goals, rule);
  return goal === undefined ? limitOf(current, rule) : goal.to;
}

interface Neighbor {
  readonly rule: LimitRule;
  /** True: the neighbor must not be lower. False: it must not be higher. */
  readonly isAbove: boolean;
  /** By how much. */
  readonly apartCents: number;
}

/**
 * The limits that the service compares a limit with: its shorter and longer windows, and the same window of the card or
 * of its categories. A limit for a single purchase is not compared.
 */
function neighborsOf({ categories, apartCents = 0 }: CardLimits, { period, category }: LimitRule): Neighbor[] {
  if (period === 'transaction') return [];
  const index = limitPeriods.indexOf(period);
  const windows = limitPeriods.flatMap((window, at) =>
    at === index ? [] : [{ rule: limitRule(window, category), isAbove: at > index, apartCents }],
  );
  const across =
    category === null
      ? categories.map(({ id, name }) => ({ rule: limitRule(period, { id, name }), isAbove: false, apartCents: 0 }))
      : [{ rule: limitRule(period, null), isAbove: true, apartCents: 0 }];
  return [...windows, ...across];
}

function sentence(
  current: CardLimits,
  goals: readonly LimitGoal[],
  { rule, to }: { readonly rule: LimitRule; readonly to: number },
  { rule: neighbor, isAbove }: Neighbor,
): string {
  const nameOf = ({ period, category }: LimitRule): string =>
    category === null ? `the ${period} limit` : `the ${period} limit for ${category.name}`;
  const isOverall = neighbor.category === null && rule.category !== null;
  const what = isOverall ? `the card's overall ${neighbor.period} limit` : nameOf(neighbor);
  const cents = plannedOf(current, goals, neighbor) ?? 0;
  const isBeyond = isAbove ? to > cents : to < cents;
  const where = !isBeyond ? 'too close to' : isAbove ? 'above' : 'below';
  const planned = `${capital(nameOf(rule))} of ${formatCents(to)} would be`;
  const isChangedToo = ofRule(goals, neighbor) !== undefined;
  const isSameCategory = neighbor.category?.id === rule.category?.id;
  const first = `${isAbove ? 'Raise' : 'Lower'} ${isOverall ? 'the overall limit' : isSameCategory ? what : 'that one'} first.`;
  return `${planned} ${where} ${what}, ${formatCents(cents)}. ${isChangedToo ? 'Change one of the two.' : first}`;
}
