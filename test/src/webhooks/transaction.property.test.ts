import fc from 'fast-check';
import { expect, it } from 'vitest';
import { PayloadError } from '../../../src/core/errors.ts';
import { TransactionEvent, transactionKinds } from '../../../src/core/event.ts';
import { redactTransaction, toMissedTransaction } from '../../../src/webhooks/transaction.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';
import { examples } from '../../support/examples.ts';

const receivedAt = '2026-03-02T17:31:08.000Z';
const zones = ['America/New_York', 'UTC', 'Pacific/Kiritimati', 'Pacific/Pago_Pago'];

const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', ' ', 'approved', 'PIN', null, undefined));
const space = fc.constantFrom('', ' ', '\u00a0', '\ufeff', '\n');
const spaced = (inner: fc.Arbitrary<string>) => fc.tuple(space, inner, space).map((parts) => parts.join(''));
const digits = spaced(fc.stringMatching(/^-?\d{0,14}$/));
const id = fc.oneof(fc.integer({ min: -1, max: 3 }), fc.maxSafeInteger(), digits, fc.constantFrom('••••1234', null));
const amount = fc.oneof(
  fc.double(),
  fc.double({ min: -1e4, max: 1e4 }),
  fc.integer({ min: -999_999_999_999, max: 999_999_999_999 }),
  spaced(fc.stringMatching(/^-?\d{1,10}(\.\d{1,6})?$/)),
  fc.constantFrom(0, -0, -0.001, 0.005, 999_999_999_999.995, '', ' ', null, undefined),
);
const offset = fc.constantFrom('', 'Z', '-00:01', '-05:00', '-14:00', '+14:00', '+0530', ' +00:00');
const clock = fc.constantFrom('00:00', '00:00:00', '23:59:59.9999999', '19:00:00', '02:30:00.5', '24:00:00');
const day = fc.oneof(
  fc.constantFrom('0001-01-01', '1899-12-31', '1900-01-01', '2026-03-08', '2026-11-01', '9999-12-31', '2026-02-30'),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10)),
);
const time = fc.oneof(
  { weight: 9, arbitrary: spaced(fc.tuple(day, clock, offset).map(([on, at, zone]) => `${on}T${at}${zone}`)) },
  { weight: 1, arbitrary: text },
);
const networkType = spaced(fc.constantFrom('Auth', 'PIN', 'settlement', 'Reversal', 'auth', 'Debit'));

/** Any values for the fields that are read. */
const values = {
  NetworkTransactionId: id,
  AcctId: id,
  TransactionId: id,
  TransactionTime: time,
  SettlementTime: time,
  MerchantLocalTime: time,
  ReferencedTransactionTime: time,
  AuthTransactionId: id,
  TransactionAmount: amount,
  PaddingAmount: amount,
  AvailableBalance: amount,
  LedgerBalance: amount,
  MerchantName: text,
  MerchantCity: text,
  MerchantState: text,
  MerchantCountry: text,
  MerchantId: fc.oneof(id, text),
  MCCCode: fc.oneof(id, text),
  NetworkType: networkType,
  NetworkStatus: fc.oneof(spaced(fc.constantFrom('Approved', 'DECLINED', '')), text),
  IsCardPresent: fc.constantFrom(true, false, null, undefined),
  Message: text,
  MessageCode: text,
  MerchantRequestedAmount: amount,
};
/** What no field, or only some, may hold. */
const odd = fc.constantFrom<unknown>(
  true,
  {},
  [],
  [7378],
  0,
  -1,
  1.5,
  2 ** 53,
  999_999_999_999,
  1_000_000_000_000,
  -1_000_000_000_000,
  '7378',
  'x'.repeat(4001),
  '',
  'toString',
  null,
  undefined,
);
/** Only a few at once, because a single one may be reason enough to refuse all. */
const changes = fc
  .subarray(Object.keys(values) as (keyof typeof values)[], { minLength: 1, maxLength: 5 })
  .chain((names) => fc.record(Object.fromEntries(names.map((name) => [name, values[name]]))));

const bodies = transactionKinds.map((kind) => webhook(kind));

function orRefused(read: () => TransactionEvent): TransactionEvent[] {
  try {
    return [read()];
  } catch (error) {
    if (error instanceof PayloadError) return [];
    throw error;
  }
}

it('an event that is read from any payload is one that every worker accepts, and has no other fields', () => {
  let read = 0;
  fc.assert(
    fc.property(
      fc.constantFrom(...bodies),
      changes,
      fc.constantFrom(...zones),
      fc.constantFrom('2.0.1.2', '2.0.1.3', undefined),
      (body, changed, zone, version) => {
        const row = { ...body.Data, ...changed };
        const circumstances = { zone, version, receivedAt, callbackAt: '2026-03-02T17:31:07.5738865Z' };
        const events = [
          ...orRefused(() => redactTransaction(row, circumstances)),
          ...orRefused(() => toMissedTransaction(row, { zone, receivedAt })),
        ];
        read += events.length;

        for (const event of events) expect(TransactionEvent.parse(event)).toStrictEqual(event);
      },
    ),
    { numRuns: examples(600) },
  );
  expect(read, 'payloads that were read').toBeGreaterThan(examples(300));
});

it('a payload becomes the same event, or is refused for the same reasons, whether its quick check or its schema reads it', () => {
  const circumstances = { zone: 'UTC', version: undefined, receivedAt, callbackAt: receivedAt };
  const outcomeOf = (row: object): unknown => {
    try {
      return redactTransaction(row, circumstances);
    } catch (error) {
      if (error instanceof PayloadError) return error.issues;
      throw error;
    }
  };
  // With a space behind its type, a payload means the same and does not pass the quick check.
  const unusual = (row: Record<string, unknown>): object =>
    typeof row['NetworkType'] === 'string' ? { ...row, NetworkType: `${row['NetworkType']} ` } : row;
  const oneOdd = fc.constantFrom(...Object.keys(values)).chain((name) => fc.record({ [name]: odd }));

  fc.assert(
    fc.property(fc.constantFrom(...bodies), changes, fc.oneof(oneOdd, fc.constant({})), (body, changed, one) => {
      for (const row of [
        { ...body.Data, ...changed },
        { ...body.Data, ...one },
        { ...body.Data, ...changed, ...one },
      ]) {
        expect(outcomeOf(row)).toStrictEqual(outcomeOf(unusual(row)));
      }
    }),
    { numRuns: examples(1000) },
  );
});
