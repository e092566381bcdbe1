import { expect, it } from 'vitest';
import { readWhy, routingVerbs } from '../../../src/routing/verbs.ts';
import { clock } from '../../support/clock.ts';

const { read } = routingVerbs.travel.command;

it('parses a command into an action of its verb', () => {
  expect(read(['4242', 'Spain', 'until', 'friday'], clock)).toMatchObject({
    verb: 'travel',
    target: { kind: 'words', words: ['4242'] },
    input: { details: 'ES until friday' },
  });
});

it.each([
  ['Spain, France', 'ES,FR'],
  ['Spain and France', 'ES,FR'],
  ['for Spain', 'ES'],
  ['for Spain and the Netherlands', 'ES,NL'],
  ['Spain, Portugal, and the Netherlands', 'ES,PT,NL'],
  ['ES & PT', 'ES,PT'],
  ['"South Korea"', 'KR'],
  ['Japan, “South Korea” and Taiwan', 'JP,KR,TW'],
  ['Trinidad and Tobago', 'TT'],
  ['Bosnia and Herzegovina and Croatia', 'BA,HR'],
])('reads the countries of a trip from %j', (typed, countries) => {
  expect(read(`4242 ${typed} until friday`.split(' '), clock)).toMatchObject({
    target: { words: ['4242'] },
    input: { details: `${countries} until friday` },
  });
});

it.each([
  ['4242 Spain, Atlantis', '“Atlantis” is no country that I know.'],
  ['Jane Doe Spain, Atlantis, PT and Mordor', '“Atlantis” and “PT and Mordor” are no countries that I know.'],
  ['4242 Atlantis', '“Atlantis” is no country that I know.'],
  ['4242 to Atlantis', '“Atlantis” is no country that I know.'],
  ['4242 for Atlantis', '“Atlantis” is no country that I know.'],
  ['4242', 'Which country?'],
])('says what of the trip %j it cannot read', (typed, why) => {
  expect(read(`${typed} until friday`.split(' '), clock)).toMatchObject({
    kind: 'unclear',
    why: expect.stringContaining(why),
  });
});

it.each([
  ['mute', '4242 over the weekend', 'the weekend'],
  ['mute', '4242 (8h) noise', '(8h) noise'],
  ['mute', '4242 8h!', '8h!'],
  ['mute', 'Over 8h', '8h'],
  ['mute', '4242 eom', 'eom'],
  ['mute', '4242 until the end of month', 'until the end of month'],
  ['mute', '4242 rest of the week noise', 'rest of the week noise'],
  ['travel', '4242 Spain eom', 'ES eom'],
  ['travel', '4242 Spain over the weekend', 'ES the weekend'],
  ['travel', '4242 for Spain for 3 days', 'ES for 3 days'],
  ['travel', '4242 for Spain over the weekend', 'ES the weekend'],
  ['travel', '4242 Spain for 3 days', 'ES for 3 days'],
  ['travel', '4242 Spain for ages', 'ES for ages'],
] as const)(
  '%s %s ends with its time, and names the card without the words that lead to it',
  (verb, typed, details) => {
    const { words } = { words: typed.split(' ') };
    expect(routingVerbs[verb].command.read(words, clock)).toMatchObject({
      target: { words: [words[0]] },
      input: { details },
    });
  },
);

it('reads `travel mute` as `travel-mute`', () => {
  const of = (typed: string) => read(typed.split(' '), clock);
  expect(of('mute 4242 Spain until friday')).toEqual(of('4242 Spain until friday'));
});

it.each(['Jane Last', 'Jane Next'])('takes “%s” for a name', (name) => {
  const target = { words: name.split(' ') };
  expect(routingVerbs.mute.command.read([...target.words, '8h'], clock)).toMatchObject({ target });
  expect(routingVerbs.mute.command.read(['4242', 'Next', '8h'], clock)).toMatchObject({ target: { words: ['4242'] } });
});

it.each(['4242 The Next 8h', '4242 For The Next 8h', '4242 Over The Weekend', "Jane's card The Next 8h"])(
  'takes no word that leads to the time for a name: %s',
  (typed) => {
    const words = /^(4242|Jane's card)/.exec(typed)?.[0].split(' ');
    expect(routingVerbs.mute.command.read(typed.split(' '), clock)).toMatchObject({ target: { words } });
  },
);

it.each([
  ['4242 Spain Over The Weekend', 'ES The Weekend'],
  ['4242 Netherlands, The until friday', 'NL until friday'],
])('takes no word that leads to the time for a part of a country: %s', (typed, details) => {
  const input = { details };
  expect(routingVerbs.travel.command.read(typed.split(' '), clock)).toMatchObject({
    target: { words: ['4242'] },
    input,
  });
});

it.each([
  ['4242 for Spain', 'Until when? A travel mute always has an end.'],
  ['4242 for 3 days', /^Which country\?/],
])('asks for what is missing in a trip: %s', (typed, why) => {
  const told = typeof why === 'string' ? why : expect.stringMatching(why);
  expect(read(typed.split(' '), clock)).toMatchObject({ kind: 'unclear', why: told });
});

it('gives a usage hint when it cannot parse a command', () => {
  expect(read(['4242', 'until', 'friday'], clock)).toMatchObject({
    kind: 'unclear',
    usage: expect.stringMatching(/^[a-z]/),
  });
});

it('finds the id of a webhook in quarantine', () => {
  expect(readWhy('why Q_89NNXSNV9C553DM1')).toMatchObject({ verb: 'why', target: { text: 'q_89nnxsnv9c553dm1' } });
});

it.each(['why evt_89nnxsnv9c553dm1', 'WHY Evt_89NNXSNV9C553DM1', 'why `evt_89nnxsnv9c553dm1`'])(
  'finds the event id in %j, whatever the letter case',
  (text) => {
    expect(readWhy(text)).toMatchObject({ verb: 'why', target: { kind: 'channel', text: 'evt_89nnxsnv9c553dm1' } });
  },
);

it.each(['declines over 500', 'to declines over 500'])('subscribes a channel to what %j names', (typed) => {
  expect(routingVerbs.subscribe.command.read(typed.split(' '), clock)).toMatchObject({
    target: { kind: 'channel', text: 'declines over 500' },
  });
});

it('asks what a channel should get if nothing is named', () => {
  expect(routingVerbs.subscribe.command.read(['to'], clock)).toMatchObject({ why: 'What should this channel get?' });
});
