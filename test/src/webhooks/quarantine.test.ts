import { describe, expect, it } from 'vitest';
import { toStoredEvent } from '../../../src/webhooks/kind.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { plantedSecretsIn, webhook, webhookNames } from '../../fixtures/webhooks/webhook.ts';
import { issuesOf, receivedAt } from './read.ts';

const pan = '4111111111111111';
const facts = { path: 'virtual-card', issues: ['AcctId: not of an expected type'], version: '2.0.1.3', receivedAt };
const bodyOf = (body: unknown): unknown => quarantine(body, facts).body;

describe('a quarantined webhook', () => {
  it('keeps what a replay and a person need', () => {
    const kept = quarantine(webhook('virtual-card', { Balance: 'lots' }), facts);

    expect(kept).toMatchObject({ path: 'virtual-card', issues: facts.issues, version: '2.0.1.3', receivedAt });
    expect(kept.body).toEqual({
      CallbackTime: '2026-03-02T12:31:07.5738865-05:00',
      Data: {
        AccountId: 610_029,
        AccountNumber: '[text, 14 characters]',
        FirstName: 'Cloud',
        LastName: 'Hosting',
        CardNumber: '••1111',
        ExpirationDate: '[text, 19 characters]',
        CVV2: '[text, 3 characters]',
        Status: 'ACTIVE',
        Balance: 'lots',
        VirtualCardOrderId: 55_229,
        OrderDateTime: '2026-03-02T12:31:07.124',
        Errors: [],
        Message: 'Account Creation Successful',
      },
    });
  });

  it.each([...webhookNames, 'card-token-created'])('of %s holds none of the secrets in its fixture', (name) => {
    const text = JSON.stringify(quarantine(webhook(name), facts));

    expect(plantedSecretsIn(text)).toEqual([]);
  });

  it.each([...webhookNames, 'virtual-card-not-created'])(
    'of %s can be replayed into exactly the event it would have been',
    (name) => {
      const options = { zone: 'America/New_York', version: '2.0.1.3', receivedAt };
      const original = webhook(name);

      const replayed = toStoredEvent(quarantine(original, facts).body, 'pin', options);

      expect(replayed).toEqual(toStoredEvent(original, 'pin', options));
    },
  );

  it.each(['PIN-0042', 'CID 1001', 'EXP-2027', 1001, '4111 1111 1111 1111', 'pin: 0042'])(
    'replays a status webhook with the CustomId that it would have had: %s',
    (CustomId) => {
      const options = { zone: 'America/New_York', version: '2.0.1.3', receivedAt };
      const original = webhook('card-status', { CustomId });

      expect(toStoredEvent(quarantine(original, facts).body, 'card-status', options)).toEqual(
        toStoredEvent(original, 'card-status', options),
      );
    },
  );

  it.each([4_111_111_111_111_111, '4111111111111111'])(
    'replays as the event it is if its id could be a card number: %s',
    (id) => {
      const options = { zone: 'America/New_York', version: '2.0.1.3', receivedAt };
      const original = webhook('decline', { NetworkTransactionId: id });

      expect(toStoredEvent(quarantine(original, facts).body, 'pin', options)).toEqual(
        toStoredEvent(original, 'pin', options),
      );
    },
  );

  it.each([
    '4111:1111:1111:1111',
    '4111%201111%201111%201111',
    '34313131313131313131313131313131',
    'DE89370400440532013000',
    'GB29 NWBK 6016 1331 9268 19',
    'account # 12345678',
    'routing 021000021',
    'SSN 123-45-6789',
    'valid thru 12/29',
    'c.v.v: 123',
    'CVD 123',
    'verification value 123',
    'Bearer abc.def.ghi',
    'token: abc123def',
    'api key: sk_live_123456',
    'pwd=hunter2',
  ])('removes %s from text', (text) => {
    const kept = JSON.stringify(bodyOf({ Message: text }));
    const secret = /[\w:%./-]*\d[\w:%./ -]*$|\S+$/.exec(text)?.[0] ?? '';

    expect(kept).toMatch(/\[removed\]|\[card ••1111\]/);
    expect(kept).not.toContain(secret);
  });

  it('keeps nothing of a card’s magnetic stripe', () => {
    const text = JSON.stringify(
      bodyOf({ Message: ['4111111111111111=29121010000', '%B4111111111111111^DOE/JANE^2912101?'] }),
    );

    expect(text).not.toMatch(/2912|411111/);
  });

  it.each([
    'Account 610029 not found',
    'the card token created',
    'Invalid token supplied',
    '2026-03-02T12:31:07.124 TransactionTime 12:31:07',
    'bearer of news',
    'Order US12 3456789 shipped',
  ])('keeps %s unchanged', (text) => {
    expect(bodyOf({ Message: text })).toEqual({ Message: text });
  });

  it('has one id per content and receiver, whenever it arrives', () => {
    const one = quarantine({ Message: 'a' }, facts);

    expect(quarantine({ Message: 'a' }, { ...facts, receivedAt: '2026-03-03T00:00:00.000Z', issues: [] }).id).toBe(
      one.id,
    );
    expect(quarantine({ Message: 'b' }, facts).id).not.toBe(one.id);
    expect(quarantine({ Message: 'a' }, { ...facts, path: 'pin' }).id).not.toBe(one.id);
  });

  it('lists at most twenty issues, each once', () => {
    const issues = Array.from({ length: 5000 }, (_, index) => `CardList.${index}: wrong`.padEnd(900, '!'));

    const kept = quarantine({}, { ...facts, issues: [...issues, ...issues] });

    expect(kept.issues).toHaveLength(21);
    expect(kept.issues.at(-1)).toBe('and 4980 more');
    expect(kept.issues[0]).toHaveLength(200);
  });

  it('masks the version header and the issues', () => {
    const kept = quarantine({}, { ...facts, version: `${pan} and more`.padEnd(200, '.'), issues: [`${pan}: wrong`] });

    expect(kept.version).toHaveLength(50);
    expect(JSON.stringify(kept)).not.toContain(pan);
    expect(quarantine({}, { ...facts, version: undefined }).version).toBeNull();
  });
});

describe('secrets in a body of unknown shape', () => {
  it.each([
    'CVV2',
    'cvv2_code',
    'CSC',
    'CVN',
    'CAV2',
    'CardVerificationValue',
    'CID',
    'Card Security Code',
    'CardPin',
    'EncryptedPin',
    'PIN_BLOCK',
    'ExpDate',
    'expiry_date',
    'AcctNumber',
    'BankAccountNumber',
    'IBAN',
    'AccessToken',
    'Track2',
    'FieldOfTomorrow',
  ])('named %s are reduced to their type and length', (name) => {
    const kept = bodyOf({ Data: [{ [name]: '737', Status: 'ACTIVE' }, { [name]: 7 }, { [name]: [{ deep: 'DE89' }] }] });

    expect(kept).toEqual({
      Data: [
        { [name]: '[text, 3 characters]', Status: 'ACTIVE' },
        { [name]: '[number, 1 character]' },
        { [name]: [{ deep: '[text, 4 characters]' }] },
      ],
    });
  });

  it.each(['CardNumber', 'cardnumber', 'CARD_NUMBER', 'card number', 'PAN', 'PrimaryAccountNumber_', 'CardNo'])(
    'named %s are reduced to at most their last four digits, whether or not the check digit is right',
    (name) => {
      for (const value of [pan, '4111-1111-1111-1112', 4111111111111112, [pan], { of: pan }]) {
        expect(JSON.stringify(bodyOf({ Data: { [name]: value } }))).not.toMatch(/\d{5}|4111\D1111/);
      }
    },
  );

  it.each<readonly [where: string, body: object, expected: object]>([
    ['in a text', { Message: `paid with ${pan}` }, { Message: 'paid with [card ••1111]' }],
    ['in a key', { [pan]: null }, { '[card ••1111]': null }],
    ['in a list', { Errors: ['x', pan] }, { Errors: ['x', '[card ••1111]'] }],
    ['deep down', { Data: { Data: [{ Message: pan }] } }, { Data: { Data: [{ Message: '[card ••1111]' }] } }],
    ['below a sensitive name', { Pin: { Message: '1234' } }, { Pin: { Message: '[text, 4 characters]' } }],
    ['below an unknown name', { New: [{ CustomId: '1234' }] }, { New: [{ CustomId: '[text, 4 characters]' }] }],
    ['below both', { Message: { CVV2: { Status: 123 } } }, { Message: { CVV2: { Status: '[number, 3 characters]' } } }],
    ['below a card number', { CardNumber: { Pin: '1234' } }, { CardNumber: { Pin: '[text, 4 characters]' } }],
    [
      'split over names',
      { AcctId: 'zz', FirstName: '4012 8888', LastName: '8888 1881' },
      { AcctId: 'zz', FirstName: '[text, 9 characters]', LastName: '[text, 9 characters]' },
    ],
    [
      'split over a merchant',
      { MerchantName: 'SHELL', MerchantCity: 40_128_888, MCCCode: '5541', merchant_state: '8888 1881' },
      {
        MerchantName: 'SHELL',
        MerchantCity: '[number, 8 characters]',
        MCCCode: '5541',
        merchant_state: '[text, 9 characters]',
      },
    ],
    [
      'split over items of a list that also has a whole one',
      { Errors: [pan, '4012 8888', '8888 1881'] },
      { Errors: ['[text, 16 characters]', '[text, 9 characters]', '[text, 9 characters]'] },
    ],
    ['named in a list', { Errors: ['CVV2', '123'] }, { Errors: ['[text, 4 characters]', '[text, 3 characters]'] }],
    [
      'named in a list with numbers',
      { Description: ['PIN', 1234] },
      { Description: ['[text, 3 characters]', '[number, 4 characters]'] },
    ],
    [
      'named in a list of lists',
      { Errors: [['password'], ['hunter']] },
      { Errors: [['[text, 8 characters]'], ['[text, 6 characters]']] },
    ],
    ['as a JSON number', { Balance: 4111111111111111 }, { Balance: '[card ••1111]' }],
    ['as a negative number', { Balance: -4111111111111111 }, { Balance: '-[card ••1111]' }],
    ['with decimals', { Balance: 411111111111111.1 }, { Balance: '[card ••1111]' }],
    ['beyond the safe integers', { Balance: 6304000000000000000 }, { Balance: '[large number]' }],
    ['under an identifier that is a list', { MerchantId: [pan] }, { MerchantId: ['4111••••••••1111'] }],
    ['in JSON encoded twice', { Data: `{"CVV2":"737"}` }, { Data: '[text, 14 characters]' }],
    [
      'in a message that is JSON',
      { Message: `{"CVV2":"737","CVVCode":"737","ExpDate":"12/28","AcctNumber":"1000061","CardNumber":"${pan}"}` },
      {
        Message:
          '{"CVV2":"[removed]","CVVCode":"[removed]","ExpDate":"[removed]","AcctNumber":"[removed]","CardNumber":"[card ••1111]"}',
      },
    ],
    [
      'in words',
      { Message: 'CVV2 is 737, account number: 10000000610029' },
      { Message: 'CVV2 is [removed], account number: [removed]' },
    ],
    ['after the word code', { Message: 'CVV code: 123' }, { Message: 'CVV code: [removed]' }],
    ['as a token', { Message: 'AccessToken=abc.DEF-12 sent' }, { Message: 'AccessToken=[removed] sent' }],
    ['as an IBAN', { Message: 'IBAN DE89 3704 0044 0532 0130 00 given' }, { Message: 'IBAN [removed] given' }],
    ...['/', ',', '|', '*', ' / ', ', '].map(
      (between) =>
        [
          `split by “${between}”`,
          { Message: ['4111', '1111', '1111', '1111'].join(between) },
          { Message: '[card ••1111]' },
        ] as const,
    ),
  ])('%s are masked', (_where, body, expected) => {
    expect(bodyOf(body)).toEqual(expected);
  });

  it.each([
    { TrackingNumber: '9400111899000000055211' },
    { tracking_number: '1Z5R89390357567127' },
    { NetworkTransactionId: 4111111111111112, TransactionId: '2265018', MerchantId: '445301978521' },
    { Message: 'CHOPIN CAFE 24 American Express 12 declined', TransactionAmount: -84.1, IsCardPresent: true },
    {
      ShippingDate: '2026-03-02',
      AccountId: 12,
      Last4CardNumber: '1111',
      CardId: 82_002,
      Balance: 0.30000000000000004,
    },
    { Message: null, Errors: [], Unknown: { Empty: {}, Nothing: null, Flag: true } },
  ])('leave harmless values alone: %j', (body) => {
    expect(bodyOf(body)).toEqual(body);
  });

  it.each([
    ['TrackingNumber', pan],
    ['NetworkTransactionId', 4111111111111111],
    ['TransactionId', pan],
    ['MerchantId', '4111-1111-1111-1111'],
  ])('in the identifier %s are masked in the middle', (name, value) => {
    expect(bodyOf({ [name]: value })).toEqual({ [name]: '4111••••••••1111' });
  });

  it('longer than any text of the service are not searched, and not kept', () => {
    const long = '4111 1111 1111 1111 '.repeat(300);
    const digits = Array.from({ length: 5000 }, () => 4);
    const { body, issues } = quarantine(
      { Description: long, Message: 'short', Errors: digits, [long]: 1 },
      { path: 'decline', issues: [long], version: undefined, receivedAt: '2026-11-20T15:00:00.000Z' },
    );

    expect(body).toMatchObject({ Description: '[text, 6,000 characters]', Message: 'short' });
    expect(issues).toEqual(['[text, 6,000 characters]']);
    expect(JSON.stringify(body)).not.toMatch(/1111|4,4,4/);
  });

  it('named __proto__ are plain data', () => {
    const body = JSON.parse(
      `{"__proto__":{"CVV2":"737","polluted":"${pan}"},"constructor":{"prototype":{"CVV2":"1"}}}`,
    );

    const kept = bodyOf(body);

    expect(JSON.stringify(kept)).toBe(
      '{"__proto__":{"CVV2":"[text, 3 characters]","polluted":"[text, 16 characters]"},"constructor":{"prototype":{"CVV2":"[text, 1 character]"}}}',
    );
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('nested as deep as the largest body allows are harmless', () => {
    const depth = 60_000;
    const body = JSON.parse(`{"Data":${'{"a":'.repeat(depth)}"${pan}"${'}'.repeat(depth)}}`);

    const text = JSON.stringify(bodyOf(body));

    expect(text).toContain('[too deep]');
    expect(text).not.toContain(pan);
    expect(issuesOf(() => toStoredEvent(body, 'pin', { zone: 'UTC', version: undefined, receivedAt }))).not.toEqual([]);
  });
});

it('a card number that is split over a list or behind a key is removed', () => {
  const encoded = Buffer.from(`pan=${pan}`).toString('base64');
  expect(bodyOf({ Errors: ['4111', '1111', '1111', '1111'] })).toEqual({
    Errors: Array(4).fill('[text, 4 characters]'),
  });
  expect(bodyOf({ Errors: [4111, 1111, 1111, 1111] })).toEqual({ Errors: Array(4).fill('[number, 4 characters]') });
  expect(
    JSON.stringify(bodyOf({ Data: [[[{ ['４１１１１１１１１１１１１１１１']: 1 }]]], CustomId: encoded })),
  ).not.toMatch(/1111.*1111|１１１１/);
});

it('keeps a list whose items cannot be converted to text', () => {
  expect(() => bodyOf({ Data: { MCCCode: [[{ toString: '' }], -8.19824193379601e-135] } })).not.toThrow();
});

it("keeps the merchant's name, whatever its store number and zip code", () => {
  const merchant = { MerchantCity: 'FORT WORTH', MerchantState: 'TX', MerchantZip: '760009874', MerchantCountry: 'US' };
  for (let store = 1000; store < 10_000; store += 1) {
    const body = { MerchantName: `WM SUPERCENTER #${store}`, ...merchant };
    expect(bodyOf(body)).toEqual(body);
  }
});
