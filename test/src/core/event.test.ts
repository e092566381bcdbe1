import { expect, it } from 'vitest';
import {
  declineCode,
  isTransactionKind,
  StoredEvent,
  webhookKinds,
  whichCard,
  withAmount,
} from '../../../src/core/event.ts';
import {
  change,
  declined,
  shippingAlert,
  statusAlert,
  transactionAlert,
  virtualAlert,
} from '../../templates/fixtures.ts';

it.each([
  ['decline.rule.velocity', 'decline.rule.velocity'],
  [' Decline.Rule.VELOCITY ', 'decline.rule.velocity'],
])('compares the code %j as %j', (code, compared) => {
  expect(declineCode({ code })).toBe(compared);
});

it('has no code if nothing was declined', () => {
  expect(declineCode(null)).toBe('');
  expect(declineCode(undefined)).toBe('');
});

it.each([
  ['a restaurant reserves a share of another amount, rounded up', '5812', 5000, 10_001, 2001],
  ['a restaurant reserves a share of a lower amount', '5812', 5000, 2500, 500],
  ['fuel has a fixed one', '5542', 5000, 10_000, 1000],
  ['a check of the card says nothing of a share', '5812', 0, 10_000, 1000],
])('for another amount scales what is reserved on top: %s', (_what, mcc, amountCents, asked, expected) => {
  const { event } = transactionAlert({ mcc, amountCents, paddingCents: 1000 });
  const ofBalance = transactionAlert({ mcc, amountCents, paddingCents: 0, balancePaddingCents: 1000 });

  expect(withAmount(event, asked)).toEqual({ ...event, amountCents: asked, paddingCents: expected });
  expect(withAmount(ofBalance.event, asked)).toMatchObject({ paddingCents: 0, balancePaddingCents: expected });
});

const { event: status } = statusAlert([change()]);
const [card] = status.cards;
const { event: virtual } = virtualAlert();

it.each<[string, StoredEvent, ReturnType<typeof whichCard>]>([
  ['a status of one card', status, { cardId: card?.cardId ?? 0 }],
  ['a status of several cards', { ...status, cards: [...status.cards, ...status.cards] }, {}],
  ['a shipment', shippingAlert().event, { last4: '1212', statuses: ['INACTIVE'] }],
  ['a shipment without digits', shippingAlert({ last4: '' }).event, { last4: null, statuses: ['INACTIVE'] }],
  ['a virtual card', { ...virtual, last4: '4242' }, { last4: '4242' }],
  ['an order that made no virtual card', { ...virtual, last4: null }, { last4: null }],
  ['a purchase', transactionAlert({ kind: 'authorization', decline: null }).event, { statuses: ['ACTIVE', 'BLOCKED'] }],
  ['a decline by a limit', transactionAlert().event, { statuses: ['ACTIVE', 'BLOCKED'] }],
  ['a decline by the balance', declined('decline.balance.card', '').event, { statuses: ['ACTIVE', 'BLOCKED'] }],
  ['a decline without a reason', declined('decline', 'Do not honor').event, {}],
  ['a decline by the status', declined('decline.card.status', 'Card Status Closed').event, { statuses: ['CLOSED'] }],
])('%s is about the card it names, or those that it may be', (_what, event, expected) => {
  expect(whichCard(event)).toEqual(expected);
});

it.each(webhookKinds)('the event of %s has an amount and a merchant if it carries a network transaction', (kind) => {
  const schema = StoredEvent.options.find(({ shape }) => shape.kind.safeParse(kind).success);

  expect(schema, 'the kind has a schema').toBeDefined();
  for (const field of ['merchant', 'amountCents'])
    expect(Object.hasOwn(schema?.shape ?? {}, field), field).toBe(isTransactionKind(kind));
});
