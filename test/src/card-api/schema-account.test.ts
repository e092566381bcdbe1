import { expect, it } from 'vitest';
import { AccountDetails, Business, CurrentToken, ListedAccount } from '../../../src/card-api/schema-account.ts';

it('normalizes an account: upper-case statuses, whole cents, numeric ids', () => {
  const account = AccountDetails.parse({
    AccountId: '7',
    Group: { Id: 3, GroupName: 'Field' },
    SpendingRulesetId: 0,
    AccountStatus: 'Open',
    AvailableBalance: 1.005,
    ProfileAddress: { ContactName: ' Jane Doe ', AddressLine1: 'never read' },
    Email: '',
    IsVirtual: false,
    CustomId: null,
    CardList: [
      { CardId: 71, Last4CardNumber: '1234', CardStatus: 'Active', ExpirationDate: '2028-11-30T00:00:00' },
      { CardId: 72, Last4CardNumber: '2345', CardStatus: 'BLOCKED' },
      { CardId: 73, Last4CardNumber: '3456', CardStatus: 5 },
      { CardId: 74, CardStatus: 'Melted' },
    ],
  });

  expect(account).toEqual({
    acctId: 7,
    accountStatus: 'OPEN',
    availableCents: 101,
    email: null,
    isVirtual: false,
    customId: null,
    group: 'Field',
    rulesetId: null,
    contactName: 'Jane Doe',
    cards: [
      { cardId: 71, last4: '1234', status: 'ACTIVE', expiresOn: '2028-11-30' },
      { cardId: 72, last4: '2345', status: 'BLOCKED', expiresOn: null },
      { cardId: 73, last4: '3456', status: 'CLOSED', expiresOn: null },
      { cardId: 74, last4: null, status: null, expiresOn: null },
    ],
  });
});

it('keeps each card of an account, whatever can be read of it: activating one of them closes the others', () => {
  const cardsOf = (...CardList: unknown[]) => AccountDetails.parse({ AccountId: 7, CardList }).cards;
  const unknown = { last4: null, status: null, expiresOn: null };

  expect(cardsOf({ CardId: 71, Last4CardNumber: 4343, CardStatus: 'Active', ExpirationDate: 20281130 })).toEqual([
    { ...unknown, cardId: 71, last4: '4343', status: 'ACTIVE' },
  ]);
  // A number lacks the zero that it began with.
  expect(cardsOf({ CardId: 71, Last4CardNumber: 42 }, { CardId: 72, Last4CardNumber: {}, CardStatus: [] })).toEqual([
    { ...unknown, cardId: 71 },
    { ...unknown, cardId: 72 },
  ]);
});

it('rejects an account if the id of one of its cards cannot be read', () => {
  const good = { CardId: 71, Last4CardNumber: '1234', CardStatus: 'Active' };

  for (const bad of [{ ...good, CardId: null }, { Last4CardNumber: '1234' }, null])
    expect(AccountDetails.safeParse({ AccountId: 7, CardList: [good, bad] }).success).toBe(false);
  expect(AccountDetails.parse({ AccountId: 7, CardList: null }).cards).toEqual([]);
});

it('keeps a list of accounts with one broken row, counts it, and rejects the list if all rows are broken', () => {
  const good = {
    AccountId: 7,
    FirstName: 'Jane',
    LastName: 'Doe',
    CardNumber4Digits: '************1234',
    CardStatus: 'Active',
  };
  const { accounts, unreadable } = Business.parse({ CHAccountList: [{ AccountId: null }, good] });
  expect(unreadable).toBe(1);
  expect(accounts).toMatchObject([{ acctId: 7, firstName: 'Jane', last4: '1234', cardStatus: 'ACTIVE' }]);

  expect(Business.safeParse({ CHAccountList: [{ AccountId: null }, {}] }).success).toBe(false);
});

it('leaves out accounts that have no number yet: several of them would be one', () => {
  const { accounts, unreadable } = Business.parse({ CHAccountList: [{ AccountId: 0 }, { AccountId: '0' }] });

  expect({ accounts, unreadable }).toEqual({ accounts: [], unreadable: 0 });
});

it('lists an account whose balance cannot be read, without the balance', () => {
  const { accounts } = Business.parse({
    CHAccountList: [
      { AccountId: 7, AvailableBalance: 'unknown' },
      { AccountId: 8, AvailableBalance: '12.50' },
    ],
  });

  expect(accounts).toMatchObject([
    { acctId: 7, availableCents: null },
    { acctId: 8, availableCents: 1250 },
  ]);
});

it('keeps no more than four digits of a card number, whatever field the service puts it in', () => {
  const number = '4111111111111111';
  const names = { FirstName: number, LastName: number, CustomId: number };
  const kept = [
    ListedAccount.parse({ AccountId: 7, ...names, CardNumber4Digits: number }),
    AccountDetails.parse({
      AccountId: 7,
      CustomId: number,
      ProfileAddress: { ContactName: number },
      CardList: [{ CardId: 71, Last4CardNumber: number }],
    }),
  ];

  expect(kept).toMatchObject([
    { firstName: '[card ••1111]', lastName: '[card ••1111]', customId: '[card ••1111]', last4: '1111' },
    { cards: [{ last4: '1111' }] },
  ]);
  expect(JSON.stringify(kept)).not.toContain('41111111');
});

it('removes security codes from names, and keeps a CustomId as it is', () => {
  const names = { FirstName: 'Jane', LastName: 'Doe CVV 123', CustomId: 'EXP-2024' };

  expect(ListedAccount.parse({ AccountId: 7, ...names })).toMatchObject({
    lastName: 'Doe CVV [removed]',
    customId: 'EXP-2024',
  });
  expect(
    AccountDetails.parse({ AccountId: 7, ProfileAddress: { ContactName: 'Jane Doe CVV 123' }, CardList: [] }),
  ).toMatchObject({ contactName: 'Jane Doe CVV [removed]' });
});

it('reads an account whose custom id is a number', () => {
  expect(ListedAccount.parse({ AccountId: 7, CustomId: 12345 })).toMatchObject({ customId: '12345' });
  expect(AccountDetails.parse({ AccountId: 7, CustomId: 12345, CardList: [] })).toMatchObject({ customId: '12345' });
});

it('an account that is said to follow the ruleset 0 has rules of its own', () => {
  const rulesets = [0, '0', null, undefined, 4].map(
    (SpendingRulesetId) => AccountDetails.parse({ AccountId: 7, SpendingRulesetId, CardList: [] }).rulesetId,
  );

  expect(rulesets).toEqual([null, null, null, null, 4]);
});

it('never reads the token that the service repeats', () => {
  const token = CurrentToken.parse({
    Token: 'never',
    TokenExpiration: '2027-01-01T13:00:00.123',
  });

  expect(JSON.stringify(token)).not.toContain('never');
  expect(token.expiresOn).toBe('2027-01-01');
});
