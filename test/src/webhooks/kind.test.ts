import { describe, expect, it } from 'vitest';
import { webhookKinds } from '../../../src/core/event.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';
import { issuesOf, read, readBody } from './read.ts';

describe('the kind of a webhook', () => {
  const everywhere = webhookKinds.flatMap((kind) => webhookKinds.map((path) => [kind, path] as const));

  it.each(everywhere)('%s is the same at the receiver for %s', (kind, path) => {
    const event = read(kind, {}, { path });

    expect(event.kind).toBe(kind);
    expect(event.id).toBe(read(kind, {}, { path: kind }).id);
  });

  it.each([
    ['a declined authorization', 'authorization', { NetworkStatus: 'Declined' }, 'decline'],
    ['a declined PIN transaction', 'pin', { NetworkStatus: 'Declined' }, 'decline'],
    ['a declined PIN transaction that says Settlement', 'decline-pin', { Description: 'Settlement' }, 'decline'],
    ['a PIN transaction that says Declined', 'pin', { Description: 'Declined' }, 'pin'],
    ['an authorization that says Reversal', 'authorization', { Description: 'Reversal' }, 'authorization'],
    ['a settlement that says Pending', 'settlement', { Description: 'Pending' }, 'settlement'],
    ['a status in lower case', 'authorization', { NetworkStatus: 'declined' }, 'decline'],
    ['a status with spaces', 'authorization', { NetworkStatus: ' DECLINED ' }, 'decline'],
    ['an approved reversal', 'reversal', { NetworkStatus: 'Approved' }, 'reversal'],
    ['a settlement without status', 'settlement', { NetworkStatus: undefined }, 'settlement'],
    ['a settlement with an empty status', 'settlement', { NetworkStatus: '' }, 'settlement'],
    ['no status and a decline code', 'decline', { NetworkStatus: null }, 'decline'],
    ['no status and a decline code in capitals', 'decline', { NetworkStatus: null, MessageCode: 'DECLINE' }, 'decline'],
    ['an approval with a leftover code', 'authorization', { MessageCode: 'decline.mcc' }, 'authorization'],
    ['a type in lower case with spaces', 'decline', { TransactionType: ' network ' }, 'decline'],
    ['a network type without transaction type', 'pin', { TransactionType: undefined }, 'pin'],
    ['a card in lower case', 'card-status', { TransactionType: 'card' }, 'card-status'],
    ['a card order in mixed case', 'card-shipping', { TransactionType: 'CardOrder' }, 'card-shipping'],
    ['a virtual card with a type', 'virtual-card', { TransactionType: 'CARDORDERVIRTUAL' }, 'virtual-card'],
    ['a virtual card without order id', 'virtual-card', { VirtualCardOrderId: undefined }, 'virtual-card'],
    ['a transaction with a CardNumber field', 'pin', { CardNumber: '4111111111111111' }, 'pin'],
  ] as const)('of %s comes from its content', (_what, name, data, kind) => {
    expect(read(name, data, { path: 'card-shipping' }).kind).toBe(kind);
  });

  it.each([
    ['Auth', 'authorization', 'debit'],
    ['Pin', 'pin', 'debit'],
    ['Settlement', 'settlement', 'debit'],
    ['Reversal', 'reversal', 'credit'],
  ] as const)('NetworkStatus null: %s is %s, as %s', (NetworkType, kind, direction) => {
    const name = NetworkType === 'Reversal' ? 'reversal' : 'settlement';

    const event = read(name, { NetworkType, NetworkStatus: null });

    expect(event).toMatchObject({ kind, direction, decline: null });
  });

  it('of a virtual card without distinctive fields comes from the path', () => {
    const data = { VirtualCardOrderId: undefined, CardNumber: undefined };

    expect(read('virtual-card', data, { path: 'virtual-card' }).kind).toBe('virtual-card');
    expect(issuesOf(() => read('virtual-card', data, { path: 'decline' }))).toHaveLength(1);
  });

  it.each([
    ['an unknown kind', webhook('card-token-created')],
    ['an unknown kind with a card number', webhook('card-token-created', { CardNumber: '4111111111111111' })],
    ['an unknown kind at every receiver', webhook('card-token-created', { TransactionType: 'TRANSFER' })],
    ['a transaction type that is not text', webhook('decline', { TransactionType: 7 })],
    ['no data', { CallbackTime: '2026-03-02T12:31:07-05:00', Data: {} }],
    ['data that is text', { CallbackTime: '2026-03-02T12:31:07-05:00', Data: '{}' }],
    ['data that is a list', { CallbackTime: '2026-03-02T12:31:07-05:00', Data: [] }],
    ['data that is null', { CallbackTime: '2026-03-02T12:31:07-05:00', Data: null }],
    ['data without envelope', webhook('decline').Data],
    ['no CallbackTime', { Data: webhook('decline').Data }],
    ['an invalid CallbackTime', webhook('decline', {}, 'now')],
    ['a numeric CallbackTime', { ...webhook('decline'), CallbackTime: 1_772_472_667 }],
    ['an empty object', {}],
  ])('is not guessed from %s', (_what, body) => {
    for (const path of webhookKinds) expect(issuesOf(() => readBody(body, path, '2.0.1.3')).length).toBeGreaterThan(0);
  });

  it("treats a CallbackTime without offset as the service's local time", () => {
    expect(read('decline', {}, { callbackTime: '2026-07-02T12:31:07' }).callbackAt).toBe(
      '2026-07-02T16:31:07.0000000Z',
    );
  });
});
