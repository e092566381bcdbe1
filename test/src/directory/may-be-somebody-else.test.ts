import { describe, expect, it } from 'vitest';
import type { CardMatch } from '../../../src/directory/index-entries.ts';
import { mayBeSomebodyElse } from '../../../src/directory/may-be-somebody-else.ts';
import { ask } from '../../support/perform-world.ts';

const match = (acctId: number, matchedBy: CardMatch['matchedBy']) => ({ acctId, matchedBy });
const found: Readonly<Record<string, CardMatch[]>> = Object.fromEntries(
  Object.entries({
    'Jane Doe': match(7, 'full_name'),
    'Jane Dow': match(7, 'beginning'),
    smith: match(9, 'name'),
    lo: match(9, 'beginning'),
    '4242': match(9, 'last4'),
  }).map(([typed, one]) => [
    typed,
    [{ ...one, holder: null, customId: null, isVirtual: null, group: null, cards: [] }],
  ]),
);

/** Whether a block of `Jane`, the only one known, asks back: Jane Doe, whose card is that of account 7. */
const asks = (
  typed: string,
  {
    mayAct = true,
    verb = 'block' as 'block' | 'unblock',
    query = 'Jane',
    matchedBy = 'name' as CardMatch['matchedBy'],
  } = {},
) =>
  mayBeSomebodyElse(
    ask(verb),
    query,
    typed.split(' '),
    { ...match(7, matchedBy), holder: 'Jane Doe' },
    {
      directory: { findKnown: async (text) => found[text] ?? [] },
      rights: { mayAct: async () => mayAct },
      isLook: () => false,
    },
  );

describe('a block of the only Jane', () => {
  it.each([
    'Dow’s card',
    "Dow's card",
    'Dow’s account,',
    "Dow's.",
    'James’ card',
    '(Dow)',
    '(Dow).',
    '[Dow],',
    '“Dow”',
    "'Dow'",
    '*Dow*',
    '_Dow_',
    'S.',
    'S',
    'J.',
    'A.',
    'É',
    'E\u0301.',
    'Dow.',
    'Smith, lost',
    'Stone-Lee',
    'He',
    'S’s',
  ])('asks back if a name may go on: %s', async (typed) => {
    expect(await asks(typed)).toBe(true);
  });

  it.each([
    'A thief has it',
    'I lost it',
    'It’s lost',
    'She’s gone',
    'that’s gone',
    'Card’s stolen',
    "Phone's stolen",
    'Wallet’s gone',
    'Today’s purchase',
    'everyone’s gone',
    'LOST',
    'Lost',
    'Stolen!',
    '(lost)',
    '(Lost it)',
    '(Stolen)',
    '(Wallet stolen)',
    '“Lost”',
    '*Fraud*',
    '2',
    '',
  ])('does not ask back if a reason begins: %s', async (typed) => {
    expect(await asks(typed)).toBe(false);
  });

  it.each(['Doe’s card', '(Doe)', 'Doe', 'doe', 'D.', 'D', 'D’s card'])(
    'does not ask back if it is her own name: %s',
    async (typed) => {
      expect(await asks(typed)).toBe(false);
      expect(await asks(typed, { verb: 'unblock' }), 'an unblock can wait').toBe(true);
    },
  );

  it('asks back if a name goes on behind all of hers', async () => {
    expect(await asks('Doe', { query: 'Jane Doe', matchedBy: 'full_name' })).toBe(true);
  });

  it.each(['smith', 'smith’s card', '(smith)'])('asks back if somebody else is called %s', async (typed) => {
    expect(await asks(typed)).toBe(true);
    expect(await asks(typed, { mayAct: false }), 'of whom the person must not learn').toBe(false);
  });

  it.each(['lo', '4242'])('does not ask back for what is no name: %s', async (typed) => {
    expect(await asks(typed)).toBe(false);
  });
});
