import { expect, it } from 'vitest';
import type { RuleChange } from '../../../src/card-api/rule-change.ts';
import {
  moveWords,
  purchaseWords,
  ruleMoves,
  ruleNames,
  ruleStates,
  stateWords,
  whereToSet,
} from '../../../src/limits/rule-words.ts';
import { limitChange } from '../../support/limit-goals.ts';

const restaurants = { id: 9, name: 'Restaurants' };
const several = [
  limitChange('transaction', 2_500, 4_000, restaurants),
  limitChange('daily', 40_000, 45_000),
  limitChange('weekly', null, 160_000),
];

it.each<[RuleChange[], string, string, string, string]>([
  [
    [limitChange('daily', 40_000, 45_000)],
    'daily limit',
    'daily limit $400.00 → $450.00',
    '$400.00',
    '$400.00 → $450.00',
  ],
  [
    [{ rule: { kind: 'international' }, from: false, to: true }],
    'purchases abroad',
    'purchases abroad not allowed → allowed',
    '“not allowed”',
    'not allowed → allowed',
  ],
  [
    [{ rule: { kind: 'card_not_present' }, from: true, to: false }],
    'online purchases',
    'online purchases allowed → not allowed',
    '“allowed”',
    'allowed → not allowed',
  ],
  [
    [{ rule: { kind: 'category', category: restaurants }, from: false, to: true }],
    'purchases at Restaurants',
    'purchases at Restaurants not allowed → allowed',
    '“not allowed”',
    'not allowed → allowed',
  ],
  [
    [limitChange('weekly', null, 160_000)],
    'weekly limit',
    'no weekly limit → $1,600.00',
    'no limit',
    'no limit → $1,600.00',
  ],
  [
    several.slice(0, 2),
    'limit for a single purchase at Restaurants and daily limit',
    'limit for a single purchase at Restaurants $25.00 → $40.00; daily limit $400.00 → $450.00',
    'limit for a single purchase at Restaurants $25.00 and daily limit $400.00',
    'limit for a single purchase at Restaurants $25.00 → $40.00; daily limit $400.00 → $450.00',
  ],
  [
    several,
    'limit for a single purchase at Restaurants, daily limit, and weekly limit',
    'limit for a single purchase at Restaurants $25.00 → $40.00; daily limit $400.00 → $450.00; no weekly limit → $1,600.00',
    'limit for a single purchase at Restaurants $25.00, daily limit $400.00, and no weekly limit',
    'limit for a single purchase at Restaurants $25.00 → $40.00; daily limit $400.00 → $450.00; no weekly limit → $1,600.00',
  ],
])('describes %j', (changes, names, moves, state, short) => {
  expect(ruleNames(changes)).toBe(names);
  expect(ruleMoves(changes)).toBe(moves);
  expect(stateWords(changes, 'from')).toBe(state);
  expect(moveWords(changes)).toBe(short);
  expect(ruleStates(changes, 'from').split('; ')).toHaveLength(changes.length);
});

it('prevents a category name from looking like the end of a rule', () => {
  const changes = [limitChange('daily', null, 100, { id: 1, name: 'Books; Maps' })];

  expect(ruleStates(changes, 'to')).toBe('daily limit for Books, Maps $1.00');
});

it.each<[string, Parameters<typeof purchaseWords>[0]['changes'], number, boolean, string]>([
  ['the declined one', [limitChange('daily', 40_000, 45_000)], 8410, false, 'this purchase'],
  [
    'the first that needs an opened rule',
    [{ rule: { kind: 'international' }, from: false, to: true }],
    8410,
    false,
    'the next such purchase',
  ],
  ['the next one', [limitChange('daily', 40_000, 45_000)], 8410, true, 'the next purchase of up to $84.10'],
  [
    'the next one, whatever it costs',
    [{ rule: { kind: 'international' }, from: false, to: true }],
    8410,
    true,
    'the next purchase',
  ],
])('says which purchase ends a change: %s', (_what, changes, maxCents, isAnywhere, words) => {
  const declinedAt = isAnywhere ? null : '2026-11-20T14:14:00Z';
  const purchase = { merchantId: '', merchant: '', maxCents, declinedAt };

  expect(purchaseWords({ changes, purchase })).toBe(words);
});

it('sends people to the command for the card’s own limits only', () => {
  const rule = { kind: 'limit', period: 'daily' } as const;

  expect(whereToSet({ ...rule, category: null })).toBe('/card limit');
  expect(whereToSet({ ...rule, category: restaurants })).toBe('the card program’s portal');
});
