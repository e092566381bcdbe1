import { describe, expect, it } from 'vitest';
import { Remedy } from '../../../src/alerts/alert.ts';
import { limitsToRaise } from '../../../src/limits/remedy-change.ts';
import {
  batch,
  currentOf,
  isLooser,
  isSameValue,
  type LimitPart,
  limitChange,
  RuleChange,
  RuleValue,
  singlesOf,
  targetsOf,
  wantedOf,
  withValue,
} from '../../../src/limits/rule-change.ts';
import { moveWords, ruleMove, ruleName, ruleState, stateWords } from '../../../src/limits/rule-words.ts';

const restaurants = { id: 9, name: 'Restaurants' };
const daily: LimitPart = { period: 'daily', category: null, limitCents: 45_000 };
const weekly: LimitPart = { period: 'weekly', category: null, limitCents: 160_000 };
const atOnce: LimitPart = { period: 'transaction', category: restaurants, limitCents: 4_000 };
const single = limitChange([daily]);
const several = limitChange([weekly, daily, atOnce]);
const abroad = { kind: 'international', isAllowed: true } as const;
const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };

describe('a change of several limits', () => {
  it('is the same in whatever order they are named; of one it is what it always was', () => {
    expect(limitChange([atOnce, daily, weekly])).toEqual(several);
    expect(targetsOf(several)).toEqual(['limit:transaction:9', 'limit:daily:', 'limit:weekly:']);
    expect(single).toEqual({ kind: 'limit', ...daily });
    expect(RuleChange.parse(several)).toEqual(several);
  });

  it('reads each value in the place of its limit, and gives each back', () => {
    const rules = {
      limits: { ...none, daily: 40_000, weekly: 150_000 },
      categories: [{ ...restaurants, transactionLimitCents: 2_500, limits: none }],
      isEveryCategoryAllowed: false,
      isInternationalAllowed: false,
      isCardNotPresentAllowed: true,
    };
    const before = currentOf(rules, several);

    expect(before).toEqual([2_500, 40_000, 150_000]);
    expect(RuleValue.parse(before)).toEqual(before);
    expect(wantedOf(withValue(several, before))).toEqual(before);
    expect(batch(singlesOf(several, before))).toEqual({ change: several, value: before });
    expect(batch(singlesOf(several, before).slice(1, 2))).toEqual({ change: single, value: 40_000 });
    expect(batch([])).toBeNull();
  });

  it.each<[RuleValue, RuleValue, boolean]>([
    [[1, 2], [1, 2], true],
    [[1, 2], [1, 3], false],
    [[1, null], [1, null], true],
    [[1, 2], 1, false],
    [null, null, true],
    [5, 5, true],
    [true, false, false],
  ])('%j and %j: the same is %s', (one, other, same) => {
    expect(isSameValue(one, other)).toBe(same);
  });

  it.each<[RuleValue, RuleValue, boolean]>([
    [[1, 2], [1, 3], true],
    [[1, 2], [0, 2], false],
    [[1, 2], [0, null], true],
    [[null, 2], [5, 2], false],
    [400, 450, true],
    [false, true, true],
  ])('from %j to %j may the card do more: %s', (before, after, looser) => {
    expect(isLooser(before, after)).toBe(looser);
  });
});

describe('in words', () => {
  it.each([
    [single, 40_000, 'daily limit', 'daily limit $400.00 → $450.00', '$400.00', '$400.00 → $450.00'],
    [
      abroad,
      false,
      'purchases abroad',
      'purchases abroad not allowed → allowed',
      'not allowed',
      'not allowed → allowed',
    ],
    [
      several,
      [2_500, 40_000, null],
      'limit for a single purchase at Restaurants, daily limit, and weekly limit',
      'limit for a single purchase at Restaurants $25.00 → $40.00; daily limit $400.00 → $450.00; weekly limit none → $1,600.00',
      'limit for a single purchase at Restaurants $25.00, daily limit $400.00, and weekly limit none',
      'limit for a single purchase at Restaurants $25.00 → $40.00; daily limit $400.00 → $450.00; weekly limit none → $1,600.00',
    ],
  ] as const)('%j', (change, value, name, move, state, short) => {
    const before = RuleValue.parse(value);

    expect(ruleName(change)).toBe(name);
    expect(ruleMove(change, before)).toBe(move);
    expect(stateWords(change, before)).toBe(state);
    expect(moveWords(change, before)).toBe(short);
    expect(ruleState(change, before).split('; ')).toHaveLength(targetsOf(change).length);
  });
});

describe('records of earlier builds', () => {
  it('are read: a change of one limit, and a remedy without what rises along', () => {
    const change = { kind: 'limit', period: 'daily', category: null, limitCents: 45_000 };
    const remedy = Remedy.parse({
      kind: 'raise_limit',
      period: 'daily',
      category: restaurants,
      currentCents: 1,
      remainingCents: 0,
      suggestedCents: 2,
      alsoBinding: [{ period: 'weekly', currentCents: 3, remainingCents: 0, suggestedCents: 4 }],
    });

    expect(RuleChange.parse(change)).toEqual(single);
    expect(remedy.kind === 'raise_limit' ? limitsToRaise(remedy) : []).toMatchObject([
      { period: 'daily', category: restaurants, isAlong: false },
      { period: 'weekly', category: restaurants, isAlong: false },
    ]);
  });
});
