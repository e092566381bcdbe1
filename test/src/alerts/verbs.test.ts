import { expect, it } from 'vitest';
import { alertVerbs } from '../../../src/alerts/verbs.ts';

const { read } = alertVerbs.declines.command;

it('reads what was typed as an action of its verb', () => {
  expect(read(['4242', '30d'])).toMatchObject({
    verb: 'declines',
    target: { kind: 'words', words: ['4242'] },
    input: { details: '30d' },
  });
});

it('explains the usage when it cannot be read', () => {
  expect(read([])).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
});
