import { describe, expect, it } from 'vitest';
import { cardInUse, noteOf, readBack } from '../../../src/actions/send-status.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { CardApiError } from '../../../src/core/errors.ts';

const accountWith = (...statuses: string[]): AccountDetails =>
  AccountDetails.parse({
    AccountId: 1,
    AccountStatus: 'OPEN',
    CardList: statuses.map((CardStatus, index) => ({ CardId: index + 1, Last4CardNumber: '1212', CardStatus })),
  });

const refused = (apiMessage: string | null) =>
  new CardApiError('refused', {
    operation: 'setCardStatus',
    status: 400,
    outcome: 'refused',
    code: 'refused',
    apiMessage,
  });

describe('the card that is meant', () => {
  it.each([
    ['one that was activated', ['CLOSED', 'BLOCKED', 'INACTIVE'], 2],
    ['the newest where none was activated', ['CLOSED', 'INACTIVE', 'INACTIVE'], 3],
    ['the last where all are closed', ['CLOSED', 'CLOSED'], 2],
  ])('is %s', (_which, statuses, cardId) => {
    expect(cardInUse(accountWith(...statuses), null)?.cardId).toBe(cardId);
  });

  it('is the one that was named, whatever its status', () => {
    expect(cardInUse(accountWith('CLOSED', 'ACTIVE'), 1)?.cardId).toBe(1);
  });
});

describe('reading a status back', () => {
  it('answers nothing where the card service cannot be read', async () => {
    const getAccount = async () => {
      throw refused(null);
    };

    expect(await readBack(1, null, { getAccount })).toBeNull();
  });

  it('answers the status that the card has now', async () => {
    expect(await readBack(1, null, { getAccount: async () => accountWith('BLOCKED') })).toBe('BLOCKED');
  });
});

it('says why nothing was done only where the card service did not', () => {
  expect(noteOf(refused('Card is closed.'))).toBeNull();
  expect(noteOf(refused(null))).toContain('without giving a reason');
});
