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
