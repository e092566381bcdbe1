import type { LimitWindow, Rule, RuleValue } from '../card-api/rule.ts';
import { isAboutLimits, isLooser, isMade, type RuleChange, type RuleGoal } from '../card-api/rule-change.ts';
import { slashCommand } from '../core/installation.ts';
import { joinWithAnd } from '../core/join-with-and.ts';
import { formatCents } from '../core/money.ts';
import { backAlready } from './temporary-change.ts';
import type { TemporaryChange } from './temporary-change-store.ts';

/** Separates the rules of one change. No rule contains it. */
export const BETWEEN_RULES = '; ';

/** Rules with their values on one side of a change: before it (`from`) or after it (`to`). */
type Sided<Side extends 'from' | 'to'> = readonly (Pick<RuleGoal, 'rule'> & Readonly<Record<Side, RuleValue>>)[];

/** `daily limit`, `limit for a single purchase at Restaurants`. Raw. */
export function limitName(period: LimitWindow, category: string | null): string {
  const [what, where] = period === 'transaction' ? ['limit for a single purchase', 'at'] : [`${period} limit`, 'for'];
  return category === null ? what : `${what} ${where} ${category}`;
}

/** Where people set a limit to any value: the command changes only the card's own. */
export function whereToSet(rule: Rule): string {
  return rule.kind === 'limit' && rule.category === null ? slashCommand('limit') : 'the card program’s portal';
}

/** `daily limit`, `daily limit for Restaurants and weekly limit`, `purchases at Hardware Stores`: a noun. Raw. */
export function ruleNames(changes: readonly Pick<RuleGoal, 'rule'>[]): string {
  return joinWithAnd(changes.map(({ rule }) => ruleName(rule)));
}

/** The purchase that ends a change: `this purchase`, `the next such purchase`, `the next purchase of up to $300.00`. */
export function purchaseWords({ changes, purchase }: Pick<TemporaryChange, 'changes' | 'purchase'>): string {
  const ofLimits = isAboutLimits(changes);
  if (purchase?.declinedAt !== null) return ofLimits ? 'this purchase' : 'the next such purchase';
  const isBounded = ofLimits && purchase.maxCents < Number.MAX_SAFE_INTEGER;
  return `the next purchase${isBounded ? ` of up to ${formatCents(purchase.maxCents)}` : ''}`;
}

/** What a temporary change goes back to, and how it ends: a time follows. Raw. */
export function backOf(change: Pick<TemporaryChange, 'changes' | 'purchase' | 'term'>): { to: string; when: string } {
  const when = change.term.kind === 'purchase' ? `after ${purchaseWords(change)}, at the latest` : 'automatically';
  return { to: stateWords(change.changes, 'from'), when };
}

export function ruleName(rule: Rule): string {
  switch (rule.kind) {
    case 'limit':
      return limitName(rule.period, rule.category === null ? null : withoutSemicolon(rule.category.name));
    case 'category':
      return `purchases at ${withoutSemicolon(rule.category.name)}`;
    case 'international':
      return 'purchases abroad';
    case 'card_not_present':
      return 'online purchases';
  }
}

/** A category's name that does not look like the end of a rule. */
function withoutSemicolon(name: string): string {
  return name.replaceAll(';', ',');
}

/** The value of a rule that has been named already: `$400.00`, `no limit`, `allowed`, `not allowed`. */
export function valueWord(value: RuleValue): string {
  if (typeof value === 'boolean') return value ? 'allowed' : 'not allowed';
  return value === null ? 'no limit' : formatCents(value);
}

/** `daily limit $400.00`, `no weekly limit`, `purchases abroad allowed`. */
function ruleState(rule: Rule, value: RuleValue): string {
  return value === null ? `no ${ruleName(rule)}` : `${ruleName(rule)} ${valueWord(value)}`;
}

/** `daily limit $400.00`, `daily limit $400.00; no weekly limit`, `purchases abroad allowed`. Raw. */
export function ruleStates<Side extends 'from' | 'to'>(changes: Sided<Side>, side: Side): string {
  return changes.map((change) => ruleState(change.rule, change[side])).join(BETWEEN_RULES);
}

/**
 * Before and after: `daily limit $400.00 → $450.00; no weekly limit → $650.00`. What is to stay has one value: `daily
 * limit $450.00`. Raw.
 */
export function ruleMoves(changes: readonly RuleChange[]): string {
  return changes
    .map(({ rule, from, to }) => `${ruleState(rule, from)}${from === to ? '' : ` → ${valueWord(to)}`}`)
    .join(BETWEEN_RULES);
}

/** The same after a single rule has been named: `$400.00 → $450.00`, `no limit → $450.00`. Raw. */
export function moveWords(changes: readonly RuleChange[]): string {
  const [only] = changes;
  if (only === undefined || changes.length > 1) return ruleMoves(changes);
  return `${isMade(changes) ? '' : `${valueWord(only.from)} → `}${valueWord(only.to)}`;
}

/**
 * The values of rules, as nouns: `back to …`. A single rule has been named already: `$400.00`, `no limit`, `“allowed”`.
 * Several are named here: `daily limit $400.00 and weekly limit $600.00`. Raw.
 */
export function stateWords<Side extends 'from' | 'to'>(changes: Sided<Side>, side: Side): string {
  const [first] = changes;
  if (changes.length === 1 && first !== undefined) {
    const value = valueWord(first[side]);
    return typeof first[side] === 'boolean' ? `“${value}”` : value;
  }
  return joinWithAnd(changes.map((change) => ruleState(change.rule, change[side])));
}

/** `Back already: weekly limit $600.00.` Raw. Empty: nothing. */
export function backAlreadyWords(asking: TemporaryChange): string {
  const back = backAlready(asking);
  return back.length === 0 ? '' : `Back already: ${ruleStates(back, 'from')}.`;
}

/** The end of what goes back with another temporary change. */
export const WITH_OTHER = 'when the other temporary change ends';

/** What goes back all the way when another temporary change ends: `daily limit $500.00 when …`. Raw. */
export function laterWords(later: readonly RuleGoal[]): string {
  return `${ruleStates(later, 'to')} ${WITH_OTHER}.`;
}

/**
 * What goes back to another value than it should, because the card service would not accept that. A sentence each. Raw.
 *
 * @param instead from the values they should go back to, to those that they go back to.
 */
export function insteadWords(instead: readonly RuleChange[]): string[] {
  return instead.map((change) => {
    const side = isLooser([change]) ? 'below' : 'above';
    const [now, wanted] = [stateWords([change], 'to'), stateWords([change], 'from')];
    return `The ${ruleName(change.rule)} goes back to ${now}, not to ${wanted}: that would be ${side} what stays.`;
  });
}
