import { describe, expect, it } from 'vitest';
import { resendVirtualCard, VIRTUAL_ERRORS } from '../../sandbox/engine/virtual-card.ts';
import { createSimulation, doLaterWork, type OrderInput } from '../../sandbox/simulation.ts';
import { passesLuhn } from '../../sandbox/state/card-number.ts';
import { carrierOfForm } from '../../src/core/tracking-number.ts';
import { type BareWorld, bareWorld, oneHolder } from './bare-world.ts';

const virtual: OrderInput = { FirstName: 'Jon', LastName: 'Frost', VirtualCard: true, FundCardAmount: 400 };

function order(bare: BareWorld, input: OrderInput, errors: readonly (typeof VIRTUAL_ERRORS)[number][] = []) {
  const simulation = createSimulation(bare.world, { outage: () => 0 } as never);
  if (errors.length > 0) simulation.failNextVirtualCard(errors);
  const made = simulation.createOrder(input);
  return { ...made, told: bare.emitted.find(({ kind }) => kind === 'virtual-card')?.data };
}

describe('virtual card orders', () => {
  it('report the sensitive data when every step succeeds', () => {
    const bare = bareWorld({ seed: oneHolder() });

    const { told, AcctId, CardOrderId } = order(bare, virtual);

    expect(told).toMatchObject({
      AccountId: AcctId,
      VirtualCardOrderId: CardOrderId,
      Status: 'ACTIVE',
      Balance: 400,
      Errors: [],
      Message: 'Account Creation Successful',
    });
    expect(told.CardNumber).toMatch(/^411111\d{10}$/);
    expect(passesLuhn(told.CardNumber)).toBe(true);
    expect(told.CVV2).toMatch(/^\d{3}$/);
    expect(told.ExpirationDate).toMatch(/T00:00:00$/);
  });

  it.each(VIRTUAL_ERRORS.filter((error) => error !== 'Card'))('partly succeed when %s fails', (error) => {
    const bare = bareWorld({ seed: oneHolder() });

    const { told, AcctId } = order(bare, virtual, [error]);

    expect(AcctId).toBeGreaterThan(0);
    expect(told.Errors).toEqual([error]);
    expect(told.Message).toMatch(/^Failed: /);
    expect(told.Status).toBe(error === 'Activation' ? 'INACTIVE' : 'ACTIVE');
    expect(told.Balance).toBe(error === 'Funding' ? 0 : 400);
  });

  it('list every step that failed', () => {
    const { told } = order(bareWorld({ seed: oneHolder() }), virtual, ['Funding', 'Group', 'Activation', 'Ruleset']);

    expect(told.Errors).toEqual(['Group', 'Ruleset', 'Activation', 'Funding']);
    expect(told.Message).toBe('Failed: Set Group, Set Ruleset, Activation, Funding');
  });

  it('create no account when the card creation fails', () => {
    const bare = bareWorld({ seed: oneHolder() });
    const before = bare.world.state.accounts.length;

    const { told } = order(bare, virtual, ['Card']);

    expect(bare.world.state.accounts).toHaveLength(before);
    expect(told).toMatchObject({
      AccountId: 0,
      CardNumber: '',
      CVV2: '',
      Errors: ['Card'],
      Message: 'Failed: Card Creation',
    });
  });

  it('fail to fund when the business lacks the money', () => {
    const { told } = order(bareWorld({ seed: oneHolder() }), { ...virtual, FundCardAmount: 1000.01 });

    expect(told).toMatchObject({ Errors: ['Funding'], Balance: 0 });
  });

  it.each([
    ['ACTIVE', 'ACTIVE'],
    ['INACTIVE', 'INACTIVE'],
    ['BLOCKED', 'INACTIVE'],
  ] as const)(
    'report a virtual card with the status %s as %s in a resend, which has only two states',
    (status, said) => {
      const bare = bareWorld({ seed: oneHolder() });
      const { AcctId } = order(bare, virtual);
      const account = bare.world.state.accounts.find(({ acctId }) => acctId === AcctId)!;
      account.cards[0]!.status = status;

      resendVirtualCard(bare.world, account);

      expect(bare.emitted.at(-1)).toMatchObject({ kind: 'virtual-card', data: { Status: said } });
    },
  );

  it('leave Errors and Message empty in a resend, whatever failed in the order', () => {
    const bare = bareWorld({ seed: oneHolder() });
    const { AcctId, told } = order(bare, virtual, ['Group']);
    const account = bare.world.state.accounts.find(({ acctId }) => acctId === AcctId)!;

    expect(resendVirtualCard(bare.world, account)).toBe(true);

    const again = bare.emitted.at(-1)!;
    expect(again.kind).toBe('virtual-card');
    expect(again.data).toEqual({ ...told, Errors: [], Message: '' });
  });
});

describe('card orders', () => {
  it('ship with one webhook per card, linked by the order id', () => {
    const bare = bareWorld({ seed: oneHolder() });
    const simulation = createSimulation(bare.world, { outage: () => 0 } as never);
    const { CardOrderId, AcctId } = simulation.createOrder({ FirstName: 'Ina', LastName: 'Berg' });

    const { TrackingNumber } = simulation.ship({ CardOrderId });

    expect(bare.emitted.at(-1)).toEqual({
      kind: 'card-shipping',
      data: {
        AcctId,
        TransactionType: 'CARDORDER',
        Description: 'Shipped',
        TrackingNumber,
        ShippingMethod: 'USPS',
        Last4CardNumber: expect.stringMatching(/^\d{4}$/),
        CardOrderId,
      },
    });
    expect(TrackingNumber).toMatch(/^\d{22}$/);
  });

  it.each([
    ['FirstClassMail', 'USPS'],
    ['Rush', 'FedEx'],
    ['Expedited', 'FedEx'],
  ] as const)('shipped by %s go with %s, with a number in the form of the carrier', (ShippingMethod, carrier) => {
    const bare = bareWorld({ seed: oneHolder() });
    const simulation = createSimulation(bare.world, { outage: () => 0 } as never);
    const { CardOrderId } = simulation.createOrder({ FirstName: 'Ina', LastName: 'Berg', ShippingMethod });

    const { TrackingNumber } = simulation.ship({ CardOrderId });

    expect(bare.emitted.at(-1)?.data).toMatchObject({ ShippingMethod: carrier, TrackingNumber });
    expect(carrierOfForm(TrackingNumber)).toBe(carrier);
  });

  it('are activated by the holder later, unless someone was faster', () => {
    const bare = bareWorld({ seed: oneHolder() });
    const simulation = createSimulation(bare.world, { outage: () => 0 } as never);
    const { AcctId } = simulation.createOrder({ FirstName: 'Ina', LastName: 'Berg' });

    doLaterWork(bare.world, 'activate-card', { acctId: AcctId });
    doLaterWork(bare.world, 'activate-card', { acctId: AcctId });

    expect(bare.emitted.map(({ data }) => data.CardList[0].CardStatus)).toEqual(['INACTIVE', 'ACTIVE']);
  });

  it.each([
    [1, 'Invalid card order ID'],
    [0, 'Invalid card order ID'],
  ])('refuse to ship order %i', (CardOrderId, message) => {
    const bare = bareWorld({ seed: oneHolder() });

    expect(() => createSimulation(bare.world, {} as never).ship({ CardOrderId })).toThrow(message);
  });
});
