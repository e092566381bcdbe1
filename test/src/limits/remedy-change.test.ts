import { describe, expect, it } from 'vitest';
import {
  goalsOfRemedy,
  isIncomplete,
  type LimitRaise,
  limitsOf,
  type RaiseLimit,
} from '../../../src/limits/remedy-change.ts';

const rule = { kind: 'limit', period: 'daily', category: null } as const;
const limit: LimitRaise = { rule, from: 10_000, to: 15_000, remainingCents: 1000, isAlong: false };
const raise = (first: LimitRaise, ...more: LimitRaise[]): RaiseLimit => ({
  kind: 'raise_limit',
  limits: [first, ...more],
});

describe('what a card’s rules shall be for a remedy', () => {
  it('is the limit that was suggested', () => {
    expect(goalsOfRemedy(raise(limit), null, 3000)).toEqual([{ rule, to: 15_000 }]);
  });

  it('is the purchase on top of the limit where nothing was suggested', () => {
    expect(goalsOfRemedy(raise({ ...limit, to: null }), null, 3000)).toEqual([{ rule, to: 13_000 }]);
    expect(goalsOfRemedy(raise({ ...limit, to: null, from: null }), null, 3000)).toEqual([{ rule, to: 3000 }]);
  });

  it('is that a category is allowed, by its number and its name', () => {
    const category = { id: 9, name: 'Hardware Stores' };

    expect(goalsOfRemedy({ kind: 'allow_category', category }, null, 3000)).toEqual([
      { rule: { kind: 'category', category }, to: true },
    ]);
    expect(goalsOfRemedy({ kind: 'allow_category', category: { ...category, id: null } }, null, 3000)).toBe(null);
  });

  it.each([
    ['allow_international', 'international'],
    ['allow_card_not_present', 'card_not_present'],
  ] as const)('of %s is that %s purchases are allowed', (kind, kindOfRule) => {
    expect(goalsOfRemedy({ kind }, null, 3000)).toEqual([{ rule: { kind: kindOfRule }, to: true }]);
  });

  it.each(['activate', 'unblock'] as const)('is no rule for %s', (kind) => {
    expect(goalsOfRemedy({ kind }, null, 3000)).toBe(null);
    expect(limitsOf({ kind })).toEqual([]);
  });
});

it('the limits of a remedy are incomplete while it is not known what was left of one that stopped the purchase', () => {
  const unknown = { ...limit, remainingCents: null };

  expect(isIncomplete(raise(limit))).toBe(false);
  expect(isIncomplete(raise(unknown))).toBe(true);
  expect(isIncomplete(raise(limit, unknown))).toBe(true);
  expect(isIncomplete(raise(limit, { ...unknown, isAlong: true }))).toBe(false);
  expect(isIncomplete({ kind: 'unblock' })).toBe(false);
});
