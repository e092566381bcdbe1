import { describe, expect, it } from 'vitest';
import { askedBesides } from '../../../src/directory/asked-besides.ts';
import type { CardMatch } from '../../../src/directory/index-entries.ts';
import { ask } from '../../support/perform-world.ts';

const matchOf = (acctId: number, matchedBy: CardMatch['matchedBy']): CardMatch => ({
  acctId,
  holder: null,
  customId: null,
  isVirtual: false,
  group: null,
  cards: [],
  matchedBy,
});
const known: Readonly<Record<string, CardMatch[]>> = {
  '4242': [matchOf(7, 'last4')],
  '4243': [matchOf(9, 'last4')],
  'card 4243': [matchOf(9, 'last4')],
  Sam: [matchOf(9, 'name')],
  'Sam Rivera': [matchOf(9, 'name')],
  the: [matchOf(9, 'beginning')],
  '2026': [matchOf(12, 'last4')],
  '8888': [matchOf(11, 'last4')],
};
const besides = (verb: 'block' | 'unblock' | 'activate', reason: string) =>
  askedBesides(
    { action: ask(verb, { reason, target: { kind: 'words', words: ['4242'] } }), acctId: 7, cardId: null },
    {
      findKnown: async (words) => known[words] ?? [],
      rights: {
        mayAct: async (_action, acctId) => acctId !== 11,
      },
    },
  );

describe('another card in the reason', () => {
  it.each([
    ['4243', '4243'],
    ['and 4243 stolen', '4243'],
    [', 4243', '4243'],
    ['/ 4243', '4243'],
    ['&4243', '4243'],
    ['and card 4243', 'card 4243'],
    ['and Sam Rivera', 'Sam Rivera'],
    ['+ Sam lost them', 'Sam'],
    ['and @jane lost', '@jane'],
    [', @jane', '@jane'],
  ])('is the card that “%s” names', async (reason, other) => {
    expect(await besides('block', reason)).toMatchObject({
      note: `Only one card at a time. For ${other}, type \`/card block ${other}\`.`,
    });
    expect(await besides('unblock', reason)).toMatchObject({
      why: 'Only one card at a time.',
      whoCan: `For ${other}, type \`/card unblock ${other}\`.`,
    });
  });

  it.each(['2026 budget approved', '- 2026 budget approved'])(
    'is not the number at the start of “%s” for an unblock, which would be refused',
    async (reason) => {
      expect(await besides('unblock', reason)).toBeNull();
      expect((await besides('block', reason))?.note).toContain('For 2026, type');
    },
  );

  it.each([
    ['lost and 4243', '4243'],
    ['stolen 4243', '4243'],
    [', @jane lost', '@jane'],
  ])('is for a block, which is not refused, also the one in “%s”', async (reason, other) => {
    expect((await besides('block', reason))?.note).toContain(`For ${other}, type`);
    expect(await besides('unblock', reason)).toBeNull();
  });

  it.each([
    ['stolen on the train and 4243', '4243'],
    ['stolen, also block 4243', '4243'],
    ['stolen in Denver and the other card ending in 4243 too', '4243'],
    ['lost; 4243 as well', '4243'],
    ['and 9999 and 4243', '4243'],
  ])('is for a block also the one deeper in “%s”', async (reason, other) => {
    expect((await besides('block', reason))?.note).toContain(`For ${other}, type`);
    expect(await besides('unblock', reason)).toBeNull();
  });

  it.each([
    ['says why and nothing else', 'lost'],
    ['gives a number that nothing joins to the card', 'lost at gate 4243'],
    ['names cards that the person may not see or that are the same', 'stolen and 8888 and 4242'],
    ['names the same card again', '4242 stolen'],
    ['only begins a name', 'and the PIN with it'],
    ['names a card that the person may not see', 'and 8888 stolen'],
    ['says who did something', 'Sam Rivera lost it'],
    ['names no card', 'and 9999 stolen'],
  ])('is none if it %s: “%s”', async (_what, reason) => {
    expect(await besides('block', reason)).toBeNull();
  });

  it('matters only where the words behind the card are a reason', async () => {
    expect(await besides('activate', 'and 4243')).toBeNull();
  });
});

describe('an end in the reason', () => {
  it.each([
    'for 2 hours',
    '2h',
    'until friday',
    'tonight',
    'temporarily',
    'for the trip until friday',
    '(until friday)',
    '- until: friday',
    '(for 2 hours)',
    'for the trip (until friday), client',
  ])('is “%s”, which neither a block nor an unblock has', async (reason) => {
    expect(await besides('block', reason)).toMatchObject({
      note: 'A block has no end: the card stays blocked until it is unblocked.',
    });
    expect(await besides('unblock', reason)).toMatchObject({
      why: 'An unblock has no end.',
      whoCan: 'Leave the time out.',
    });
  });

  it.each([
    '',
    'found again',
    'found again today',
    'lost for good',
    'for the team offsite',
    'holder was on leave for 2 weeks',
    'was away until friday',
  ])('is not in “%s”', async (reason) => {
    expect(await besides('unblock', reason)).toBeNull();
  });

  it.each(['on vacation until friday', 'lost, for 2 days'])('of a block is noted anywhere: “%s”', async (reason) => {
    expect((await besides('block', reason))?.note).toContain('A block has no end');
    expect(await besides('unblock', reason)).toBeNull();
  });
});
