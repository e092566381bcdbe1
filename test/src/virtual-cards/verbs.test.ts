import { expect, it } from 'vitest';
import { virtualCardVerbs } from '../../../src/virtual-cards/verbs.ts';

const { read } = virtualCardVerbs['resend-virtual'].command;

it('parses a command into an action of its verb', () => {
  expect(read(['resend', '4242'])).toMatchObject({
    verb: 'resend-virtual',
    target: { kind: 'words', words: ['4242'] },
  });
});

it('gives a usage hint when it cannot parse a command', () => {
  expect(read(['resend'])).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
});
