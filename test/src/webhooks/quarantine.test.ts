import { describe, expect, it } from 'vitest';
import { toStoredEvent } from '../../../src/webhooks/kind.ts';
import { quarantine } from '../../../src/webhooks/quarantine.ts';
import { plantedSecrets, webhook } from '../../fixtures/webhooks/webhook.ts';
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
        FirstName: 'Cloud',
        LastName: 'Hosting',
        CardNumber: '••1111',
        Status: 'ACTIVE',
        Balance: 'lots',
        VirtualCardOrderId: 55_229,
        OrderDateTime: '2026-03-02T12:31:07.124',
        Errors: [],
        Message: 'Account Creation Successful',
      },
    });
  });

  it.each([
    'authorization',
    'pin',
    'settlement',
    'reversal',
    'decline',
    'card-status',
    'card-shipping',
    'virtual-card',
    'card-token-created',
  ])('of %s holds none of the secrets that its fixture has', (name) => {
    const text = JSON.stringify(quarantine(webhook(name), facts));

    for (const secret of plantedSecrets) expect(text).not.toContain(secret);
  });

  it.each([
    'authorization',
    'pin',
    'settlement',
    'reversal',
    'decline',
    'card-status',
    'card-shipping',
    'virtual-card',
    'virtual-card-not-created',
  ])('of %s can be replayed into the very event that it would have been', (name) => {
    const options = { zone: 'America/New_York', version: '2.0.1.3', receivedAt };
    const original = webhook(name);

    const replayed = toStoredEvent(quarantine(original, facts).body, 'pin', options);

    expect(replayed).toEqual(toStoredEvent(original, 'pin', options));
  });

  it('has one id for one content at one receiver, whenever it came', () => {
    const one = quarantine({ a: 1 }, facts);

    expect(quarantine({ a: 1 }, { ...facts, receivedAt: '2026-03-03T00:00:00.000Z', issues: [] }).id).toBe(one.id);
    expect(quarantine({ a: 2 }, facts).id).not.toBe(one.id);
    expect(quarantine({ a: 1 }, { ...facts, path: 'pin' }).id).not.toBe(one.id);
  });

  it('masks what came in the version header and in the issues', () => {
    const kept = quarantine({}, { ...facts, version: `${pan} and more`.padEnd(200, '.'), issues: [`${pan}: wrong`] });

    expect(kept.version).toHaveLength(50);
    expect(JSON.stringify(kept)).not.toContain(pan);
    expect(quarantine({}, { ...facts, version: undefined }).version).toBeNull();
  });
});

describe('secrets in a body of unknown shape', () => {
  it.each([
    'CVV2',
    'cvv2',
    'Cvv',
    'CVC',
    'cvc2',
    'CardCvv2',
    'cvv2_code',
    'CID',
    'SecurityCode',
    'security_code',
    'Card Security Code',
    'AccountNumber',
    'accountNumber',
    'ACCOUNT-NUMBER',
    'BankAccountNumber',
    'ExpirationDate',
    'expiry_date',
    'Pin',
    'PIN_BLOCK',
    'Track2',
    'track1data',
  ])('named %s are gone, whatever they hold', (name) => {
    for (const value of ['737', 737, null, [1], { deep: 1 }]) {
      expect(bodyOf({ Data: [{ [name]: value, Status: 'ACTIVE' }] })).toEqual({ Data: [{ Status: 'ACTIVE' }] });
    }
  });

  it.each(['CardNumber', 'cardnumber', 'CARD_NUMBER', 'card number', 'PAN', 'PrimaryAccountNumber_', 'CardNo'])(
    'named %s leave at most their last four digits, right or wrong check digit',
    (name) => {
      for (const value of [pan, '4111-1111-1111-1112', 4111111111111112, [pan], { of: pan }]) {
        expect(JSON.stringify(bodyOf({ Data: { [name]: value } }))).not.toMatch(/\d{5}|4111\D1111/);
      }
    },
  );

  it.each([
    ['in a text', { Notes: `paid with ${pan}` }, { Notes: 'paid with [card ••1111]' }],
    ['in a key', { [pan]: 1 }, { '[card ••1111]': 1 }],
    ['in a list', { a: ['x', pan] }, { a: ['x', '[card ••1111]'] }],
    ['deep down', { a: { b: [{ c: pan }] } }, { a: { b: [{ c: '[card ••1111]' }] } }],
    ['as a JSON number', { a: 4111111111111111 }, { a: '[card ••1111]' }],
    ['as a negative number', { a: -4111111111111111 }, { a: '-[card ••1111]' }],
    ['with decimals', { a: 411111111111111.1 }, { a: '[card ••1111]' }],
    ['beyond the exact numbers', { a: 6304000000000000000 }, { a: '[large number]' }],
    ['under an identifier that is a list', { MerchantId: [pan] }, { MerchantId: ['[card ••1111]'] }],
    [
      'in JSON encoded twice',
      { Data: `{"CVV2":"737","CardNumber":"${pan}"}` },
      { Data: '{"CVV2":"[removed]","CardNumber":"[card ••1111]"}' },
    ],
    [
      'in words',
      { Message: 'CVV2 is 737, account number: 10000000610029' },
      { Message: 'CVV2 is [removed], account number: [removed]' },
    ],
  ])('%s are masked', (_where, body, expected) => {
    expect(bodyOf(body)).toEqual(expected);
  });

  it.each([
    { TrackingNumber: pan },
    { tracking_number: pan },
    { NetworkTransactionId: 4111111111111111 },
    { TransactionId: pan, AuthTransactionId: pan, ReferencedTranId: pan, MerchantId: pan },
    { TrackingNumber: '9400111899000000055211' },
    { Notes: '9400111899000000055211', Amount: -84.1, Ok: true, Nothing: null, Empty: {} },
    {
      ShippingDate: '2026-03-02',
      AccountId: 12,
      Last4CardNumber: '1111',
      CardId: 82_002,
      Discount: 0.30000000000000004,
    },
  ])('are not what is no secret: %j', (body) => {
    expect(bodyOf(body)).toEqual(body);
  });

  it('named __proto__ are plain data', () => {
    const body = JSON.parse(
      `{"__proto__":{"CVV2":"737","polluted":"${pan}"},"constructor":{"prototype":{"CVV2":"1"}}}`,
    );

    const kept = bodyOf(body);

    expect(JSON.stringify(kept)).toBe('{"__proto__":{"polluted":"[card ••1111]"},"constructor":{"prototype":{}}}');
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });

  it('nested as deep as a body of the largest size can be do no harm', () => {
    const depth = 60_000;
    const body = JSON.parse(`{"Data":${'{"a":'.repeat(depth)}"${pan}"${'}'.repeat(depth)}}`);

    const text = JSON.stringify(bodyOf(body));

    expect(text).toContain('[too deep]');
    expect(text).not.toContain(pan);
    expect(issuesOf(() => toStoredEvent(body, 'pin', { zone: 'UTC', version: undefined, receivedAt }))).not.toEqual([]);
  });
});
