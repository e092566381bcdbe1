import { expect, it } from 'vitest';
import { limitVerbs } from '../../../src/limits/verbs.ts';

const { read } = limitVerbs.limit.command;

it('reads what was typed as an action of its verb', () => {
  expect(read(['4242', 'daily', '450', 'lunch'])).toMatchObject({
    verb: 'limit',
    target: { kind: 'words', words: ['4242'] },
    reason: 'lunch',
  });
});

it('says how it is written where it cannot be read', () => {
  expect(read(['4242', 'daily', 'lots'])).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^\/card /) });
});

it('asks for everything where nothing was said', () => {
  expect(read([])).toMatchObject({ kind: 'unclear', why: 'Which card, which limit, and how much?' });
});
