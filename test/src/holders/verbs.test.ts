import { expect, it } from 'vitest';
import { holderVerbs } from '../../../src/holders/verbs.ts';

const { read } = holderVerbs.link.command;

it('parses a command into an action of its verb', () => {
  expect(read(['4242', '<@U0JANE>'])).toMatchObject({ verb: 'link', input: { subject: 'U0JANE' } });
});

it('gives a usage hint when it cannot parse a command', () => {
  expect(read(['4242', '@jane'])).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
});
