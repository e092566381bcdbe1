import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { limitVerbs } from '../../../src/limits/verbs.ts';
import { clock } from '../../support/clock.ts';

const { read } = limitVerbs.limit.command;
const words = (text: string): string[] => text.split(' ').filter(Boolean);

describe('parsing the text after /card limit', () => {
  it.each([
    ['4242 daily 450', ['4242'], 'daily', 45_000, 'permanent', ''],
    ['4242 day 450 lunch', ['4242'], 'daily', 45_000, 'permanent', 'lunch'],
    ['Jane Doe WEEKLY $1,250.50 team lunch', ['Jane', 'Doe'], 'weekly', 125_050, 'permanent', 'team lunch'],
    ['4242 per day 450', ['4242'], 'daily', 45_000, 'permanent', ''],
    ['4242 a day 450', ['4242'], 'daily', 45_000, 'permanent', ''],
    ['4242 every week 450', ['4242'], 'weekly', 45_000, 'permanent', ''],
    ['4242 the daily limit to 450', ['4242'], 'daily', 45_000, 'permanent', ''],
    ['4242 daily limit of $450 for 4h', ['4242'], 'daily', 45_000, 'duration', ''],
    ['4242 daily to none', ['4242'], 'daily', null, 'permanent', ''],
    ['4242 450 per day', ['4242'], 'daily', 45_000, 'permanent', ''],
    ['4242 450 a day for 4h team lunch', ['4242'], 'daily', 45_000, 'duration', 'team lunch'],
    ['Jane Doe $450 a day', ['Jane', 'Doe'], 'daily', 45_000, 'permanent', ''],
    ['4242 to $ 450 daily lunch', ['4242'], 'daily', 45_000, 'permanent', 'lunch'],
    ['4242 450 dollars per week', ['4242'], 'weekly', 45_000, 'permanent', ''],
    ['4242 USD 450 weekly', ['4242'], 'weekly', 45_000, 'permanent', ''],
    ['4242 $450/day', ['4242'], 'daily', 45_000, 'permanent', ''],
    ['4242 450/month until thursday', ['4242'], 'monthly', 45_000, 'day', ''],
    ['4242 1k each month', ['4242'], 'monthly', 100_000, 'permanent', ''],
    ['EMP 7 daily 450', ['EMP', '7'], 'daily', 45_000, 'permanent', ''],
    ['4242 annually 450', ['4242'], 'yearly', 45_000, 'permanent', ''],
    ['4242 week 450', ['4242'], 'weekly', 45_000, 'permanent', ''],
    ['4242 monthly none', ['4242'], 'monthly', null, 'permanent', ''],
    ['4242 month Off', ['4242'], 'monthly', null, 'permanent', ''],
    ['4242 yearly unlimited', ['4242'], 'yearly', null, 'permanent', ''],
    ['4242 year 450', ['4242'], 'yearly', 45_000, 'permanent', ''],
    ['4242 annual 450', ['4242'], 'yearly', 45_000, 'permanent', ''],
    ['4242 lifetime 450 until midnight late shift', ['4242'], 'lifetime', 45_000, 'day', 'late shift'],
    ['"Jane Doe" day 450', ['"Jane', 'Doe"'], 'daily', 45_000, 'permanent', ''],
    ['Jane Doe per day 450', ['Jane', 'Doe'], 'daily', 45_000, 'permanent', ''],
    ['Jane Doe limit day 450', ['Jane', 'Doe'], 'daily', 45_000, 'permanent', ''],
    ['<@UABCDEFGH> week 450', ['<@UABCDEFGH>'], 'weekly', 45_000, 'permanent', ''],
    ['Doris Day week 450', ['Doris', 'Day'], 'weekly', 45_000, 'permanent', ''],
    ['Jane Doe, week 450', ['Jane', 'Doe,'], 'weekly', 45_000, 'permanent', ''],
    ['Jane Doe week: 450', ['Jane', 'Doe'], 'weekly', 45_000, 'permanent', ''],
    ['Jane Doe’s day 450', ['Jane', 'Doe’s'], 'daily', 45_000, 'permanent', ''],
    ['marketing month 1000', ['marketing'], 'monthly', 100_000, 'permanent', ''],
    ['Doris Day weekly 450', ['Doris', 'Day'], 'weekly', 45_000, 'permanent', ''],
    ['Doris Day $450 daily', ['Doris', 'Day'], 'daily', 45_000, 'permanent', ''],
    ['Day daily 450 for 4h', ['Day'], 'daily', 45_000, 'duration', ''],
    ['4242 daily 1k for an hour hotel', ['4242'], 'daily', 100_000, 'duration', 'hotel'],
    ['4242 daily 1.250,00 today', ['4242'], 'daily', 125_000, 'day', ''],
    ['4242 daily 450 team lunch until thursday', ['4242'], 'daily', 45_000, 'day', 'team lunch'],
    ['4242 daily 450 tomorrow 9am', ['4242'], 'daily', 45_000, 'until', ''],
    ['4242 daily 450 permanently lunch today', ['4242'], 'daily', 45_000, 'permanent', 'lunch today'],
    ['4242 daily 450 for the May conference', ['4242'], 'daily', 45_000, 'permanent', 'for the May conference'],
  ])('reads %s', (text, on, period, to, term, reason) => {
    expect(read(words(text), clock)).toEqual({
      kind: 'read',
      verb: 'limit',
      target: { kind: 'words', words: on },
      reason,
      input: {
        changeRequest: {
          goals: [{ rule: { kind: 'limit', period, category: null }, to }],
          term: expect.objectContaining({ kind: term }),
        },
      },
    });
  });

  it.each([
    ['', 'Which card, which limit, and how much?'],
    ['4242', /Which limit\? Write daily, weekly, monthly, yearly or lifetime/],
    ['4242 450', /Which limit\? Write daily/],
    // A surname, or a period.
    ['Doris Day 450', /Which limit\? Write daily/],
    ['Doris Day: 450', /Which limit\? Write daily/],
    ['Smith, Day 450', /Which limit\? Write daily/],
    ['Doris Day weeekly 450', /Did you mean “weekly”/],
    ['Hannah week to 450 for 4h', /Which limit\? Write daily/],
    ['4242 constructor 450', /Which limit\? Write daily/],
    ['daily 450', /Which limit\? Write daily/],
    ['4242 weekly', 'What should the weekly limit be?'],
    ['4242 daily lots', /^“lots” is not an amount/],
    [`4242 daily ${'x'.repeat(50)}`, new RegExp(`^“${'x'.repeat(40)}” is not an amount`)],
    // Either a card called "Jane 4242", or Jane's card and $4,242.
    ['Jane 4242 daily', /Is “4242” the amount\? Write it behind the period: “daily 4242”/],
    ['4242 450 day for 4h', /Is “450” the amount\? Write it behind the period: “daily 450”/],
    ['4242 $450 daily 20 laptops', /Is the daily limit “\$450” or “20”\? Write one amount, behind the period/],
    ['EMP 7 per day 450', /Is the daily limit “7” or “450”\? Write one amount, behind the period/],
    ['4242 450 for a day', /Which limit\? Write daily/],
    ['4242 450 eur per day', /“450 eur” is not an amount I can read/],
    ['4242 daily 500/weekly 2000', /^One limit at a time/],
    ['4242 daily $150.00 → $300.00', /^“\$150\.00 → \$300\.00” is not an amount I can read/],
    ['4242 €450 per day', /“€450” is not an amount I can read/],
    ['4242 daily 450 for 4 lightyears', /lightyears” is not a time I can read/],
  ])('asks back about %j', (text, why) => {
    expect(read(words(text), clock)).toEqual({
      kind: 'unclear',
      why: typeof why === 'string' ? why : expect.stringMatching(why),
      usage: expect.stringMatching(/^limit CARD /),
      example: expect.stringMatching(/^limit 4242 daily 450 /),
    });
  });
});

it('shows where the amount goes when it asks back', () => {
  const asked = read(words('4242 450 daily'), clock);
  expect(asked).toMatchObject({ usage: expect.stringMatching(/^limit CARD daily\|.*lifetime AMOUNT /) });
});

it('says in the help and in the docs how to remove a limit, and that one approver is not enough', () => {
  const removes = /[“`]none[”`] as the amount removes .*: that needs two or more approvers/;

  expect(read(words('4242 daily none'), clock)).toMatchObject({ input: { changeRequest: { goals: [{ to: null }] } } });
  expect(limitVerbs.limit.command.effect).toMatch(removes);
  expect(readFileSync('docs/commands.md', 'utf8')).toMatch(removes);
});

it('each of its verbs is stored under its own name', () => {
  for (const [verb, { action }] of Object.entries(limitVerbs)) expect(action.shape.verb.parse(verb)).toBe(verb);
});

describe('words about time that cannot be read', () => {
  it.each([
    'may only',
    'march only',
    'june only',
    'sept only',
    'may and june',
    'march, april and may',
    'may, then back',
    'march team lunch',
    'conference, june',
    'trip in june and july',
    '9-5',
    'office hours 9-5 only',
    'each week',
    'lunch every friday',
    'monthly',
    'quarterly only',
    'bis Dezember',
    'im März',
    'hasta enero',
    'en enero',
    "jusqu'en mars",
    'pour juillet',
    'sat phone',
    'sun screen purchase',
    'mon ami restaurant',
    // A time continues with a date, an hour or a bound.
    'until friday the 11th',
    'until friday the 4th of december',
    'until monday 30th',
    'friday (4th)',
    'until friday the eleventh',
    'until tomorrow the 25th',
    'until friday @5pm',
    'tomorrow @9am',
    'until friday @ 5pm',
    'until friday at5pm',
    'until friday latest 5pm',
    'until friday week',
    'tomorrow week',
    'tomorrow same time',
    'this time tomorrow',
    'same time next week',
    '3 days as of monday',
    '2h daily',
    '2h per day',
    'until friday cob',
    'until friday close',
    'until friday lunchtime',
    'until friday exclusive',
    'until 5pm London',
    '5pm in London',
    'until 5pm Z',
    'for 1/2 year',
    '1/2 month',
    '3/4 year',
    'at 17h',
    'at 17h30',
    // A time continues with when it begins, or how often it returns.
    'for 4h every day',
    'for 4h during office hours',
    'until monday outside of the business hours',
    'for 3 days each month',
    'until friday every week',
    'until monday after next',
    'until friday before lunch',
    'until friday after work',
    'until friday when I return',
    'for 4h after landing',
    'for 4h when the trip starts',
    'for 4h following approval',
    'for 4h as soon as approved',
    'for 4h once approved',
    'for 4h not 8h',
    'for 4h, extend to 8h',
    'for 4h then 8h',
    'for 4h weekdays',
    'for 4h, but not on weekends',
    'for 4h - every day',
    'for 4h only weekdays',
    'for 4h three times a week',
    'for 4h upon approval',
    'for 4h starting when approved',
    'until friday or until paid',
    'until friday and then again monday',
    'until friday early next week',
    'until friday past midnight',
    'for 4h weekends because of the fair',
    'lunch for 4h every day',
    // A length in a form that we do not read.
    '1,5d',
    '3-4d',
    '1-2w travel',
    'until friday 11th for trip',
    'until friday 11th team offsite',
    'until friday week for travel',
    'until friday latest please',
    'until 5pm London please',
    'trip for 1,5d',
    '1,5 d',
    '2,5w',
    'two-d',
    '2dayz',
    '2hh',
    '2+h',
    'for a semester',
    '٢ days',
    'for one order',
    'one order only',
    'just this one',
    'one-time purchase',
    'one-time please',
    'hotel (one-time)',
    'hotel (one-time) client',
    'hotel once please',
    'hotel [one-off]',
    'starting the 5th per Bob',
    'expires the 24th per Bob',
    'revert the 24th per Bob',
    'for the 5th to the 7th hotel',
    'the 24th revert',
    'end of Q1 then revert',
    '9 to 5 please',
    'hotel during the trip',
    'hotel while in Denver',
    'wensday',
    'hotel saterday',
    'back in Agust',
    'rest of FY',
    'M-F',
    'before lunch',
    'one time, then back',
    'lunch one-off with client',
    'one laptop purchase',
    'just the new laptop purchase',
    'one-time laptop purchase',
    'lunch for the purchase',
  ])('%s is asked about', (text) => {
    expect(read(words(`4242 daily 800 ${text}`), clock)).toMatchObject({ kind: 'unclear' });
  });

  it.each([
    'client may travel',
    'a 5th floor kitchen',
    'the 5th floor kitchen',
    'augusta hotel',
    'the once-over',
    'client (second laptop)',
    'trip and may need more',
    'two may join',
    'weekly team lunch',
    'quarterly review dinner',
    'every seat sold',
    'mayo sandwiches',
    'seats 4-6 people',
    'Mai Thai restaurant',
    'sunscreen order',
    'one more order',
    'a term sheet',
    'laptop purchase',
    'for equipment purchase',
    'new forklift purchase',
    'single use plastics',
    'single-use items',
    'one-time vendor',
    'one off repairs',
  ])('%s is a reason', (text) => {
    expect(read(words(`4242 daily 800 ${text}`), clock)).toMatchObject({ kind: 'read', reason: text });
  });

  it.each([
    ['for 2 days', 'weekend trip'],
    ['until thursday', 'quarter close'],
    ['for 2h', '@ Costco'],
    ['for 4h', '@jane asked'],
    ['for 4h', '2nd attempt'],
    ['until thursday', '2nd attempt'],
    ['until tomorrow', '3rd party'],
    ['for 2h', 'latest invoice'],
    ['until thursday', 'latest order'],
    ['for 2 days', 'team offsite'],
    ['for 2 days', 'following up on the repair'],
    ['for 2 days', 'extended stay hotel'],
    ['for 2 days', 'per policy'],
    ['for 2 days', 'not a gift'],
    ['for 2 days', 'but only hotels'],
    ['for 2 days', 'early bird tickets'],
    ['for 2 days', '- lunch'],
    ['for 2 days', 'over budget'],
    ['for 2 days', 'then back to normal'],
    ['for 2 days', 'daily specials'],
    ['for 2 days', 'as requested'],
    ['for 2 days', 'at 7-Eleven'],
    ['until thursday', 'afterparty supplies'],
    ['until thursday', 'eachother.com order'],
    ['until thursday', 'exclusive offer'],
    ['tomorrow 5pm', 'Phoenix conference'],
    ['until 5pm', 'Paris office'],
  ])('%s is read, and %s is the reason', (time, reason) => {
    expect(read(words(`4242 daily 800 ${time} ${reason}`), clock)).toMatchObject({ kind: 'read', reason });
  });

  it.each(['sat', 'sat only', 'until sat phone', 'saturday phone'])('%s is an end', (text) => {
    expect(read(words(`4242 daily 800 ${text}`), clock)).toMatchObject({
      kind: 'read',
      input: { changeRequest: { term: { kind: 'day' } } },
    });
  });

  it('a weekday that may be another word is quoted', () => {
    const why = 'Does “sat phone” begin with Saturday? Write “until Saturday” if it does.';
    expect(read(words('4242 daily 800 sat phone'), clock)).toMatchObject({ why: expect.stringContaining(why) });
  });
});

it('asks how long a limit stays that is wanted “while traveling”, not whether its amount is a time', () => {
  const why = expect.stringMatching(/^Is “while traveling” how long it lasts\?/);
  for (const amount of ['450', '$450'])
    expect(read(words(`4242 daily ${amount} while traveling`), clock)).toMatchObject({ why });
});

it.each(['770 weekend trip', '690 day trip', '700 second chance'])('asks whether %s begins with the amount', (text) => {
  const amount = text.split(' ')[0];
  const why = `reads like a time. If ${amount} is the amount, write $${amount}.`;
  expect(read(words(`4242 daily ${text}`), clock)).toMatchObject({ why: expect.stringContaining(why) });
  expect(read(words(`4242 daily $${text}`), clock)).not.toMatchObject({ why: expect.stringContaining(why) });
});

it.each([
  'Friday crew for 2 hours',
  '12/5 conference for 2 days',
  'Sunday brunch today only',
  'permanently Friday nights only',
  'permanently Friday or Monday',
])('asks about an end behind what only sounds like one: %s', (text) => {
  expect(read(words(`4242 daily $450 ${text}`), clock)).toMatchObject({ kind: 'unclear' });
});

it.each([
  ['off by $50', '$50'],
  ['none or 450', '450'],
  ['off limit 500', '500'],
  ['none for 2 days cap of 5k', '5k'],
  ['none 500', '500'],
  ['None $450 for 4h', '$450'],
  ['off until thursday 450', '450'],
  ['unlimited -> €450', '€450'],
  ['no limit above 450', '450'],
  ['none max 1.5k', '1.5k'],
  ['off by no more than $50', '$50'],
  ['off by no more than 50', '50'],
  ['none but cap at $500', '$500'],
  ['no limit but at most $5,000', '$5,000'],
  ['none for the team up to 500 dollars', '500'],
  ['none ($500)', '$500'],
  ['none ($500 max)', '$500'],
  ['none (500)', '500'],
  ['off by $ 50', '50'],
])('removes no limit if an amount follows: %s', (text, amount) => {
  const why = `Is the daily limit none or “${amount}”? Write only one of them, behind the period.`;
  expect(read(words(`4242 daily ${text}`), clock)).toMatchObject({ kind: 'unclear', why });
});

it.each([
  'for 4h',
  'until 9 May',
  'invoice #8812',
  'invoice 1042',
  '24/7 support',
  '(2 trips)',
  'for the trip to the 2027 fair',
  '2nd attempt',
])('removes a limit if what follows is no amount: none %s', (text) => {
  const input = { changeRequest: { goals: [{ to: null }] } };
  expect(read(words(`4242 daily none ${text}`), clock)).toMatchObject({ kind: 'read', input });
});

it.each(['and weekly 2000', ', weekly 2000', 'weekly 2000', 'and $2,000 per week', 'trip and monthly limit to 5k'])(
  'asks for one limit at a time: 750 %s',
  (text) => {
    expect(read(words(`4242 daily 750 ${text}`), clock)).toMatchObject({
      why: expect.stringContaining('One limit at a time'),
    });
  },
);
