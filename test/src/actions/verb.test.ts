import { expect, it } from 'vitest';
import { readCard } from '../../../src/actions/verb.ts';
import { clock } from '../../support/clock.ts';

const read = readCard('show', 'show CARD', 'Which card should I show?');

it('reads all words as the name of the card', () => {
  expect(read(['Jane', 'Doe'], clock)).toMatchObject({
    verb: 'show',
    target: { kind: 'words', words: ['Jane', 'Doe'] },
  });
});

it('asks for the card if none is named, and shows the usage', () => {
  expect(read([], clock)).toEqual({ kind: 'unclear', why: 'Which card should I show?', usage: 'show CARD' });
});
