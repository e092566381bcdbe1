import { beforeEach, expect, it } from 'vitest';
import { AccountDetails, Business } from '../../../src/card-api/schema-account.ts';
import { watchDirectory } from '../../../src/warnings/watch-directory.ts';

let said: string[];
beforeEach(() => {
  said = [];
});

function watched({
  balance = 5000,
  expires = '2029-11-30',
  isOn = true,
  isExpiryWarningDue = true,
  below = 100_000 as number | null,
} = {}) {
  return watchDirectory(
    {
      listAccounts: async () => Business.parse({ BusinessAccountBalance: balance }),
      getAccount: async () =>
        AccountDetails.parse({
          AccountId: 1,
          CardList: [{ CardId: 2, CardStatus: 'Active', ExpirationDate: `${expires}T00:00:00` }],
        }),
    },
    {
      lowBalanceCents: below,
      opsChannel: 'C0OPS',
      preferences: { isOn: async (owner, kind) => isOn && owner === 'C0OPS' && kind === 'low-balance' },
      notifyOps: async ({ title, what }) => void said.push(title, what),
      notifyResolved: async ({ resolved }) => void said.push(resolved?.what ?? ''),
      isExpiryWarningDue: async () => isExpiryWarningDue,
      warnOfExpiry: async (acctId, cardId) => void said.push(`expiry of ${acctId}, card ${cardId}`),
      now: () => new Date('2026-11-20T15:00:00Z'),
    },
  );
}

it('warns ops when the business balance falls below the amount, and says when it no longer is: at exactly that amount', async () => {
  await watched({ balance: 999.99 }).listAccounts();
  await watched({ balance: 1000 }).listAccounts();

  expect(said).toEqual([
    'Business balance is low: $999.99',
    'The business balance is $999.99. The warning is set to $1,000.00.',
    'The business balance is no longer below the warning level.',
  ]);
});

it('calls a business balance below zero overdrawn', async () => {
  await watched({ balance: -12 }).listAccounts();

  expect(said).toEqual([
    'Business balance is low: $12.00 overdrawn',
    'The business balance is $12.00 overdrawn. The warning is set to $1,000.00.',
  ]);
});

it('sends no warning when disabled by the variable or in the channel', async () => {
  await watched({ balance: 1, below: null }).listAccounts();
  await watched({ balance: 1, isOn: false }).listAccounts();

  expect(said).toEqual([]);
});

it('schedules no new check if nobody is still to be warned', async () => {
  await watched({ expires: '2026-11-30', isExpiryWarningDue: false }).getAccount(1);

  expect(said).toEqual([]);
});

it('schedules a check only for a card that expires soon', async () => {
  await watched().getAccount(1);
  await watched({ expires: '2026-11-30' }).getAccount(1);

  expect(said).toEqual(['expiry of 1, card 2']);
});
