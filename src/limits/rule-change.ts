import { z } from 'zod';
import { LimitWindow, limitWindows, SpendCategory } from '../alerts/alert.ts';
import { type CardLimits, limitAt, type PlannedChange, raiseCents } from './limit-change.ts';

const limit = {
  period: LimitWindow,
  /** Null: the card's overall limit. */
  category: SpendCategory.nullable(),
  /** Whole cents; null takes the limit away. */
  limitCents: z.int().nonnegative().nullable(),
};

/** One limit, and what it shall be. */
export const LimitPart = z.strictObject(limit);
export type LimitPart = z.infer<typeof LimitPart>;

const single = [
  z.strictObject({ kind: z.literal('limit'), ...limit }),
  z.strictObject({ kind: z.literal('category'), category: SpendCategory, isAllowed: z.boolean() }),
  z.strictObject({ kind: z.literal('international'), isAllowed: z.boolean() }),
  z.strictObject({ kind: z.literal('card_not_present'), isAllowed: z.boolean() }),
] as const;

/** One rule of a card, and what it shall be. */
export const RuleOfOne = z.discriminatedUnion('kind', single);
export type RuleOfOne = z.infer<typeof RuleOfOne>;

/** What in a card's spend rules people may have changed, and what it shall be: one rule, or several limits in one write. */
export const RuleChange = z.discriminatedUnion('kind', [
  ...single,
  /** In the order of `limitChange`, so that two of the same limits compare. */
  z.strictObject({ kind: z.literal('limits'), limits: z.array(LimitPart).min(2) }),
]);
export type RuleChange = z.infer<typeof RuleChange>;

/** What one rule says: whole cents or null (no limit) for limits, allowed or not for the others. */
export type ValueOfOne = number | boolean | null;

/** What the rules of a change say: of several limits, one value for each, in their order. */
export const RuleValue = z.union([z.int(), z.boolean(), z.null(), z.array(z.int().nullable())]);
export type RuleValue = z.infer<typeof RuleValue>;

/** A card's spend rules, as far as they can be changed here. */
export interface CardRules extends CardLimits {
  readonly isEveryCategoryAllowed: boolean;
  readonly isInternationalAllowed: boolean | null;
  readonly isCardNotPresentAllowed: boolean | null;
}

/** A change of these limits, one or several: categories' before the card's, shorter windows before longer ones. */
export function limitChange(parts: readonly [LimitPart, ...LimitPart[]]): RuleChange {
  const [first] = parts;
  if (parts.length === 1) return { kind: 'limit', ...first };
  const limits = parts.toSorted(
    (one, other) =>
      Number(one.category === null) - Number(other.category === null) ||
      (one.category?.id ?? 0) - (other.category?.id ?? 0) ||
      limitWindows.indexOf(one.period) - limitWindows.indexOf(other.period),
  );
  return { kind: 'limits', limits };
}

/** True when it is about limits, not about what is allowed at all. */
export function isOfLimits(change: RuleChange): change is Extract<RuleChange, { kind: 'limit' | 'limits' }> {
  return change.kind === 'limit' || change.kind === 'limits';
}

/** The limits of a change; none of one that allows something. */
export function limitsOf(change: RuleChange): readonly LimitPart[] {
  if (change.kind === 'limits') return change.limits;
  if (change.kind !== 'limit') return [];
  const { kind: _kind, ...part } = change;
  return [part];
}

/** The same, for comparing them with each other and with those of a card. */
export function plannedOf(change: RuleChange): PlannedChange[] {
  return limitsOf(change).map((part) => ({ ...part, category: part.category?.id ?? null }));
}

/** A limit with the name of its category, as a card's rules have it. */
export function namedPart(
  { period, category, limitCents }: PlannedChange,
  { categories }: Pick<CardLimits, 'categories'>,
): LimitPart {
  if (category === null) return { period, category, limitCents };
  const name = categories.find(({ id }) => id === category)?.name ?? `category ${category}`;
  return { period, category: { id: category, name }, limitCents };
}

/** One rule of a change, and a value of it. */
export interface Single {
  readonly change: RuleOfOne;
  readonly value: ValueOfOne;
}

/** A change rule by rule, with what each was, is or shall be. */
export function singlesOf(change: RuleChange, value: RuleValue): Single[] {
  if (change.kind !== 'limits') return [{ change, value: Array.isArray(value) ? (value[0] ?? null) : value }];
  const values = Array.isArray(value) ? value : change.limits.map(() => value);
  return change.limits.map((part, index) => ({ change: { kind: 'limit', ...part }, value: values[index] ?? null }));
}

/** The reverse: the change that is left of these, and its values. Null: nothing is left. */
export function batch(singles: readonly Single[]): { change: RuleChange; value: RuleValue } | null {
  const [first, ...others] = singles;
  if (first === undefined) return null;
  if (others.length === 0) return first;
  const limits = singles.flatMap(({ change }) => limitsOf(change));
  return { change: { kind: 'limits', limits }, value: singles.map(({ value }) => centsOf(value)) };
}

/** Which rules they are, whatever they shall be: equal for two changes of the same ones. */
export function targetsOf(change: RuleChange): string[] {
  return singlesOf(change, null).map(({ change: one }) => targetOf(one));
}

export function targetOf(change: RuleOfOne): string {
  if (change.kind === 'limit') return `limit:${change.period}:${change.category?.id ?? ''}`;
  return change.kind === 'category' ? `category:${change.category.id}` : change.kind;
}

/** What the rules shall be after the change. */
export function wantedOf(change: RuleOfOne): ValueOfOne;
export function wantedOf(change: RuleChange): RuleValue;
export function wantedOf(change: RuleChange): RuleValue {
  if (change.kind === 'limits') return change.limits.map(({ limitCents }) => limitCents);
  return change.kind === 'limit' ? change.limitCents : change.isAllowed;
}

/** The same rules, with other values. */
export function withValue(change: RuleChange, value: RuleValue): RuleChange {
  const set = singlesOf(change, value).map(({ change: one, value: of }) => ({ change: setTo(one, of), value: of }));
  return batch(set)?.change ?? change;
}

function setTo(change: RuleOfOne, value: ValueOfOne): RuleOfOne {
  return change.kind === 'limit' ? { ...change, limitCents: centsOf(value) } : { ...change, isAllowed: value === true };
}

function centsOf(value: ValueOfOne): number | null {
  return typeof value === 'number' ? value : null;
}

/** What the rules are now. */
export function currentOf(rules: CardRules, change: RuleChange): RuleValue {
  switch (change.kind) {
    case 'limit':
    case 'limits': {
      const values = plannedOf(change).map((place) => limitAt(rules, place));
      return change.kind === 'limits' ? values : (values[0] ?? null);
    }
    case 'category':
      return rules.isEveryCategoryAllowed || rules.categories.some(({ id }) => id === change.category.id);
    case 'international':
      return rules.isInternationalAllowed ?? false;
    case 'card_not_present':
      return rules.isCardNotPresentAllowed ?? false;
  }
}

/** True when two values of the same rules say the same. */
export function isSameValue(one: RuleValue, other: RuleValue): boolean {
  const [a, b] = [listOf(one), listOf(other)];
  return a.length === b.length && a.every((value, index) => value === b[index]);
}

/** True when the card may do more afterwards than before, by any of the rules. */
export function isLooser(before: RuleValue, after: RuleValue): boolean {
  const was = listOf(before);
  return listOf(after).some((value, index) => isLooserOne(was[index] ?? null, value));
}

function isLooserOne(before: ValueOfOne, after: ValueOfOne): boolean {
  if (typeof before === 'boolean' || typeof after === 'boolean') return after === true && before !== true;
  return raiseCents(before, after) > 0;
}

function listOf(value: RuleValue): readonly ValueOfOne[] {
  return Array.isArray(value) ? value : [value];
}
