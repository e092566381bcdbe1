import { expect, it } from 'vitest';
import { aboutCard } from '../../../src/actions/verb.ts';
import { whyOwnCardGone, withCardAsSaid } from '../../../src/directory/card-phrases.ts';

const said = (words: string) => withCardAsSaid(aboutCard('block', words.split(' ')));

it.each([
  ['my card', ''],
  ['My own card', ''],
  ['MY CARD', ''],
  ['My Card stolen', 'stolen'],
  ['MY OWN CARD, LOST', 'LOST'],
  ['MY STOLEN CARD', 'STOLEN'],
  ['mine', ''],
  ['my card, stolen on the train', 'stolen on the train'],
  ['my stolen card since Monday', 'stolen since Monday'],
  ['my card. Lost', 'Lost'],
  ['my lost card!', 'lost'],
  ['mine.', ''],
  ['my card!!!', ''],
  ['my card...', ''],
  ['my card lost on 2026-11-20', 'lost on 2026-11-20'],
  ['my card and 4343', 'and 4343'],
  ['my card $1500 charge', '$1500 charge'],
  ['my card was charged 1500', 'was charged 1500'],
  ['my card lost in 2026', 'lost in 2026'],
  ['my card stolen at 1430', 'stolen at 1430'],
])('reads %j as the person’s only card', (words, reason) => {
  expect(said(words)).toMatchObject({ target: { kind: 'own' }, reason });
});

it.each([
  ['my card 4242 stolen', ['card', '4242', 'stolen'], ''],
  ['my card ending in 4242', ['card', 'ending', 'in', '4242'], ''],
  ['the stolen card 4242', ['card', '4242'], 'stolen'],
  ['lost 4242', ['4242'], 'lost'],
  ['lost 4242!!', ['4242!!'], 'lost'],
  ['my stolen 4242', ['4242'], 'stolen'],
  ['my card stolen 4242', ['4242'], 'stolen'],
  ['my card, lost, 4242', ['4242'], 'lost'],
  ['my card was stolen: 4242', ['4242'], 'stolen'],
  ['the lost #4242', ['#4242'], 'lost'],
  ['my 4242', ['4242'], ''],
  ['my card no. 4242', ['card', 'no.', '4242'], ''],
  ['my new card 4242', ['card', '4242'], ''],
  ['my card number 4242', ['card', 'number', '4242'], ''],
  ['my own card (4242)', ['card', '(4242)'], ''],
  ['my card, 4242', ['card,', '4242'], ''],
  ['my card ••4242', ['card', '••4242'], ''],
  ['my card ending with 4242', ['card', 'ending', 'with', '4242'], ''],
  ['mine no. 4242', ['mine', 'no.', '4242'], ''],
  ['MY CARD NO. 4242', ['CARD', 'NO.', '4242'], ''],
  ['my new card', ['my', 'new', 'card'], ''],
  ['Missing Person', ['Missing', 'Person'], ''],
  ['Mine', ['Mine'], ''],
  ['MINE', ['MINE'], ''],
  ['My Nguyen', ['My', 'Nguyen'], ''],
])('reads %j as a card that is named', (words, named, reason) => {
  expect(said(words)).toMatchObject({ target: { kind: 'words', words: named }, reason });
});

it.each([
  ['lost card', 'lost'],
  ['My card has been stolen!', 'stolen'],
  ['i’ve lost my card', 'lost'],
  ['REPORT LOST CARD', 'lost'],
])('takes %j for the card of whoever says it, which is %s', (words, why) => {
  expect(whyOwnCardGone(words)).toBe(why);
});

it.each(['lost card 4242', 'Jane’s card was stolen', 'lost card of Jane Doe', 'my card', 'stolen', 'lost cardinal'])(
  'takes %j for no such card',
  (words) => {
    expect(whyOwnCardGone(words)).toBeNull();
  },
);
