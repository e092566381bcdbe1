import { describe, expect, it } from 'vitest';
import { refund, reverse, settle } from '../../sandbox/engine/after-purchase.ts';
import { processOrder, ship } from '../../sandbox/engine/card-order.ts';
import { activate, block, setStatusInPortal, terminate, unblock } from '../../sandbox/engine/card-status.ts';
import { purchase, releaseExpiredHolds } from '../../sandbox/engine/purchase.ts';
import { createSimulation } from '../../sandbox/simulation.ts';
import type { CardStatus } from '../../sandbox/state/account.ts';
import { type BareWorld, bareWorld, oneHolder, onlyAccount, transactionsOf } from './bare-world.ts';
import type { Payload } from './payload.ts';

function worldWith(...statuses: CardStatus[]): BareWorld {
  return bareWorld({ seed: oneHolder(100, { cards: statuses.map((status) => ({ status, ageDays: 5 })) }) });
}
const told = ({ emitted }: BareWorld): string[] => emitted.map(({ data }) => data.CardList[0].CardStatus as string);

describe('card states', () => {
  it.each([
    ['ACTIVE', block, ['BLOCKED']],
    ['BLOCKED', unblock, ['ACTIVE']],
    ['INACTIVE', activate, ['ACTIVE']],
    ['INACTIVE', block, ['ACTIVE', 'BLOCKED']],
    ['INACTIVE', terminate, ['CLOSED']],
    ['ACTIVE', terminate, ['CLOSED']],
    ['BLOCKED', terminate, ['CLOSED']],
  ] as const)('from %s by %o send one webhook per change', (from, change, changes) => {
    const bare = worldWith(from);

    change(bare.world, onlyAccount(bare));

    expect(told(bare)).toEqual(changes);
    expect(onlyAccount(bare).cards[0]?.status).toBe(changes.at(-1));
  });

  it.each([
    ['CLOSED', block],
    ['CLOSED', unblock],
    ['CLOSED', activate],
    ['CLOSED', terminate],
    ['ACTIVE', activate],
    ['BLOCKED', activate],
    ['INACTIVE', unblock],
  ] as const)('do not leave %s by %o, and send nothing', (from, change) => {
    const bare = worldWith(from);

    expect(() => change(bare.world, onlyAccount(bare))).toThrow('Cannot change status');

    expect(told(bare)).toEqual([]);
    expect(onlyAccount(bare).cards[0]?.status).toBe(from);
  });

  it.each([
    ['INACTIVE', 'ACTIVE', ['ACTIVE']],
    ['INACTIVE', 'BLOCKED', ['ACTIVE', 'BLOCKED']],
    ['ACTIVE', 'BLOCKED', ['BLOCKED']],
    ['BLOCKED', 'ACTIVE', ['ACTIVE']],
    ['ACTIVE', 'CLOSED', ['CLOSED']],
  ] as const)('change from %s to %s in the portal like in any other channel', (from, to, changes) => {
    const bare = worldWith(from);

    setStatusInPortal(bare.world, onlyAccount(bare), to);

    expect(told(bare)).toEqual(changes);
  });

  it('send nothing when the status does not change', () => {
    const bare = worldWith('BLOCKED');

    block(bare.world, onlyAccount(bare));

    expect(told(bare)).toEqual([]);
  });

  it('close the old card permanently when its replacement is activated', () => {
    const bare = worldWith('ACTIVE', 'INACTIVE');
    const [old, replacement] = onlyAccount(bare).cards;

    activate(bare.world, onlyAccount(bare), replacement?.cardId);

    expect([old?.status, replacement?.status]).toEqual(['CLOSED', 'ACTIVE']);
    expect(told(bare)).toEqual(['CLOSED', 'ACTIVE']);
    expect(() => activate(bare.world, onlyAccount(bare), old?.cardId)).toThrow('Cannot change status');
  });

  it('cannot be changed through another account', () => {
    const bare = worldWith('INACTIVE');

    expect(() => activate(bare.world, onlyAccount(bare), 1)).toThrow('Invalid card ID');
  });

  it.each(['ACTIVE', 'BLOCKED', 'INACTIVE', 'CLOSED'] as const)(
    'that are closed: a simulated change to %s is a bad request, like every other that cannot be',
    (status) => {
      const bare = worldWith('CLOSED');

      expect(() => setStatusInPortal(bare.world, onlyAccount(bare), status)).toThrow(
        expect.objectContaining({ status: 400 }),
      );
      expect(told(bare)).toEqual([]);
    },
  );

  it('start with an INACTIVE webhook, and a new card cannot be activated within a day unless it was shipped', () => {
    const bare = worldWith('ACTIVE');
    const simulation = createSimulation(bare.world, { outage: () => 0 } as never);
    const { CardOrderId, AcctId } = simulation.createOrder({ FirstName: 'New', LastName: 'Holder' });
    const account = bare.world.state.accounts.find(({ acctId }) => acctId === AcctId)!;

    expect(
      bare.emitted.map(({ kind, data }) => [kind, data.CardList[0].CardStatus, data.CardList[0].CardOrderId]),
    ).toEqual([['card-status', 'INACTIVE', CardOrderId]]);
    expect(() => activate(bare.world, account)).toThrow('Cannot change status');

    ship(bare.world, { CardOrderId });
    activate(bare.world, account);

    expect(account.cards[0]?.status).toBe('ACTIVE');
  });

  it('include the cards of an order once, however often it is processed', () => {
    const bare = worldWith('ACTIVE');
    const simulation = createSimulation(bare.world, { outage: () => 0 } as never);
    const { CardOrderId } = simulation.createOrder({ FirstName: 'New', LastName: 'Holder' });
    const before = bare.world.state.accounts.length;

    processOrder(bare.world, CardOrderId);

    expect(bare.world.state.accounts).toHaveLength(before);
  });

  it('return the remaining balance to the business when an account closes', () => {
    const bare = worldWith('ACTIVE');
    const before = bare.world.state.business.ledgerCents;

    terminate(bare.world, onlyAccount(bare));

    expect(onlyAccount(bare)).toMatchObject({ status: 'CLOSED', ledgerCents: 0 });
    expect(bare.world.state.business.ledgerCents).toBe(before + 10_000);
    expect(transactionsOf(bare).at(-1)).toMatchObject({ amount: -100, description: 'Card account closed' });
  });

  it.each([
    ['reversed', 10_000, (bare: BareWorld, id: number) => reverse(bare.world, { NetworkTransactionId: id })],
    [
      'settled in part',
      5000,
      (bare: BareWorld, id: number) => settle(bare.world, { NetworkTransactionId: id, Amount: 50 }),
    ],
    [
      'settled and refunded',
      10_000,
      (bare: BareWorld, id: number) => {
        settle(bare.world, { NetworkTransactionId: id });
        refund(bare.world, { NetworkTransactionId: id });
      },
    ],
    [
      'never settled',
      10_000,
      (bare: BareWorld) => {
        bare.at('2026-03-20T17:00:00Z');
        releaseExpiredHolds(bare.world);
      },
    ],
    [
      'settled after the hold has expired',
      0,
      (bare: BareWorld, id: number) => {
        bare.at('2026-03-20T17:00:00Z');
        settle(bare.world, { NetworkTransactionId: id });
      },
    ],
  ] as const)('return what a purchase held at the closing: %s', (_how, returned, next) => {
    const bare = worldWith('ACTIVE');
    const before = bare.world.state.business.ledgerCents;
    const { NetworkTransactionId } = purchase(bare.world, { AcctId: onlyAccount(bare).acctId, Amount: 100 });
    terminate(bare.world, onlyAccount(bare));

    next(bare, NetworkTransactionId);

    expect(onlyAccount(bare)).toMatchObject({ ledgerCents: 0, heldCents: 0 });
    expect(bare.world.state.business.ledgerCents).toBe(before + returned);
    expect(transactionsOf(bare).reduce((sum, { amount }) => sum + amount, 0)).toBe(0);
  });
});

it.each([
  ['changed', ['BLOCKED']],
  ['all', ['CLOSED', 'BLOCKED']],
] as const)('a status webhook lists the cards assumed: %s', (statusCardList, statuses) => {
  const cards = [{ status: 'CLOSED' }, { status: 'ACTIVE' }] as const;
  const bare = bareWorld({ seed: oneHolder(100, { cards }), assumptions: { statusCardList } });

  block(bare.world, onlyAccount(bare));

  expect(bare.emitted[0]?.data.CardList.map(({ CardStatus }: Payload) => CardStatus)).toEqual(statuses);
});

it.each([
  [true, ['card-status', 'card-status', 'virtual-card']],
  [false, ['card-status', 'virtual-card']],
])('a new virtual card has a status webhook of its own if so assumed: %s', (virtualCardSendsCardStatus, kinds) => {
  const bare = bareWorld({ seed: oneHolder(), assumptions: { virtualCardSendsCardStatus } });

  createSimulation(bare.world, {} as never).createOrder({ FirstName: 'Vi', LastName: 'Card', VirtualCard: true });

  expect(bare.emitted.map(({ kind }) => kind)).toEqual(kinds);
});
