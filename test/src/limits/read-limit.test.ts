import { expect, it } from 'vitest';
import { readPeriod, readTypedLimit, splitPer } from '../../../src/limits/read-limit.ts';

const read = (text: string) => readTypedLimit(text.split(' '));

it('leaves the words after the amount, or after the period if the amount comes first, to the duration and the reason', () => {
  expect(read('Jane Doe daily 450 for 4h lunch')).toEqual({
    card: ['Jane', 'Doe'],
    period: 'daily',
    cents: 45_000,
    rest: ['for', '4h', 'lunch'],
  });
  expect(read('Jane Doe $450 a day for 4h lunch')).toEqual(read('Jane Doe daily 450 for 4h lunch'));
  expect(read('Jane Doe $450 daily limit for 4h lunch')).toEqual(read('Jane Doe daily 450 for 4h lunch'));
});

it('takes no number for an amount that could end the name of a card', () => {
  expect(read('Jane 4242 daily')).toMatch(/^Is “4242” the amount\?/);
  expect(read('4242 per day')).toBe('What should the daily limit be?');
});

it.each([
  ['"Team Week 2" daily 450', ['"Team', 'Week', '2"'], 'daily'],
  ['“Sales Monthly 500” weekly 450', ['“Sales', 'Monthly', '500”'], 'weekly'],
  ['"Day Crew 7" 450 per day', ['"Day', 'Crew', '7"'], 'daily'],
  ['"Crew 1 to 7" to 450 dollars per day', ['"Crew', '1', 'to', '7"'], 'daily'],
])('looks for neither a period nor an amount in a quoted name: %s', (text, card, period) => {
  expect(read(text)).toEqual({ card, period, cents: 45_000, rest: [] });
});

it.each([
  ['Minh To daily 450', ['Minh', 'To']],
  ['Kim An daily 450', ['Kim', 'An']],
  ['Jane A. daily 450', ['Jane', 'A.']],
  ['Jane A daily 450', ['Jane', 'A']],
  ['Jane to daily 450', ['Jane']],
  ['JANE TO DAILY 450', ['JANE']],
  ['4242 Limit daily 450', ['4242']],
  ['<@U0JANE> To daily 450', ['<@U0JANE>']],
  ['Jane $450 A Day', ['Jane']],
  ['4242 Limit To daily 450', ['4242']],
  ['Jane Limit To daily 450', ['Jane']],
  ['Jane Limit daily 450', ['Jane']],
  ['"Jane Doe" Limit daily 450', ['"Jane', 'Doe"']],
  ["Jane's Limit daily 450", ["Jane's"]],
  ["Jane's card Limit To $450 daily", ["Jane's", 'card']],
  ['my card Limit daily 450', ['my', 'card']],
  ['Jane Doe, Limit daily 450', ['Jane', 'Doe,']],
  ['<@U0JANE> Limit To $450 daily', ['<@U0JANE>']],
  ['Minh To Limit To $450 daily', ['Minh', 'To']],
])('takes a capital behind a name for a part of it: %s', (text, card) => {
  expect(read(text)).toMatchObject({ card, period: 'daily', cents: 45_000 });
});

it.each(['constructor', 'hourly', ''])('%j is not a period', (word) => {
  expect(readPeriod(word)).toBeUndefined();
});

it('separates an amount from the period attached to it', () => {
  expect(splitPer('$450/day')).toEqual(['$450', 'per', 'day']);
  expect(splitPer('5/9')).toEqual(['5/9']);
});
