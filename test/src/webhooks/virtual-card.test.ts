import { describe, expect, it } from 'vitest';
import type { VirtualCardEvent } from '../../../src/core/event.ts';
import { issuesOf, read } from './read.ts';

const virtual = (name: string, data: Record<string, unknown> = {}): VirtualCardEvent =>
  read(name, data) as VirtualCardEvent;
const order = (data: Record<string, unknown>) =>
  read('virtual-card', data, { path: 'virtual-card' }) as VirtualCardEvent;

it('keeps no security code that is in the name', () => {
  expect(order({ FirstName: 'CVV 987', LastName: 'Doe' }).holder).toBe('CVV [removed] Doe');
});

it('keeps no card number that is split over the errors', () => {
  const { failed, outcome } = order({ Errors: ['Card', '4012 8888', '8888 1881'] });

  expect([outcome, ...failed]).toEqual(['not_created', '[removed]', '[removed]']);
});

it('reads an order with thousands of errors at once', () => {
  const Errors = Array.from({ length: 5000 }, (_, index) => (index % 2 === 0 ? 'Funding' : `R ${index}`));
  const before = process.cpuUsage();

  const { failed } = order({ Errors });

  // CPU time, so that a busy machine does not matter.
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000, 'milliseconds of CPU time').toBeLessThan(1000);
  expect(new Set(failed)).toEqual(new Set(['Funding', '[removed]']));
});

describe('the outcome of a virtual card order', () => {
  it.each([
    ['created', [], 'Account creation was successful'],
    ['not_created', ['Card'], 'Failed: card creation'],
    ['not_created', ['card', 'Funding'], ''],
    ['partial', ['Funding'], 'Failed: Funding'],
    ['partial', ['Group'], ''],
    ['partial', ['Ruleset', 'Activation'], 'Account creation was successful'],
    ['resend', [], ''],
    ['not_created', [], 'Failed: Card creation'],
    ['partial', [], 'Failed: Set Ruleset'],
    ['not_created', ['Card Creation'], 'Failed: Card Creation'],
    ['not_created', ['Unknown'], 'Failed: Card Creation'],
  ])('is %s for the errors %j and the message “%s”', (outcome, Errors, Message) => {
    expect(order({ Errors, Message }).outcome).toBe(outcome);
  });
});

it.each(['decline', 'virtual-card'])('keeps no security code of the message of a %s', (path) => {
  for (const [Message, kept] of [
    ['Declined: CVV2: 987 is wrong', 'Declined: CVV2: [removed] is wrong'],
    ['PIN Verification Check', 'PIN Verification Check'],
  ]) {
    const event = read(path, { Message }, { path });
    const words = event.kind === 'virtual-card' ? event.message : event.kind === 'decline' && event.decline?.message;
    expect(words).toBe(kept);
  }
});

describe('a virtual card', () => {
  it('is stored without number, code, expiry and account number', () => {
    expect(virtual('virtual-card')).toEqual({
      id: expect.stringMatching(/^evt_/),
      kind: 'virtual-card',
      callbackAt: '2026-03-02T17:31:07.5738865Z',
      receivedAt: '2026-03-02T17:31:08.000Z',
      acctId: 610_029,
      holder: 'Cloud Hosting',
      last4: '1111',
      status: 'ACTIVE',
      balanceCents: 40_000,
      virtualCardOrderId: 55_229,
      outcome: 'created',
      failed: [],
      message: 'Account Creation Successful',
    });
  });

  it.each([
    ['virtual-card', {}, 'created', []],
    ['virtual-card-resend', {}, 'resend', []],
    ['virtual-card-resend', { Errors: undefined, Message: null }, 'resend', []],
    ['virtual-card-resend', { Errors: '', Message: '' }, 'resend', []],
    ['virtual-card-resend', { Errors: ' ', Message: '' }, 'resend', []],
    ['virtual-card-partial', {}, 'partial', ['Ruleset', 'Funding']],
    ['virtual-card-not-created', {}, 'not_created', []],
    ['virtual-card-not-created', { Errors: ['Card', 'Group'] }, 'not_created', ['Group']],
    ['virtual-card-not-created', { Errors: [' card '] }, 'not_created', []],
    ['virtual-card-not-created', { Errors: [] }, 'not_created', []],
    ['virtual-card-partial', { Errors: null }, 'partial', []],
    ['virtual-card-partial', { Errors: ['', 'Group'] }, 'partial', ['Group']],
  ] as const)('from %s with %j ended as %s', (name, data, outcome, failed) => {
    expect(virtual(name, data)).toMatchObject({ outcome, failed });
  });

  it.each([
    [{ Status: ' active ' }, { status: 'ACTIVE' }],
    [{ Status: '' }, { status: null }],
    [{ Balance: null }, { balanceCents: null }],
    [{ CardNumber: '' }, { last4: null }],
    [{ AccountId: 0 }, { acctId: null }],
    [{ AccountId: null }, { acctId: null }],
    [{ VirtualCardOrderId: null }, { virtualCardOrderId: null }],
    [{ VirtualCardOrderId: 0 }, { virtualCardOrderId: null }],
  ])('with %j is stored with %j', (data, kept) => {
    expect(virtual('virtual-card', data)).toMatchObject(kept);
  });

  it.each([
    [{ Balance: 'lots' }, { balanceCents: null }],
    [{ LastName: 7 }, { holder: 'Cloud' }],
    [{ CardNumber: {} }, { last4: null }],
  ])('with %j is stored as if that were not given', (data, kept) => {
    expect(virtual('virtual-card', data)).toMatchObject({ outcome: 'created', ...kept });
  });

  it.each([{ Errors: 'Card' }, { Errors: [7] }, { Message: 7 }])(
    'with %j is invalid: nobody can say whether the card was created',
    (data) => {
      expect(issuesOf(() => virtual('virtual-card', data))).toHaveLength(1);
    },
  );

  it('without an order or an account is invalid', () => {
    expect(issuesOf(() => virtual('virtual-card', { AccountId: 0, VirtualCardOrderId: '' }))).toEqual([
      'VirtualCardOrderId: expected this or a positive AccountId',
    ]);
  });
});
