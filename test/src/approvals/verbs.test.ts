import { describe, expect, it } from 'vitest';
import { approvalVerbs } from '../../../src/approvals/verbs.ts';
import { clock } from '../../support/clock.ts';

const { read } = approvalVerbs.ask.command;

it('reads the typed words as an action of its verb', () => {
  expect(read(['300', 'hotel'], clock)).toMatchObject({
    verb: 'ask',
    target: { kind: 'own' },
    input: { ask: { amountCents: 30_000 } },
    reason: 'hotel',
  });
});

it('shows the usage if the words cannot be read', () => {
  expect(read(['hotel'], clock)).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
});

it.each(['4242 daily 450', '4242 Monthly 1k for 2h dinner', '450 per day', '4242 $450 each week lunch', '450/day'])(
  'explains for %j, which names a limit, that the price is needed',
  (typed) => {
    expect(read(typed.split(' '), clock)).toMatchObject({
      kind: 'unclear',
      why: expect.stringContaining('want to pay'),
    });
  },
);

it.each(['4242', '4242 lunch', '4242 for 2 hours lunch', '73781 lunch'])(
  'adds a question to %j, because its first number may be a card',
  (typed) => {
    const [number = ''] = typed.split(' ');
    expect(read(typed.split(' '), clock)).toMatchObject({
      kind: 'read',
      target: { kind: 'own' },
      input: { ask: { amountCents: Number(number) * 100 } },
      ifCard: {
        number,
        question: {
          why: expect.stringContaining(`How much do you want to pay with card ${number}?`),
          usage: expect.stringMatching(new RegExp(`^ask ${number} AMOUNT`)),
          example: `ask ${number} 84.10`,
        },
      },
    });
  },
);

it.each(['$4242 lunch', '4242 dollars lunch', '4,242 lunch', '4242.00 lunch', '450 lunch', '4242 84.10 lunch'])(
  'reads %j as an unambiguous amount',
  (typed) => {
    expect(read(typed.split(' '), clock)).toMatchObject({ kind: 'read' });
    expect(read(typed.split(' '), clock)).not.toHaveProperty('ifCard');
  },
);

it('reads 0042 as a card with a missing amount, because nobody writes dollars like that', () => {
  expect(read(['0042', 'lunch'], clock)).toMatchObject({
    kind: 'unclear',
    why: 'How much do you want to pay with card 0042?',
    usage: expect.stringMatching(/^ask 0042 AMOUNT/),
  });
});

describe('what a holder writes around the amount', () => {
  const own = { kind: 'own' };
  const card = { kind: 'words', words: ['4242'] };

  it.each([
    ['for 300', own, 30_000, ''],
    ['Please Up To 300', own, 30_000, ''],
    ['for $1,500 for hotel', own, 150_000, 'for hotel'],
    ['to pay 300 hotel', own, 30_000, 'hotel'],
    ['please up to 300 hotel', own, 30_000, 'hotel'],
    ['for 4242 300', card, 30_000, ''],
    ['please 4242 $300', card, 30_000, ''],
    ['300 on card 4242 for hotel', card, 30_000, 'for hotel'],
    ['300 hotel with my card ending in 4242', card, 30_000, 'hotel'],
    ['4242: 300 hotel', { words: ['4242:'] }, 30_000, 'hotel'],
    ['4242: for 300 hotel', { words: ['4242:'] }, 30_000, 'hotel'],
    ['4242: hotel 300', { words: ['4242:', 'hotel'] }, 30_000, ''],
  ])('does not become a card or a reason: %j', (typed, target, amountCents, reason) => {
    expect(read(typed.split(' '), clock)).toMatchObject({
      kind: 'read',
      target,
      reason,
      input: { ask: { amountCents, term: { kind: 'purchase' } } },
    });
  });

  it('is part of a name if it stands behind it with a capital: “Minh To”', () => {
    expect(read('For Minh To 300'.split(' '), clock)).toMatchObject({ target: { words: ['Minh', 'To'] } });
  });

  it.each(['raise my limit to 300', 'to increase it to 300', 'daily 300'])(
    'is about a limit in %j, so the price is needed',
    (typed) => {
      expect(read(typed.split(' '), clock)).toMatchObject({ why: expect.stringContaining('want to pay') });
    },
  );

  it('may be a card in “for 4242”', () => {
    expect(read(['for', '4242'], clock)).toMatchObject({ target: own, ifCard: { number: '4242' } });
  });

  it('may be a card in “4242, hotel”', () => {
    expect(read(['4242,', 'hotel'], clock)).toMatchObject({ target: own, ifCard: { number: '4242' } });
  });

  it.each([
    ['300 more', '“300 more”'],
    ['€300', '“€300”'],
    ['4242: hotel', '“4242: hotel”'],
  ])('is quoted if it is no amount: %j', (typed, quoted) => {
    expect(read(typed.split(' '), clock)).toMatchObject({
      kind: 'unclear',
      why: `${quoted} is not an amount I can read. How much do you want to pay? Write dollars such as 84.10 or $1,250.`,
    });
  });
});

describe('a number that may count something', () => {
  it.each([
    ['2 tickets 300', '$2.00 or $300.00'],
    ['4242 2 tickets 300', '$2.00 or $300.00'],
    ['12 shirts from acme 300.00', '$12.00 or $300.00'],
    ['4 tires at $150', '$4.00 or $150.00'],
    ['1 ticket $300 plus fees', '$1.00 or $300.00'],
    ['1 of the $300 tickets', '$1.00 or $300.00'],
    ['12 new laptops 3000 dollars', '$12.00 or $3,000.00'],
    ['2 tickets (300)', '$2.00 or $300.00'],
    ['5 chairs @300!', '$5.00 or $300.00'],
    ['1 hotel at 300$', '$1.00 or $300.00'],
    ['1 hotel at 300usd', '$1.00 or $300.00'],
    ['1 hotel at US$300', '$1.00 or $300.00'],
  ])('is not taken for the amount in %j', (typed, either) => {
    const why = `Do you want to pay ${either}? Write only this amount.`;
    expect(read(typed.split(' '), clock)).toMatchObject({ kind: 'unclear', why });
  });

  it.each([
    ['$300 2 tickets 400', 30_000],
    ['84 invoice 8812', 8400],
    ['300 hotel 2027', 30_000],
    ['450 expenses 2027', 45_000],
    ['300 lunch 500 people', 30_000],
    ['300 the 2027 catalog', 30_000],
    ['80 snacks for 90 days', 8000],
    ['300 tip $20', 30_000],
    ['300$ tip 400$', 30_000],
    ['300 dollars tip 400$', 30_000],
    ['300$ hotel', 30_000],
    ['300: hotel', 30_000],
    ['4242: 300 hotel', 30_000],
    ['4242 300$ hotel', 30_000],
  ])('is the amount in %j, without a question', (typed, amountCents) => {
    expect(read(typed.split(' '), clock)).toMatchObject({ kind: 'read', input: { ask: { amountCents } } });
  });
});

describe('one purchase, which a request is for unless it says otherwise', () => {
  it.each([
    ['300 once', ''],
    ['300 just once for lunch', 'for lunch'],
    ['300 one time', ''],
    ['300 now', ''],
    ['300 right now for the taxi', 'for the taxi'],
    ['300 for 2 tickets', '2 tickets'],
    ['300 for 12 people', '12 people'],
    ['300 for 1 laptop', '1 laptop'],
    ['300 for 3 seats of figma', '3 seats of figma'],
  ])('is what %j means', (typed, reason) => {
    const input = { ask: { term: { kind: 'purchase' } } };
    expect(read(typed.split(' '), clock)).toMatchObject({ kind: 'read', reason, input });
  });

  it.each([
    '300 once a week',
    '300 for 2',
    '300 for 2 shifts',
    '300 for 2 semesters',
    '300 for 1 term',
    '300 once for 2 days',
    '300 this time for the weekend',
    '300 for 2 fridays',
    '300 for 2 dyas',
    '300 now and then',
  ])('is not certain in %j; what the question suggests can be typed', (typed) => {
    const asked = read(typed.split(' '), clock);
    const example = typed.replace('300', 'ask 300 this purchase');
    expect(asked).toMatchObject({ kind: 'unclear', example });
    expect(read(example.split(' ').slice(1), clock)).toMatchObject({ kind: 'read' });
  });

  it('ends with the time behind what is bought', () => {
    expect(read('300 for 2 tickets until monday'.split(' '), clock)).toMatchObject({
      reason: '2 tickets',
      input: { ask: { term: { kind: 'day', day: '2026-11-23' } } },
    });
  });
});
