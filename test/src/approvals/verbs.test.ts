import { expect, it } from 'vitest';
import { approvalVerbs } from '../../../src/approvals/verbs.ts';
import { clock } from '../../support/clock.ts';

const { read } = approvalVerbs.ask.command;

it('reads what was typed as an action of its verb', () => {
  expect(read(['300', 'hotel'], clock)).toMatchObject({
    verb: 'ask',
    target: { kind: 'own' },
    input: { ask: { amountCents: 30_000 } },
    reason: 'hotel',
  });
});

it('says how it is written where it cannot be read', () => {
  expect(read(['hotel'], clock)).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
});

it.each(['4242 daily 450', '4242 Monthly 1k for 2h dinner'])('%j takes no digits of a card for an amount', (typed) => {
  expect(read(typed.split(' '), clock)).toMatchObject({ kind: 'unclear', why: expect.stringContaining('want to pay') });
});
