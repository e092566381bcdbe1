import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  countQuoted,
  fitOfName,
  foldId,
  interpret,
  nameKeys,
  nameWords,
  splitCardAndRest,
} from '../../../src/directory/card-query.ts';

describe('interpreting a word for a card', () => {
  it.each([
    ['4242', { last4: '4242', id: 4242, customId: '4242', words: [] }],
    ['••4242', { last4: '4242', id: 4242, words: [] }],
    ['#4242', { last4: '4242', id: 4242 }],
    ['Card 4242', { last4: '4242', id: 4242 }],
    ['card 0042', { last4: '0042', id: null }],
    ['card games', { last4: null, id: null, words: ['card', 'games'] }],
    ['0042', { last4: '0042', id: null }],
    ['4242,', { last4: '4242', id: 4242 }],
    ['4242:', { last4: '4242' }],
    ['••4242.', { last4: '4242' }],
    ['4242!!', { last4: '4242' }],
    ['4242?', { last4: '4242' }],
    ['4242...', { last4: '4242' }],
    ['xxxx-4242', { last4: '4242' }],
    ['this card 4242', { last4: '4242' }],
    ['ending in 4242', { last4: '4242' }],
    ['last four 4242', { last4: '4242' }],
    ['number 4242', { last4: '4242' }],
    ['no. 4242', { last4: '4242' }],
    ['X-4242', { last4: null, customId: 'x-4242' }],
    ['(4242)', { last4: '4242' }],
    ['(card 4242),', { last4: '4242' }],
    ['[4242]', { last4: '4242' }],
    ['`4242`', { last4: '4242', customId: '`4242`' }],
    ['*4242*', { last4: '4242' }],
    ['_4242_', { last4: '4242' }],
    ['Card: 4242', { last4: '4242' }],
    ['card ending 4242', { last4: '4242' }],
    ['card ending in 4242,', { last4: '4242' }],
    ['card ending with 4242', { last4: '4242' }],
    ['card no. 4242', { last4: '4242' }],
    ['card number ending in 4242', { last4: '4242' }],
    ['card, 4242', { last4: '4242' }],
    ['card (4242)', { last4: '4242' }],
    ['account 610001', { last4: null, id: 610_001 }],
    ['Card of account 610001', { id: 610_001 }],
    ['Sam Rivera · card 4242', { last4: '4242', customId: 'sam rivera · card 4242' }],
    ['Sam Rivera · Main', { last4: null, id: null, words: ['sam', 'rivera', 'main'] }],
    ['٤٢٤٢', { customId: '4242' }],
    ['Account ﬁ-①', { last4: null, customId: 'account fi-1', words: ['account', 'fi', '1'] }],
    ['(4242', { last4: null }],
    ['4242,5', { last4: null, id: null }],
    ['623123', { last4: null, id: 623_123 }],
    ['F1Q52343SF', { last4: null, id: null, customId: 'f1q52343sf', words: ['f1q52343sf'] }],
    ['  Jané  DOE ', { id: null, words: ['jane', 'doe'] }],
    // A mention that lost its user id. Whoever is called Sam here need not be that person.
    ['@sam', { words: [], customId: '@sam' }],
    ['“Jane Doe”', { words: ['jane', 'doe'], customId: 'jane doe' }],
    ['4111111111111111', { last4: null, id: null }],
    ['', { last4: null, id: null, customId: null, words: [] }],
    ['x'.repeat(51), { customId: null }],
    ['x'.repeat(50), { customId: 'x'.repeat(50) }],
    ['EMP  7 /\tNorth Wing', { customId: 'emp 7 / north wing' }],
    ['EMP 4111111111111111', { customId: 'emp ••1111' }],
  ])('reads %j', (text, expected) => {
    expect(interpret(text)).toMatchObject(expected);
  });
});

it.each([
  ['Joe’s Truck 4', "Joe's Truck 4"],
  ['Unit “North” — 7', 'Unit "North" - 7'],
  ['Dock 3–4', 'Dock 3-4'],
])('a custom id is the same with the quotes and dashes that phones write: %s', (onPhone, typed) => {
  expect(foldId(onPhone)).toBe(foldId(typed));
});

describe('names', () => {
  it('are compared without case, accents and punctuation', () => {
    expect(nameWords("  Łukasz   O'Brien-Núñez ")).toEqual(['lukasz', 'obrien', 'nunez']);
    expect(nameWords('Groß Ærø')).toEqual(['gross', 'aero']);
    expect(nameWords('李 小龍')).toEqual(['李', '小龍']);
  });

  it.each([
    ['jane doe', 'full_name'],
    ['doe jane', 'full_name'],
    ['janedoe', 'full_name'],
    ['doejane', 'full_name'],
    ['jane', 'name'],
    ['doe', 'name'],
    ['jan', 'beginning'],
    ['jan doe', 'beginning'],
    ['jan do', null],
    ['do', null],
    ['janed', 'beginning'],
    ['jane doe smith', null],
    ['', null],
  ])('%j matches Jane Doe: %s', (query, expected) => {
    expect(fitOfName(nameWords(query), 'Jane', 'Doe')).toBe(expected);
  });

  it.each([
    ['van der berg', 'name'],
    ['vanderberg', 'name'],
    ['berg mary', 'name'],
    ['mary ann', 'name'],
    ['mary ann vanderberg', 'full_name'],
    ['vander', 'beginning'],
    ['mary anne', null],
  ])('%j matches Mary Ann van der Berg: %s', (query, expected) => {
    expect(fitOfName(nameWords(query), 'Mary Ann', 'van der Berg')).toBe(expected);
  });

  it('match themselves in any spelling', () => {
    const part = fc.stringMatching(/^[A-Za-zÀ-ÿ]{1,12}( [A-Za-zÀ-ÿ]{1,12})?$/);
    fc.assert(
      fc.property(part, part, (first, last) => {
        fc.pre(nameWords(`${first}${last}`).length > 0);
        const written = [
          `${first} ${last}`,
          `${last}, ${first}`,
          `${first}${last}`.replaceAll(' ', ''),
          `${first}  ${last}`.toUpperCase(),
        ];
        for (const one of written.filter((text) => !/[Þþİ×÷]/.test(text))) {
          expect(fitOfName(nameWords(one), first, last)).toBe('full_name');
        }
        expect(nameKeys(first, last)).toEqual(expect.arrayContaining([...nameWords(first), ...nameWords(last)]));
      }),
    );
  });
});

describe('splitting the card from the rest', () => {
  const holders = ['jane', 'jane doe', 'jane van der berg', '4242', 'jane doe lost'];
  const isCard = (candidate: string): boolean => holders.includes(candidate.toLowerCase());

  it.each([
    ['4242 daily 500 for 2d', '4242', ['daily', '500', 'for', '2d'], true],
    ['Jane Doe daily 500', 'Jane Doe', ['daily', '500'], true],
    ['jane van der berg stolen', 'jane van der berg', ['stolen'], true],
    ['jane', 'jane', [], true],
    ['"Jane Doe" lost', 'Jane Doe', ['lost'], true],
    ['“Jane Doe” lost', 'Jane Doe', ['lost'], true],
    ['„Jane Doe“ lost', 'Jane Doe', ['lost'], true],
    ["'Jane Doe' lost", 'Jane Doe', ['lost'], true],
    ['‘Jane Doe’ lost', 'Jane Doe', ['lost'], true],
    ['«Jane Doe»', 'Jane Doe', [], true],
    ['“Nobody Known” daily 5', 'Nobody Known', ['daily', '5'], false],
    ['nobody daily 5', 'nobody', ['daily', '5'], false],
    ["O'Neil daily 5", "O'Neil", ['daily', '5'], false],
    ['"unclosed daily 5', '"unclosed', ['daily', '5'], false],
  ])('%j', async (text, card, rest, isKnown) => {
    expect(await splitCardAndRest(text, isCard)).toEqual({ card, rest, isKnown });
    expect(await splitCardAndRest(text.split(' '), isCard)).toEqual({ card, rest, isKnown });
  });

  it.each([
    ['EMP 7 / North Wing lost on train', 'EMP 7 / North Wing', ['lost', 'on', 'train']],
    ['EMP 7 /  North   Wing', 'EMP 7 / North Wing', []],
    [
      'a b c d e f g h i j k l m n o p q r s t u v w x yz stolen',
      'a b c d e f g h i j k l m n o p q r s t u v w x yz',
      ['stolen'],
    ],
    ['EMP 7 lost', 'EMP 7', ['lost']],
  ])('%j begins with a CustomId of up to 50 characters', async (text, card, rest) => {
    const customIds = ['emp 7 / north wing', 'emp 7', 'a b c d e f g h i j k l m n o p q r s t u v w x yz'];
    const isCustomId = (candidate: string): boolean => customIds.includes(foldId(candidate));

    expect(await splitCardAndRest(text, isCustomId)).toEqual({ card, rest, isKnown: true });
  });

  it('tries no prefix that is too long for a CustomId or has too many words for a name', async () => {
    const asked: string[] = [];
    await splitCardAndRest(`${'word '.repeat(40)}`, (candidate) => asked.push(candidate) < 0);

    expect(Math.max(...asked.map((candidate) => candidate.length))).toBeLessThanOrEqual(50);
    expect(asked).toContain(Array(10).fill('word').join(' '));
    expect(asked.at(-1), 'the first word is the last guess').toBe('word');
  });

  it('takes the longest prefix that is a card', async () => {
    expect(await splitCardAndRest('jane doe lost it', async (one) => isCard(one))).toMatchObject({
      card: 'jane doe lost',
      rest: ['it'],
    });
  });

  it.each([
    ['"Team Week 2" daily 450', 3],
    ['“Jane Doe” lost', 2],
    ['"unclosed daily 5', 0],
    ['Jane "Doe"', 0],
    ['', 0],
  ])('of %j, so many words are a quoted name: %i', (text, count) => {
    expect(countQuoted(text.split(' '))).toBe(count);
  });

  it('is null without words', async () => {
    expect(await splitCardAndRest('  ', isCard)).toBeNull();
    expect(await splitCardAndRest([], isCard)).toBeNull();
  });
});
