import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { NetworkData } from '../../../sandbox/webhook/schema.ts';
import { webhookKinds } from '../../../src/core/event.ts';
import { createLog } from '../../../src/core/log.ts';
import { receiveWebhook } from '../../../src/webhooks/receive-webhook.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';
import { read, receivedAt } from './read.ts';

/** Another valid value for each field that we read, and null for each field that we do not use. */
const otherValues: Readonly<Record<keyof typeof NetworkData.shape, unknown>> = {
  NetworkTransactionId: 77,
  TransactionId: 78,
  AcctId: 79,
  TransactionTime: '2026-03-01T09:00:00',
  HoldTime: null,
  SettlementTime: '2026-03-05T09:00:00',
  MerchantLocalTime: '2026-03-02T09:00:00',
  AuthTransactionId: 80,
  TransactionAmount: -1.23,
  PaddingAmount: 4.5,
  AvailableBalance: 6.7,
  LedgerBalance: 8.9,
  TransactionType: null,
  Description: null,
  TransactionNotes: null,
  ReferencedTranId: null,
  ReferencedTransactionTime: '2026-03-01T08:00:00',
  MerchantName: 'ANOTHER',
  MerchantCity: 'ANOTHER',
  MerchantState: 'NY',
  MerchantZip: null,
  MerchantCountry: 'CA',
  MCCCode: '5999',
  AuthIdentityResponseCode: null,
  MerchantId: '1',
  TerminalId: null,
  NetworkType: 'Pin',
  NetworkStatus: 'Declined',
  IsCardPresent: false,
  Message: 'Another',
  MessageCode: 'decline.mcc',
  MerchantRequestedAmount: -9.99,
};
/** The kinds in which a field has a meaning, if not all of them. */
const kindOf: Readonly<Record<string, string>> = {
  TransactionId: 'settlement',
  SettlementTime: 'settlement',
  ReferencedTransactionTime: 'settlement',
  MerchantLocalTime: 'reversal',
  Message: 'decline',
  MessageCode: 'decline',
};

describe('a field of the network transaction payload', () => {
  it.each(Object.entries(otherValues))('%s is either read or known to be irrelevant: %j', (field, value) => {
    const kind = kindOf[field] ?? 'authorization';
    if (field === 'TransactionType') {
      expect(() => read(kind, { TransactionType: 'TELEX' })).toThrow('TransactionType');
      return;
    }
    const event = read(kind);
    const other = read(kind, { [field]: value === null ? 'something else' : value });

    if (value === null) expect(other).toEqual(event);
    if (value !== null) expect(other).not.toEqual(event);
  });

  it.each(['MerchantZip', 'TerminalId', 'MerchantCity', 'MCCCode'])('%s may have trailing spaces', (field) => {
    const value = String(webhook('authorization').Data[field]).trim();

    expect(read('authorization', { [field]: `${value}     ` })).toEqual(read('authorization', { [field]: value }));
  });
});

it.each(webhookKinds)('an unknown field changes nothing in a %s webhook', (kind) => {
  expect(read(kind, { FieldOfTomorrow: { of: ['any', 'shape'] } }, { path: kind })).toEqual(
    read(kind, {}, { path: kind }),
  );
});

it.each([
  ['2026-03-02T14:02:12.1200000-05:00', '2026-03-02T19:02:12.1200000Z'],
  ['2026-03-02T21:02:12.12+02:00', '2026-03-02T19:02:12.1200000Z'],
  ['2026-03-02T19:02:12Z', '2026-03-02T19:02:12.0000000Z'],
])('CallbackTime %s keeps its own offset, whatever the zone of the other times', (callbackTime, instant) => {
  expect(read('pin', {}, { callbackTime }).callbackAt).toBe(instant);
});

it.each(['127.0.0.1', '127.0.0.9'])('a webhook from %s is judged by its secret alone', async (localAddress) => {
  const answers: (number | undefined)[] = [];
  const server = createServer((incoming, response) => {
    void receiveWebhook('decline', incoming, response, {
      isAuthentic: (authorization) => authorization === 'Basic right',
      toEvent: () => read('decline'),
      digest: () => '',
      take: async () => 'new',
      missed: () => {},
      measure: () => {},
      now: () => new Date(receivedAt),
      log: createLog({ level: 'silent', process: 'test' }),
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  for (const secret of ['right', 'wrong']) {
    const headers = {
      authorization: `Basic ${secret}`,
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.7',
    };
    const outgoing = request({ host: '127.0.0.1', port, method: 'POST', localAddress, headers });
    answers.push(
      await new Promise((resolve) => {
        outgoing.once('response', (response) => void response.resume().once('end', () => resolve(response.statusCode)));
        outgoing.end('{"CallbackTime":"x","Data":{}}');
      }),
    );
  }
  server.closeAllConnections();
  server.close();

  expect(answers).toEqual([200, 401]);
});
