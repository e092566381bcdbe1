import { expect, it } from 'vitest';
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
