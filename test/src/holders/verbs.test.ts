import { describe, expect, it } from 'vitest';
import { holderVerbs } from '../../../src/holders/verbs.ts';

const { read } = holderVerbs.link.command;

it('parses a command into an action of its verb', () => {
  expect(read(['4242', '<@U0JANE>'])).toMatchObject({ verb: 'link', input: { subject: 'U0JANE' } });
});

it.each(['my card 4242 <@U0JANE>', 'my 4242 to <@U0JANE> please', '<@U0JANE> my card no. 4242'])(
  'finds the digits in “link %s”, also for somebody who names themselves',
  (typed) => {
    const asked = read(typed.split(' '));
    expect(asked).toMatchObject({ verb: 'link', input: { subject: 'U0JANE' } });
    expect('target' in asked && asked.target.kind === 'words' && asked.target.words.join(' ')).toMatch(
      /^(card |no\. )*4242$/,
    );
  },
);

it.each(['4242 to <@U0JANE>', '<@U0JANE> to 4242', '4242 for <@U0JANE>', 'to <@U0JANE> 4242', '<@U0JANE> with 4242'])(
  'reads the card and the person of “link %s”',
  (typed) => {
    expect(read(typed.split(' '))).toMatchObject({ target: { words: ['4242'] }, input: { subject: 'U0JANE' } });
  },
);

it.each([
  ['Minh To <@U0JANE>', ['Minh', 'To']],
  ['for rent account <@U0JANE>', ['for', 'rent', 'account']],
])('takes no word of the card in “link %s” for one that leads to the person', (typed, words) => {
  expect(read(typed.split(' '))).toMatchObject({ target: { words }, input: { subject: 'U0JANE' } });
});

it.each([
  ['4242', '4242'],
  ['my 4242', '4242'],
  ['my card 4242', 'card 4242'],
  ['my card ending in 4242 please', 'card ending in 4242'],
  ['4242 to me', '4242'],
  ['my card 4242 to me, please!', 'card 4242'],
  ['me 4242', '4242'],
  ['to me 4242', '4242'],
  ['please 4242 for me', '4242'],
  ['4242 Please', '4242'],
  ['Please 4242', '4242'],
  ['my card', 'my card'],
  ['me', 'me'],
  ['Jane Me', 'Jane Me'],
  ['Minh To', 'Minh To'],
])('reads “link %s” as a claim of “%s”', (typed, words) => {
  expect(read(typed.split(' '))).toMatchObject({
    verb: 'claim',
    target: { kind: 'words', words: words.split(' ') },
    input: { confirmed: false },
  });
});

it.each(['4242 <@U0JANE> <@U0SAM>', '<@U0JANE> @sam 4242'])(
  'asks for one card and one person in “link %s”',
  (typed) => {
    expect(read(typed.split(' '))).toMatchObject({ kind: 'unclear', why: 'Name one card and one person.' });
  },
);

describe('unlink', () => {
  const unlink = holderVerbs.unlink.command.read;

  it.each([['4242'], ['<@U0JANE>'], ['Jane', 'Doe']])('ends the link of a card, or of a person: %j', (...words) => {
    expect(unlink(words)).toMatchObject({ verb: 'unlink', target: { words } });
  });

  it.each(['4242 from @jane', '4242 from <@U0JANE>', '<@U0JANE> 4242', '4242 @jane'])(
    'asks which of both “%s” means, because the card may be linked to somebody else',
    (typed) => {
      expect(unlink(typed.split(' '))).toMatchObject({
        kind: 'unclear',
        why: 'Name the card or the person, not both.',
        usage: 'unlink CARD | unlink @user',
      });
    },
  );

  it('asks which card', () => {
    expect(unlink([])).toMatchObject({ kind: 'unclear', why: 'Which card should I unlink?' });
  });
});

it('gives a usage hint when it cannot parse a command', () => {
  expect(read(['4242', '@jane'])).toMatchObject({ kind: 'unclear', usage: expect.stringMatching(/^[a-z]/) });
});
