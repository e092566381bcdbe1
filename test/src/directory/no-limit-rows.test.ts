import { expect, it } from 'vitest';
import type { CardLimits } from '../../../src/card-api/spend-rules.ts';
import { withoutNoLimits } from '../../../src/directory/no-limit-rows.ts';

const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const fuel = { id: 5, name: 'Fuel', transactionLimitCents: null };
const daily = { period: 'daily', limitCents: 0, remainingCents: 0 } as const;
const yearly = { period: 'yearly', limitCents: 1_000, remainingCents: 0 } as const;
const remaining = {
  overall: [daily, yearly],
  categories: [
    { ...daily, id: null, name: 'FUEL' },
    { ...daily, id: 7, name: 'Hotels' },
  ],
};
const unlimited: CardLimits = { limits: none, categories: [{ ...fuel, limits: none }] };
const nothing: CardLimits = {
  limits: { ...none, daily: 0 },
  categories: [{ ...fuel, limits: { ...none, daily: 0 } }],
};

it('leaves out limits of $0 that the rules do not have', () => {
  expect(withoutNoLimits(remaining, unlimited, false)).toEqual({ overall: [yearly], categories: [] });
});

it('keeps limits of $0 that the rules have', () => {
  expect(withoutNoLimits(remaining, nothing, false)).toEqual({
    overall: [daily, yearly],
    categories: remaining.categories.slice(0, 1),
  });
});

it.each([
  ['the rules were not read', null, false],
  ['the card may follow the limits of a ruleset', unlimited, true],
] as const)('keeps limits of $0 if %s', (_, rules, mayBeOverruled) => {
  expect(withoutNoLimits(remaining, rules, mayBeOverruled)).toEqual(remaining);
});
