import { describe, expect, it } from 'vitest';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { toStoredEvent } from '../../../src/webhooks/kind.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';
import { issuesOf, read, readBody, receivedAt } from './read.ts';

const transaction = (...args: Parameters<typeof read>): TransactionEvent => read(...args) as TransactionEvent;

describe('a network transaction', () => {
  it('is stored in our own compact form, with absolute times, unsigned cents and trimmed text', () => {
    const event = transaction('decline', { MerchantCity: '  FORT WORTH  ', Message: ' Unauthorized merchant ' });

    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{16}$/),
      kind: 'decline',
      callbackAt: '2026-03-02T17:31:07.5738865Z',
      receivedAt: '2026-03-02T17:31:08.000Z',
      acctId: 610001,
      occurredAt: '2026-03-02T17:31:07.0000000Z',
      requestedAt: '2026-03-02T17:31:07.0000000Z',
      settledAt: null,
      networkTransactionId: '2265017',
      authTransactionId: null,
      networkType: 'Auth',
      amountCents: 21_540,
      paddingCents: 0,
      direction: 'debit',
      requestedCents: 21_540,
      availableCents: 125_000,
      ledgerCents: 125_000,
      merchant: { name: 'TOOL BARN 0412', city: 'FORT WORTH', state: 'TX', country: 'US', id: '445301978521' },
      mcc: '5251',
      isCardPresent: true,
      decline: { code: 'decline.rule.mcc', message: 'Unauthorized merchant' },
    });
  });

  it.each([
    ['TransactionId', 2465657073],
    ['HoldTime', null],
    ['SettlementTime', 'no datetime at all'],
    ['MerchantLocalTime', ''],
    ['PaddingAmount', null],
    ['PaddingAmount', 'a tip'],
    ['Description', undefined],
    ['TransactionNotes', [{ Note: 'an array, as in the API' }]],
    ['ReferencedTranId', 1],
    ['ReferencedTransactionTime', 0],
    ['MerchantZip', null],
    ['AuthIdentityResponseCode', undefined],
    ['TerminalId', null],
    ['SomethingNew', { of: ['tomorrow'] }],
  ])('accepts %s, which is not used: %j', (field, value) => {
    const event = transaction('authorization', { [field]: value });

    expect(event).toEqual(transaction('authorization'));
  });

  it.each([
    ['AuthTransactionId', null, 'authTransactionId', null],
    ['AuthTransactionId', undefined, 'authTransactionId', null],
    ['AuthTransactionId', 0, 'authTransactionId', null],
    ['AuthTransactionId', '0', 'authTransactionId', null],
    ['AuthTransactionId', 2465657071, 'authTransactionId', '2465657071'],
    ['AcctId', '610001', 'acctId', 610_001],
    ['NetworkTransactionId', '4111111111111112', 'networkTransactionId', '4111111111111112'],
    ['NetworkTransactionId', '4111111111111111', 'networkTransactionId', '4111••••••••1111'],
    ['TransactionAmount', '-84.10', 'amountCents', 8410],
    ['TransactionAmount', 0, 'amountCents', 0],
    ['PaddingAmount', 49, 'paddingCents', 4900],
    ['PaddingAmount', '-8.00', 'paddingCents', 800],
    ['PaddingAmount', undefined, 'paddingCents', 0],
    ['AvailableBalance', null, 'availableCents', null],
    ['AvailableBalance', -12.34, 'availableCents', -1234],
    ['LedgerBalance', undefined, 'ledgerCents', null],
    ['MerchantRequestedAmount', undefined, 'requestedCents', null],
    ['MerchantRequestedAmount', -100.5, 'requestedCents', 10_050],
    ['MCCCode', null, 'mcc', ''],
    ['MCCCode', ' 5812 ', 'mcc', '5812'],
    ['MCCCode', 5812, 'mcc', '5812'],
    ['AvailableBalance', '', 'availableCents', null],
    ['MerchantRequestedAmount', ' ', 'requestedCents', null],
    ['IsCardPresent', undefined, 'isCardPresent', null],
    ['IsCardPresent', false, 'isCardPresent', false],
    ['NetworkType', ' auth ', 'networkType', 'Auth'],
    ['NetworkType', 'AUTH', 'networkType', 'Auth'],
  ] as const)('reads %s %j as %s %j', (field, value, of, kept) => {
    expect(transaction('authorization', { [field]: value })[of]).toEqual(kept);
  });

  it.each([
    ['MerchantName', '', 'name'],
    ['MerchantCity', null, 'city'],
    ['MerchantState', undefined, 'state'],
    ['MerchantCountry', '   ', 'country'],
    ['MerchantId', null, 'id'],
  ] as const)('may have an empty %s: %j', (field, value, of) => {
    expect(transaction('authorization', { [field]: value }).merchant[of]).toBe('');
  });

  it.each([
    ['NetworkTransactionId', undefined],
    ['NetworkTransactionId', null],
    ['NetworkTransactionId', 'abc'],
    ['NetworkTransactionId', 1.5],
    ['AcctId', undefined],
    ['AcctId', 0],
    ['AcctId', -1],
    ['AcctId', '4111111111111111'],
    ['AcctId', 4111111111111111],
    ['TransactionTime', undefined],
    ['TransactionTime', null],
    ['TransactionTime', '2026-02-30T12:00:00'],
    ['TransactionTime', 'yesterday'],
    ['TransactionAmount', undefined],
    ['TransactionAmount', null],
    ['TransactionAmount', 'a lot'],
    ['TransactionAmount', 4111111111111111],
    ['TransactionId', ['2465657073']],
    ['AuthTransactionId', 2 ** 60],
    ['NetworkType', 'Telex'],
    ['NetworkType', null],
    ['NetworkStatus', 'Maybe'],
    ['NetworkStatus', 1],
    ['MessageCode', []],
  ])('is invalid with %s %j, and the issue names the field but not the value', (field, value) => {
    const issues = issuesOf(() => transaction('authorization', { [field]: value }));

    expect(issues).toHaveLength(1);
    expect(issues[0]).toMatch(new RegExp(`^${field}: `));
    if (typeof value === 'string') expect(issues[0]).not.toContain(value);
    if (typeof value === 'number') expect(issues[0]).not.toContain(String(value));
  });

  it.each([
    ['AvailableBalance', {}],
    ['LedgerBalance', 'a lot'],
    ['MerchantRequestedAmount', 4111111111111111],
    ['PaddingAmount', 'a tip'],
    ['MerchantName', 7],
    ['MerchantCity', 76_102],
    ['MerchantState', []],
    ['MerchantCountry', { Code: 'US' }],
    ['MerchantId', ['445301978521']],
    ['MerchantId', 2 ** 60],
    ['MCCCode', true],
    ['IsCardPresent', 'yes'],
    ['Message', 42],
  ])(
    'with an unreadable %s (%j) is posted as if it were not given, and its name is reported without its value',
    (field, value) => {
      const ignored: string[] = [];
      const body = webhook('decline', { [field]: value });
      const facts = { zone: 'America/New_York', version: '2.0.1.3', receivedAt };
      const event = toStoredEvent(body, 'decline', { ...facts, onIgnored: (issues) => void ignored.push(...issues) });

      expect(event).toEqual(transaction('decline', { [field]: null }));
      expect(ignored).toEqual([expect.stringMatching(new RegExp(`^${field}: `))]);
      expect(ignored.join()).not.toMatch(/lot|411|76.?102|US|4453|yes|42/);
    },
  );

  it('is invalid for all its issues if one of them is in an essential field', () => {
    const issues = issuesOf(() => transaction('decline', { MerchantCity: 7, AcctId: 'x' }));

    expect(issues.map((issue) => issue.split(':')[0])).toEqual(['AcctId', 'MerchantCity']);
  });

  it.each([
    ['authorization', { NetworkStatus: null }, true],
    ['pin', { NetworkStatus: '' }, true],
    ['authorization', { NetworkStatus: 'Approved' }, false],
    ['decline', { NetworkStatus: null }, false],
    ['settlement', {}, false],
  ])(
    'a %s with %j and an unreadable message is invalid, if the message could mean a decline: %j',
    (name, fields, isInvalid) => {
      const issues = issuesOf(() => transaction(name, { ...fields, Message: {} }));

      expect(issues.length > 0).toBe(isInvalid);
    },
  );

  it('shows no pattern, which tells only programmers what was expected', () => {
    const fields = { NetworkType: 'z', NetworkStatus: 'z', TransactionAmount: 'z', NetworkTransactionId: 'z' };

    expect(issuesOf(() => transaction('pin', fields)).join()).not.toMatch(/[\\^$]|pattern/);
  });

  it.each([
    ['settlement', null, 'settlement'],
    ['settlement', '', 'settlement'],
    ['reversal', null, 'reversal'],
    ['settlement', 'Declined', 'decline'],
    ['authorization', null, 'decline'],
    ['pin', null, 'decline'],
  ])('a %s with the status %j and a decline code is a %s', (name, NetworkStatus, kind) => {
    expect(transaction(name, { NetworkStatus, MessageCode: 'decline.remote' }).kind).toBe(kind);
  });

  it.each([
    ['authorization', { Message: 'Do not honor' }, 'decline'],
    ['pin', { Message: 'Invalid PIN' }, 'decline'],
    ['authorization', { MessageCode: 'Fraud.Suspected' }, 'decline'],
    ['authorization', { Message: ' ', MessageCode: '' }, 'authorization'],
    ['pin', { Message: 'Approved' }, 'pin'],
    ['settlement', { Message: 'Do not honor' }, 'settlement'],
    ['reversal', { MessageCode: 'decline.remote' }, 'reversal'],
  ])('a %s without a status and with %j is a %s: only declines have a reason', (name, fields, kind) => {
    const reasons = { Message: null, MessageCode: null, ...fields };

    expect(transaction(name, { NetworkStatus: null, ...reasons }).kind).toBe(kind);
  });

  it.each([
    [0, -200, 20_000, 20_000],
    [-84.1, 0, 8410, null],
    [-84.1, -100, 8410, 10_000],
    [0, 0, 0, null],
  ])(
    'a decline of %d for which the merchant asked for %d has the amount that was tried',
    (own, asked, cents, requested) => {
      const event = transaction('decline', { TransactionAmount: own, MerchantRequestedAmount: asked });

      expect(event).toMatchObject({ amountCents: cents, requestedCents: requested });
    },
  );

  it('keeps an amount of zero when it is not declined', () => {
    const event = transaction('authorization', { TransactionAmount: 0, MerchantRequestedAmount: -200 });

    expect(event).toMatchObject({ amountCents: 0, requestedCents: 20_000 });
  });

  it('reports all invalid fields together', () => {
    expect(issuesOf(() => transaction('pin', { NetworkTransactionId: { Id: 1 } }))).toEqual([
      'NetworkTransactionId: not of an expected type',
    ]);
    const issues = issuesOf(() => transaction('pin', { AcctId: 'x', TransactionAmount: 'y', NetworkType: 'z' }));

    expect(issues.map((issue) => issue.split(':')[0])).toEqual(['AcctId', 'TransactionAmount', 'NetworkType']);
  });

  it('says in plain words what was expected and what is missing', () => {
    expect(issuesOf(() => readBody({}, 'decline', undefined))).toEqual([
      'CallbackTime: expected string, but it is missing',
      'Data: expected an object',
    ]);
  });
});

describe('the direction of money', () => {
  const kinds = ['authorization', 'pin', 'settlement', 'reversal', 'decline', 'decline-pin', 'settlement-credit'];
  const current = ['2.0.1.3', '2.0.1.4', '2.0.2', '2.1', '3', '10.0.0.0', ' 2.0.1.3 ', '2.0.1.3.0', '', undefined];
  const unreadable = ['latest', '2.0.1.x', '-1', '2..0', '2.0.1.3, 2.0.1.1', '9'.repeat(50)];
  const old = ['2.0.1.2', '2.0.1', '2.0.0.9', '2', '1.9.9.9', '0'];
  const rows = kinds.flatMap((kind) => [
    ...[...current, ...unreadable].map((version) => [kind, version, 1] as const),
    ...old.map((version) => [kind, version, -1] as const),
  ]);

  it.each(rows)('of %s with version %j is the same, whatever sign that version writes', (kind, version, sign) => {
    const today = transaction(kind);
    const amount = today.amountCents / 100;
    const isCredit = kind === 'reversal' || kind === 'settlement-credit';

    const event = read(kind, { TransactionAmount: sign * (isCredit ? amount : -amount) }, { version });

    expect(event).toMatchObject({ id: today.id, amountCents: today.amountCents });
    expect(event).toMatchObject({ direction: isCredit ? 'credit' : 'debit' });
  });

  it.each([
    ['authorization', 84.1, 'debit'],
    ['decline', 215.4, 'debit'],
    ['pin', 15, 'debit'],
    ['reversal', -84.1, 'credit'],
  ])('of %s follows from the kind, even if its sign contradicts the table: %d is %s', (kind, amount, direction) => {
    expect(transaction(kind, { TransactionAmount: amount }).direction).toBe(direction);
  });

  it.each([
    [0.01, 'credit'],
    [-0.01, 'debit'],
  ])('of a settlement follows from its sign, even for a single cent: %d is a %s', (TransactionAmount, direction) => {
    expect(transaction('settlement', { TransactionAmount }).direction).toBe(direction);
  });

  it('of zero is a debit', () => {
    expect(transaction('settlement', { TransactionAmount: 0 }).direction).toBe('debit');
    expect(transaction('settlement', { TransactionAmount: -0 }).amountCents).toBe(0);
  });
});

it('shows no card number that is split over name, city, state and country', () => {
  const halves = { MerchantCity: '4012 8888', MerchantState: '8888 1881' };
  const merchantOf = (data: Record<string, unknown>) => (read('decline', data) as TransactionEvent).merchant;

  expect(merchantOf({ MerchantName: 'SHELL', ...halves })).toMatchObject({
    name: 'SHELL [card ••1881]',
    city: '',
    state: '',
    country: 'US',
  });
  expect(
    merchantOf({ MerchantName: '4012 8888', MerchantCity: '', MerchantState: '', MerchantCountry: '8888 1881' }),
  ).toMatchObject({
    name: '[card ••1881]',
    country: '',
  });
  expect(
    merchantOf({ MerchantName: 'SHELL 57444', MerchantCity: '800-555-0199', MerchantCountry: '840' }),
  ).toMatchObject({
    name: 'SHELL 57444',
    city: '800-555-0199',
    country: '840',
  });
});

it.each(['800-555-0199', '8005550199', '(800) 555-0199', '1-800-555-0199', '402.935.7733'])(
  'shows name and city of a merchant whose city is the phone number %s, whatever its store number',
  (MerchantCity) => {
    for (let store = 0; store < 2000; store += 1) {
      const MerchantName = `STARBUCKS STORE 0${store}`;
      const body = webhook('decline', { MerchantName, MerchantCity });
      const kept = { name: MerchantName, city: MerchantCity };

      expect(transaction('decline', body.Data).merchant).toMatchObject(kept);
      expect(quarantine(body, { path: 'decline', issues: [], version: undefined, receivedAt }).body).toMatchObject({
        Data: { MerchantName, MerchantCity },
      });
    }
  },
);
