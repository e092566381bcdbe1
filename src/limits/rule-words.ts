import type { LimitWindow } from '../alerts/alert.ts';
import { formatCents } from '../core/money.ts';
import {
  type RuleChange,
  type RuleOfOne,
  type RuleValue,
  singlesOf,
  type ValueOfOne,
  wantedOf,
} from './rule-change.ts';

/** Stands between the rules of one change, and in none of them. */
export const BETWEEN_RULES = '; ';

const list = new Intl.ListFormat('en-US');

/** `daily limit`, `limit for a single purchase at Restaurants`. Raw. */
export function limitName(period: LimitWindow, category: string | null): string {
  const [what, where] = period === 'transaction' ? ['limit for a single purchase', 'at'] : [`${period} limit`, 'for'];
  return category === null ? what : `${what} ${where} ${category}`;
}

/** A name that does not look like the end of a rule. */
function asOne(name: string): string {
  return name.replaceAll(';', ',');
}

/** `daily limit`, `daily limit for Restaurants and weekly limit`, `purchases at Hardware Stores`: a noun. Raw. */
export function ruleName(change: RuleChange): string {
  return list.format(singlesOf(change, null).map((one) => nameOfOne(one.change)));
}

function nameOfOne(change: RuleOfOne): string {
  switch (change.kind) {
    case 'limit':
      return limitName(change.period, change.category === null ? null : asOne(change.category.name));
    case 'category':
      return `purchases at ${asOne(change.category.name)}`;
    case 'international':
      return 'purchases abroad';
    case 'card_not_present':
      return 'online purchases';
  }
}

/** `$400.00`, `none`, `allowed`, `not allowed`. */
function valueWord(value: ValueOfOne): string {
  if (typeof value === 'boolean') return value ? 'allowed' : 'not allowed';
  return value === null ? 'none' : formatCents(value);
}

/** `daily limit $400.00`, `daily limit $400.00; weekly limit none`, `purchases abroad allowed`: the rules and what they are. Raw. */
export function ruleState(change: RuleChange, value: RuleValue): string {
  return singlesOf(change, value)
    .map((one) => `${nameOfOne(one.change)} ${valueWord(one.value)}`)
    .join(BETWEEN_RULES);
}

/** From what to what: `daily limit $400.00 → $450.00; weekly limit $600.00 → $650.00`. Raw. */
export function ruleMove(change: RuleChange, before: RuleValue): string {
  return singlesOf(change, before)
    .map((one) => `${nameOfOne(one.change)} ${valueWord(one.value)} → ${valueWord(wantedOf(one.change))}`)
    .join(BETWEEN_RULES);
}

/** The same where the one rule has been named: `$400.00 → $450.00`, `no limit → $450.00`. Raw. */
export function moveWords(change: RuleChange, before: RuleValue): string {
  if (change.kind === 'limits') return ruleMove(change, before);
  return `${stateWords(change, before)} → ${stateWords(change, wantedOf(change))}`;
}

/**
 * What the rules are, where one of them has been named: `$400.00`, `no limit`, `allowed`; of several each by its name:
 * `daily limit $400.00 and weekly limit $600.00`. Raw.
 */
export function stateWords(change: RuleChange, value: RuleValue): string {
  const all = singlesOf(change, value);
  const word = (one: ValueOfOne): string => (one === null ? 'no limit' : valueWord(one));
  const [first] = all;
  if (all.length === 1 && first !== undefined) return word(first.value);
  return list.format(all.map((one) => `${nameOfOne(one.change)} ${one.value === null ? 'none' : word(one.value)}`));
}
