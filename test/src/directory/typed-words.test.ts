import { describe, expect, it } from 'vitest';
import { aboutCard } from '../../../src/actions/verb.ts';
import type { CardMatch } from '../../../src/directory/index-entries.ts';
import { withoutTypedSecrets } from '../../../src/directory/typed-words.ts';

const match: CardMatch = {
  acctId: 7,
  holder: 'Jane Doe',
  customId: null,
  isVirtual: false,
  group: null,
  cards: [],
  matchedBy: 'custom_id',
};
const cards = ['5072', 'account no. 7379', 'PIN-0042', 'Field CID 1001', 'Jane Doe'];
const directory = { findKnown: async (query: string) => (cards.includes(query) ? [match] : []) };

describe('a typed command as it is stored', () => {
  it.each([
    [
      'block',
      '5072 stolen with the note PIN 4321, CVV 737, password: hunter2 token=abc',
      '5072 stolen with the note PIN [removed], CVV [removed], password: [removed] token=[removed]',
    ],
    [
      'block',
      '5072 leaked key xoxb-123456789012-abc and token abcdef12345',
      '5072 leaked key [removed] and token [removed]',
    ],
    ['block', 'PIN-0042 note PIN 4321', 'PIN-0042 note PIN [removed]'],
    ['unblock', 'Field CID 1001 cvv: 737', 'Field CID 1001 cvv: [removed]'],
    ['block', 'Jane Doe PIN 4321', 'Jane Doe PIN [removed]'],
    ['block', '"Jane Doe", PIN 4321', '"Jane Doe", PIN [removed]'],
    // Another card, which is asked about, and what is none.
    ['block', '5072 and account no. 7379 PIN 4321', '5072 and account no. 7379 PIN [removed]'],
    ['unblock', '5072 , PIN-0042', '5072 , PIN-0042'],
    ['unblock', '5072 & Field CID 1001 found', '5072 & Field CID 1001 found'],
    ['block', '5072 and account no. 7380', '5072 and account no. [removed]'],
    ['block', '5072 and PIN-0043', '5072 and PIN-[removed]'],
    ['block', '5072 password leaked', '5072 password leaked'],
    ['show', 'PIN-0042', 'PIN-0042'],
    ['show', 'CVV2: 737', 'CVV2: [removed]'],
    ['block', '5072 lost on the train', '5072 lost on the train'],
  ])('%s %s is %s', async (verb, typed, kept) => {
    const { target } = await withoutTypedSecrets(aboutCard(verb, typed.split(' ')), directory);

    expect(target).toEqual({ kind: 'words', words: kept.split(' ') });
  });

  it('has no secret behind the time of a mute', async () => {
    const command = aboutCard('mute', ['5072'], { details: '2h PIN 4321' });

    expect((await withoutTypedSecrets(command, directory)).input).toEqual({ details: '2h PIN [removed]' });
  });
});
