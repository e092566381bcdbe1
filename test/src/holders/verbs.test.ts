import { expect, it } from 'vitest';
import { holderVerbs } from '../../../src/holders/verbs.ts';

const { read } = holderVerbs.link.command;

it('reads what was typed as an action of its verb', () => {
  expect(read(['4242', '<@U0JANE>'])).toMatchObject({ verb: 'link', input: { subject: 'U0JANE' } });
});

it('says how it is written where it cannot be read', () => {
  expect(read(['4242', '@jane'])).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
});
