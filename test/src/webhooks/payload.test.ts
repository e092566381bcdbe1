import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { contentId } from '../../../src/core/content-id.ts';
import { webhookKinds } from '../../../src/core/event.ts';
import {
  decimalForm,
  Envelope,
  eventId,
  identifier,
  identifierForm,
  instantOf,
  optionalDecimalForm,
  optionalInteger,
  parseWith,
  positive,
  positiveForm,
  quickCheckOfObject,
  requiredTextForm,
  textForm,
  words,
} from '../../../src/webhooks/payload.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';
import { issuesOf, read } from './read.ts';

const later = '2026-03-02T13:31:40.1000000-05:00';
const id = (...args: Parameters<typeof read>): string => read(...args).id;

describe('the same event again', () => {
  const same = webhookKinds.flatMap((kind) => [
    [kind, 'through the path of another kind', {}, { path: 'pin' }],
    [kind, 'with new fields', { Invented: 'tomorrow' }, {}],
    [kind, 'with another description', { Description: 'Something else' }, {}],
  ]) as readonly (readonly [string, string, Record<string, unknown>, { path?: string }])[];

  it.each(same)('%s %s has the same id', (kind, _how, data, options) => {
    expect(id(kind, data, options)).toBe(id(kind));
  });

  const network = ['authorization', 'pin', 'settlement', 'reversal', 'decline'];

  it.each(network)('%s generated again for a retry has the same id', (kind) => {
    expect(id(kind, {}, { callbackTime: later })).toBe(id(kind));
  });

  it.each(network)('%s from an older version, with the opposite sign, has the same id', (kind) => {
    const amount = webhook(kind).Data.TransactionAmount as number;

    expect(id(kind, { TransactionAmount: -amount }, { version: '2.0.1.1' })).toBe(id(kind));
  });

  it('with half a cent and the opposite sign has the same id', () => {
    const current = id('settlement', { TransactionAmount: -84.105 });

    expect(id('settlement', { TransactionAmount: 84.105 }, { version: '2.0.1.1' })).toBe(current);
  });

  it.each([0, '0', 2465657074])(
    'of a reversal has the same id, also if only the API gives it the TransactionId %j',
    (own) => {
      expect(id('reversal', { TransactionId: own })).toBe(id('reversal'));
    },
  );

  it('of a settlement without a TransactionId has the same id, however that is written', () => {
    expect(id('settlement', { TransactionId: 0 })).toBe(id('settlement', { TransactionId: null }));
  });

  it('with balances of another moment has the same id', () => {
    expect(id('decline', { AvailableBalance: 1, LedgerBalance: 2, MerchantName: 'TOOL BARN' })).toBe(id('decline'));
  });

  it('of a repeated shipment has the same id', () => {
    expect(id('card-shipping', {}, { callbackTime: later })).toBe(id('card-shipping'));
  });

  it('of a repeated virtual card order has the same id', () => {
    expect(id('virtual-card', {}, { callbackTime: later })).toBe(id('virtual-card'));
  });

  it('of a status change whose time has another offset has the same id', () => {
    const elsewhere = '2026-03-02T17:31:07.5738865Z';

    expect(id('card-status', {}, { callbackTime: elsewhere })).toBe(id('card-status'));
  });

  it('has the same id whatever its secret fields', () => {
    const data = { CVV2: '999', AccountNumber: '1', ExpirationDate: null, CardNumber: '5555555555554444' };

    expect(id('virtual-card', data)).toBe(id('virtual-card'));
  });
});

describe('another event', () => {
  it.each([
    ['decline', { NetworkTransactionId: 2265018 }],
    ['decline', { AcctId: 610_099 }],
    ['decline', { TransactionTime: '2026-03-02T12:31:08' }],
    ['decline', { TransactionAmount: -215.41 }],
    ['decline', { NetworkStatus: 'Approved' }],
    ['decline', { NetworkType: 'Pin' }],
    ['settlement', { TransactionAmount: 84.1 }],
    ['settlement', { TransactionId: 2465657074 }],
    ['settlement', { SettlementTime: '2026-03-04T02:15:01' }],
    ['reversal', { MerchantLocalTime: '2026-03-02T13:02:11' }],
    ['card-status', { AcctId: 610_002 }],
    ['card-shipping', { AcctId: 610_012 }],
    ['card-shipping', { TrackingNumber: '9400111899000000055212' }],
    ['card-shipping', { CardOrderId: 55_212 }],
    ['card-shipping', { ShippingMethod: 'UPS' }],
    ['virtual-card', { VirtualCardOrderId: 55_230 }],
    ['virtual-card', { AccountId: 610_030 }],
    ['virtual-card', { Errors: ['Funding'] }],
    ['virtual-card', { Message: '' }],
  ])('%s with %j has another id', (kind, data) => {
    expect(id(kind, data)).not.toBe(id(kind));
  });

  it('is the same status again at another time: ACTIVE, BLOCKED, ACTIVE', () => {
    expect(id('card-status', {}, { callbackTime: later })).not.toBe(id('card-status'));
  });

  it('is each resend of a virtual card, and each differs from the original order', () => {
    const ids = [id('virtual-card'), id('virtual-card-resend'), id('virtual-card-resend', {}, { callbackTime: later })];

    expect(new Set(ids).size).toBe(3);
  });

  it('is each card of an order that was not created: they have no account yet, and may be for the same holder', () => {
    const first = id('virtual-card-not-created');

    expect(id('virtual-card-not-created', {}, { callbackTime: later })).not.toBe(first);
    expect(id('virtual-card-not-created')).toBe(first);
  });

  it('is each step of one purchase, though they share their NetworkTransactionId', () => {
    const shared = { NetworkTransactionId: 1, TransactionTime: '2026-03-02T12:31:07', TransactionAmount: -1 };
    const ids = ['authorization', 'settlement', 'reversal', 'decline'].map((kind) => id(kind, shared));

    expect(new Set(ids).size).toBe(4);
  });

  it('has separate parts in its id: no two lists of parts are joined the same way', () => {
    expect(eventId(['a', 'b'])).not.toBe(eventId(['ab']));
    expect(eventId(['1'])).not.toBe(eventId([1]));
    expect(eventId([null])).not.toBe(eventId([]));
  });
});

describe('an id', () => {
  it('is safe as a job id, in a URL and when read aloud', () => {
    const ids = Array.from({ length: 500 }, (_, index) => contentId('evt_', [index]));

    expect(new Set(ids).size).toBe(500);
    for (const one of ids) expect(one).toMatch(/^evt_[0-9a-hjkmnp-tv-z]{16}$/);
  });

  it('does not change between versions of Cardbell, so that deduplication survives an upgrade', () => {
    expect(
      contentId('evt_', ['2265017', 'Auth', 'Declined', '2026-03-02T12:31:07', 'debit', 21_540]),
    ).toMatchInlineSnapshot(`"evt_s5gpj3rg3kda0r92"`);
    expect(webhookKinds.map((kind) => `${kind} ${id(kind)}`)).toMatchInlineSnapshot(`
      [
        "authorization evt_3emx1jmwxx3cs80r",
        "pin evt_8tyabv80qtx6fve1",
        "settlement evt_9m3af5tkgctrgvh9",
        "reversal evt_3can7q12tyjsc1xn",
        "decline evt_p8cmzfrxxz434qcr",
        "card-status evt_ferde2x14n5vjx85",
        "card-shipping evt_t7xweq06xk9bcwz1",
        "virtual-card evt_sc1x262a77anbcez",
      ]
    `);
  });
});

describe('a part of a payload', () => {
  it.each([
    ['a whole number', 610_001, 610_001],
    ['a number as text', ' 0610001 ', 610_001],
    ['zero', 0, null],
    ['a negative number', -5, null],
    ['a card number in the wrong field', 4_111_111_111_111_111, null],
    ['a card number as text', '4111111111111111', null],
    ['half a number', 1.5, null],
    ['nothing', null, null],
  ])('reads an id from %s (%j) as %j; null: it does not fit', (_what, sent, id) => {
    expect(positive.safeParse(sent).data ?? null).toBe(id);
  });

  it('tells a missing number from zero, and never keeps a negative zero, which JSON would change', () => {
    expect([null, undefined, '', 0, -0, '0'].map((sent) => optionalInteger.parse(sent))).toEqual([
      null,
      null,
      null,
      0,
      0,
      0,
    ]);
    expect(Object.is(optionalInteger.parse(-0), 0)).toBe(true);
  });

  it('masks a card number in text and in an identifier, and leaves any other identifier as it is', () => {
    expect(words.parse(' Paid with 4111 1111 1111 1111 ')).toBe('Paid with [card ••1111]');
    expect(identifier.parse('4111111111111111')).toBe('4111••••••••1111');
    expect(identifier.parse(' 00123 ')).toBe('00123');
    expect(identifier.safeParse(1e21).success, 'a number that lost digits').toBe(false);
  });

  it('is cut if it is a text too long to be searched for card numbers in time, never within a card number', () => {
    const lead = `Corner Diner ${'a'.repeat(3975)}`;

    expect(words.parse(`${lead} 4111 1111 1111 1111 ${'b'.repeat(9000)}`)).toBe(lead);
    expect(words.parse(`${lead}${'b'.repeat(9000)}`)).toHaveLength(4000);
    expect(words.parse('4 '.repeat(120_000))).toBe('');
  });

  it('does not fit if it is an identifier too long to be searched', () => {
    expect(identifier.safeParse('4 '.repeat(2000)).success).toBe(true);
    expect(identifier.safeParse('4 '.repeat(2001)).success).toBe(false);
  });

  it('that does not fit is named with what was expected, and never with its value', () => {
    const schema = z.object({ AcctId: positive, Cards: z.array(z.object({ Name: z.string() })) });
    const issues = issuesOf(() => parseWith(schema, { AcctId: 'Jane Doe', Cards: [{ Name: 4111 }, {}] }));

    expect(issues).toEqual([
      expect.stringMatching(/^AcctId: /),
      'Cards.[].Name: expected string, received number',
      'Cards.[].Name: expected string, but it is missing',
    ]);
    expect(issues.join()).not.toMatch(/Jane|4111/);
    expect(issuesOf(() => instantOf('TransactionTime', 'Jane Doe', 'America/New_York'))).toEqual([
      'TransactionTime: expected an ISO 8601 datetime',
    ]);
  });
});

it('refuses to check an object quickly that has a field without a quick check', () => {
  expect(() => quickCheckOfObject(z.object({ known: textForm, added: z.string() }))).toThrow('quick check');
});

describe('a quick check', () => {
  const forms = { textForm, requiredTextForm, identifierForm, positiveForm, decimalForm, optionalDecimalForm };
  const values = [undefined, null, '', ' ', 'Corner Diner', '12', ' 12 ', '-1.5', 'x'.repeat(4001), true, [], {}];
  const numbers = [0, -0, 1, -1, 1.5, 999_999_999_999, 1_000_000_000_000, 2 ** 53, 1e21, Number.NaN];

  it.each(Object.entries(forms))('accepts only what the form returns as it is: %s', (_name, form) => {
    const schema = z.object({ field: form });
    const isUsual = quickCheckOfObject(schema);
    const usual = [...values, ...numbers].filter((field) => isUsual({ field }));

    expect(usual.length).toBeGreaterThan(0);
    for (const field of usual) expect(schema.parse({ field }), `the value ${JSON.stringify(field)}`).toEqual({ field });
  });

  it('refuses a list, even if every field of the object may be missing', () => {
    const isUsual = quickCheckOfObject(z.object({ field: textForm }));

    expect([isUsual({}), isUsual([]), isUsual(null), isUsual('text')]).toEqual([true, false, false, false]);
  });

  it('accepts the envelope of a webhook, and nothing that its schema refuses', () => {
    const isUsual = quickCheckOfObject(Envelope);

    expect(isUsual({ CallbackTime: '2026-11-20T09:14:00', Data: {} })).toBe(true);
    for (const body of [null, 'text', [], {}, { CallbackTime: 1, Data: {} }, { CallbackTime: '', Data: [] }]) {
      expect(Envelope.safeParse(body).success, JSON.stringify(body)).toBe(false);
      expect(isUsual(body), JSON.stringify(body)).toBe(false);
    }
  });
});
