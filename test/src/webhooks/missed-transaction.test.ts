import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sandbox } from '../../../sandbox/server.ts';
import { createCardClient } from '../../../src/card-api/client.ts';
import type { TransactionEvent } from '../../../src/core/event.ts';
import { toInstant } from '../../../src/core/service-time.ts';
import { toStoredEvent } from '../../../src/webhooks/kind.ts';
import { timesOfMisfit, toMissedTransaction } from '../../../src/webhooks/transaction.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';
import { type Receiver, startReceiver, until, useSandboxes } from '../../sandbox/running-sandbox.ts';

const zone = 'America/New_York';
const receivedAt = '2026-11-20T12:00:00.000Z';
const { start } = useSandboxes();
let sandbox: Sandbox;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  // A long timeout, so that the service does not retry webhooks on a busy machine.
  sandbox = await start({ webhooks: receiver.url, timeScale: 60, assumptions: { timeoutFloorMs: 5000 } });
  const [spender, other] = sandbox
    .accounts()
    .filter(({ CardList, AvailableBalance }) => CardList[0]?.CardStatus === 'ACTIVE' && AvailableBalance > 600);
  const [one, two] = [spender?.AcctId ?? 0, other?.AcctId ?? 0];
  const held = sandbox.purchase({ AcctId: one, Amount: 12.34 });
  sandbox.settle({ NetworkTransactionId: held.NetworkTransactionId, Amount: 11.5 });
  sandbox.refund({ NetworkTransactionId: held.NetworkTransactionId, Amount: 3 });
  const taken = sandbox.purchase({ AcctId: two, Amount: 13 });
  sandbox.reverse({ NetworkTransactionId: taken.NetworkTransactionId });
  sandbox.purchase({ AcctId: two, Amount: 14, Pin: 'correct' });
  sandbox.purchase({ AcctId: one, Amount: 99_999 });
  sandbox.purchase({ AcctId: one, Amount: 15, Pin: 'wrong' });
  await until(() => receiver.received.length >= 8, 'every webhook is delivered');
});
afterAll(async () => {
  await receiver.close();
});

/** The API rows of the delivered webhooks. */
async function rows(): Promise<Record<string, unknown>[]> {
  const client = createCardClient({ baseUrl: sandbox.url, token: 'T' });
  const now = Date.now();
  return await client.listNetworkTransactions({ from: new Date(now - 120_000), to: new Date(now + 60_000) });
}

const read = (row: Record<string, unknown>) => toMissedTransaction(row, { zone, receivedAt });

it('every kind has the same id and content as its webhook', async () => {
  const webhooks = receiver.received.map(
    ({ body, path }) => toStoredEvent(body, path, { zone, version: '2.0.1.3', receivedAt }) as TransactionEvent,
  );
  const fetched = (await rows()).map(read);

  const told = (events: readonly { kind: string; id: string }[]): string[] =>
    events.map(({ kind, id }) => `${kind} ${id}`).toSorted();
  expect(told(fetched)).toEqual(told(webhooks));
  expect(new Set(fetched.map(({ kind }) => kind))).toEqual(
    new Set(['authorization', 'pin', 'settlement', 'reversal', 'decline']),
  );
  for (const event of fetched) {
    const same = webhooks.find(({ id }) => id === event.id);
    // Only the webhook has the time of its creation, which is also the time of a reversal.
    const { occurredAt } = event.kind === 'reversal' ? { occurredAt: same?.occurredAt } : event;
    // Every row has the requested amount, but authorization webhooks do not.
    const { requestedCents } = event.kind === 'authorization' ? { requestedCents: null } : event;
    expect({ ...event, occurredAt, requestedCents, callbackAt: '' }).toEqual({ ...same, callbackAt: '' });
  }
});

it('a row in a different notation keeps its id', async () => {
  const all = await rows();
  const spelling = fc.record({
    row: fc.constantFrom(...all),
    time: fc.constantFrom<(text: string) => string>(
      (text) => `${text}.000`,
      (text) => `${text}.0000000`,
      (text) => ` ${text} `,
      (text) => text.replace('T', ' '),
      (text) => toInstant(text, zone) ?? '',
      (text) => (toInstant(text, zone) ?? '').replace('Z', '+00:00'),
    ),
    case: fc.constantFrom<(text: string) => string>(
      (text) => text,
      (text) => text.toUpperCase(),
      (text) => text.toLowerCase(),
    ),
    asText: fc.boolean(),
    notes: fc.constantFrom(null, [], [{ NoteId: 1, NoteText: 'x' }]),
    status: fc.boolean(),
  });

  fc.assert(
    fc.property(spelling, ({ row, time, case: inCase, asText, notes, status }) => {
      const isDecline = row['NetworkStatus'] === 'Declined';
      const other = {
        ...row,
        TransactionTime: time(String(row['TransactionTime'])),
        NetworkType: inCase(String(row['NetworkType'])),
        NetworkTransactionId: asText ? String(row['NetworkTransactionId']) : row['NetworkTransactionId'],
        TransactionAmount: asText ? String(row['TransactionAmount']) : row['TransactionAmount'],
        // One description says that transactions default to Approved unless declined; the samples say null.
        NetworkStatus: isDecline ? inCase('Declined') : status ? 'Approved' : null,
        TransactionNotes: notes,
        HoldTime: row['TransactionTime'],
        AvailableBalance: 1,
      };

      expect(read(other).id).toBe(read(row).id);
    }),
  );
});

describe('a webhook with fractions of a second', () => {
  const idOf = (name: string, fields: Record<string, unknown>, fraction: string) => {
    const [TransactionTime, SettlementTime] = [`2026-11-20T09:14:00${fraction}`, `2026-11-21T09:15:00${fraction}`];
    const times = { TransactionTime, ...(name === 'settlement' && { SettlementTime }) };
    return read(webhook(name, { ...times, ...fields }).Data).id;
  };

  it.each([
    ['authorization', {}],
    ['pin', {}],
    ['decline', {}],
    ['settlement', { TransactionId: 2_465_657_073 }],
  ])('of a kind whose events have numbers of their own, %s, is the row that has none', (name, fields) => {
    expect(idOf(name, fields, '.573')).toBe(idOf(name, fields, ''));
  });

  it.each([
    ['reversal', {}],
    ['settlement', { TransactionId: null }],
  ])('of a %s without a number of its own is not another one in the same second', (name, fields) => {
    expect(idOf(name, fields, '.573')).not.toBe(idOf(name, fields, '.574'));
  });
});

it.each([
  ['2026-11-01T05:36:00.000Z', '2026-11-01T05:30:00.0000000Z'],
  ['2026-11-01T06:36:00.000Z', '2026-11-01T06:30:00.0000000Z'],
])('a row of the hour that occurs twice, fetched at %s, happened at %s', (fetchedAt, happenedAt) => {
  const times = { TransactionTime: '2026-11-01T01:30:00', SettlementTime: '2026-11-01T01:30:00' };
  const readAt = (name: string) => toMissedTransaction(webhook(name, times).Data, { zone, receivedAt: fetchedAt });

  expect(readAt('decline')).toMatchObject({ callbackAt: happenedAt, occurredAt: happenedAt });
  expect(readAt('settlement')).toMatchObject({ callbackAt: happenedAt, settledAt: happenedAt });
});

it.each(['authorization', 'pin', 'settlement', 'reversal'])(
  'a %s that cannot be read has the times that it would have',
  (name) => {
    const { Data } = webhook(name);
    const { kind, occurredAt, requestedAt, settledAt } = read(Data);

    expect(
      timesOfMisfit({ ...Data, TransactionAmount: 'lots', NetworkStatus: 'Pending' }, { zone, receivedAt }),
    ).toEqual({
      kind,
      occurredAt,
      requestedAt,
      settledAt,
    });
  },
);

it.each([{ TransactionTime: 'noon' }, { TransactionTime: null }, { NetworkType: 'Fee' }, { NetworkType: undefined }])(
  'with %j, nobody can say when it happened',
  (given) => {
    expect(timesOfMisfit({ ...webhook('settlement').Data, ...given }, { zone, receivedAt })).toBeNull();
  },
);
