import { describe, expect, it } from 'vitest';
import {
  alsoNeeds,
  goalsOfRemedy,
  isIncomplete,
  limitsToRaise,
  Remedy,
  withLimitsNow,
} from '../../../src/limits/remedy-change.ts';
import { limitGoal, limitRaise, remedyOf } from '../../support/limit-goals.ts';
import { rulesOf } from '../../support/temporary-changes.ts';

const daily = limitRaise('daily', 40_000, 45_000, { remainingCents: 5000 });
const unknown = limitRaise('weekly', null, null);
const along = limitRaise('monthly', 44_000, 45_000, { isAdjustedToo: true });

it.each<Remedy>([
  remedyOf(daily, along),
  { kind: 'allow_category', category: { id: null, name: 'Fuel' } },
  { kind: 'allow_international', alsoNeeds: ['raise_limit'] },
  { kind: 'allow_card_not_present' },
  { kind: 'activate' },
  { kind: 'unblock' },
])('of the kind $kind can be stored and parsed again', (remedy) => {
  expect(Remedy.parse(JSON.parse(JSON.stringify(remedy)))).toEqual(remedy);
});

it('needs nothing else once nothing stops the purchase', () => {
  const remedy = { ...remedyOf(daily), alsoNeeds: ['allow_international'] } as const;

  expect(alsoNeeds(remedy)).toEqual(['allow_international']);
  expect(alsoNeeds(withLimitsNow(remedy, rulesOf({ daily: 90_000 })))).toEqual([]);
});

describe('the rule changes for a remedy', () => {
  it('are all limits at once, shorter windows first', () => {
    expect(goalsOfRemedy(remedyOf(along, daily), null, 8410)).toEqual([
      limitGoal('daily', 45_000),
      limitGoal('monthly', 45_000),
    ]);
  });

  it('add the full purchase to a limit whose remaining amount is unknown', () => {
    expect(goalsOfRemedy(remedyOf(unknown), rulesOf({ weekly: 60_000 }), 8410)).toEqual([limitGoal('weekly', 68_410)]);
    expect(goalsOfRemedy(remedyOf(unknown), null, 8410)).toEqual([limitGoal('weekly', 8410)]);
  });

  it('recompute what rises along from the current rules', () => {
    expect(goalsOfRemedy(remedyOf(daily, along), rulesOf({ daily: 40_000, weekly: 42_000 }), 8410)).toEqual([
      limitGoal('daily', 45_000),
      limitGoal('weekly', 45_000),
    ]);
  });

  it.each<[string, Remedy, object | null]>([
    [
      'a category',
      { kind: 'allow_category', category: { id: 9, name: 'Fuel' } },
      [{ rule: { kind: 'category', category: { id: 9, name: 'Fuel' } }, to: true }],
    ],
    ['a category without a known number', { kind: 'allow_category', category: { id: null, name: 'Fuel' } }, null],
    ['purchases abroad', { kind: 'allow_international' }, [{ rule: { kind: 'international' }, to: true }]],
    ['online purchases', { kind: 'allow_card_not_present' }, [{ rule: { kind: 'card_not_present' }, to: true }]],
    ['a blocked card', { kind: 'unblock' }, null],
    ['a new card', { kind: 'activate' }, null],
  ])('for %s', (_what, remedy, goals) => {
    expect(goalsOfRemedy(remedy, null, 8410)).toEqual(goals);
  });
});

it('is incomplete if the remaining amount of a limit that stopped the purchase is unknown', () => {
  expect(isIncomplete(remedyOf(daily, along), () => true)).toBe(false);
  expect(isIncomplete(remedyOf(daily, unknown), () => true)).toBe(true);
  expect(isIncomplete(remedyOf(daily, unknown), () => false)).toBe(false);
  expect(isIncomplete({ kind: 'unblock' }, () => true)).toBe(false);
});

it('raises no limit if something else would let the purchase pass', () => {
  expect(limitsToRaise(null)).toEqual([]);
  expect(limitsToRaise({ kind: 'allow_international' })).toEqual([]);
  expect(limitsToRaise(remedyOf(daily, along))).toEqual([daily, along]);
});
