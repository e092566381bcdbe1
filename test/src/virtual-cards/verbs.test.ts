import { expect, it } from 'vitest';
import { virtualCardVerbs } from '../../../src/virtual-cards/verbs.ts';

const { read } = virtualCardVerbs['resend-virtual'].command;

it('reads what was typed as an action of its verb', () => {
  expect(read(['resend', '4242'])).toMatchObject({
    verb: 'resend-virtual',
    target: { kind: 'words', words: ['4242'] },
  });
});

it('says how it is written where it cannot be read', () => {
  expect(read(['resend'])).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
});
