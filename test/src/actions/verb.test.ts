import { expect, it } from 'vitest';
import { aboutCard, readCard, withCardAsSaid } from '../../../src/actions/verb.ts';
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

const said = (words: string) => withCardAsSaid(aboutCard('block', words.split(' ')));

it.each([
  ['my card', ''],
  ['My own card', ''],
  ['mine', ''],
  ['my card, stolen on the train', 'stolen on the train'],
  ['my stolen card since Monday', 'stolen since Monday'],
])('reads %j as the person’s only card', (words, reason) => {
  expect(said(words)).toMatchObject({ target: { kind: 'own' }, reason });
});

it.each([
  ['my card 4242 stolen', ['card', '4242', 'stolen'], ''],
  ['my card ending in 4242', ['card', 'ending', 'in', '4242'], ''],
  ['the stolen card 4242', ['card', '4242'], 'stolen'],
  ['lost 4242', ['4242'], 'lost'],
  ['Missing Person', ['Missing', 'Person'], ''],
  ['Mine', ['Mine'], ''],
  ['My Nguyen', ['My', 'Nguyen'], ''],
])('reads %j as a card that is named', (words, named, reason) => {
  expect(said(words)).toMatchObject({ target: { kind: 'words', words: named }, reason });
});
