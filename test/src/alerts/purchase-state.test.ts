import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { effectOf, inOrder, type PurchaseState, purchaseStateOf } from '../../../src/alerts/purchase-state.ts';
import { examples } from '../../support/examples.ts';
import { anyPurchase, ledgerOf, type Move, stepsOf } from '../../support/purchase-ledger.ts';

const state = (...moves: Move[]): PurchaseState => purchaseStateOf(stepsOf(moves));

describe('a reversal', () => {
  it.each<[string, Move[], Partial<PurchaseState>]>([
    [
      'before a capture releases the hold',
      [
        ['authorization', 8410],
        ['reversal', 8410],
      ],
      { held: 0, released: 8410 },
    ],
    [
      'of a part leaves the rest held',
      [
        ['authorization', 8410],
        ['reversal', 3410],
      ],
      { held: 5000, released: 3410 },
    ],
    [
      'before a capture does not give the captured money back',
      [
        ['authorization', 8410],
        ['reversal', 8410],
        ['settlement', 8410],
      ],
      { settled: 8410, released: 8410, credited: 0 },
    ],
    [
      'of a dollar at a fuel pump is not the tank',
      [
        ['authorization', 100],
        ['reversal', 100],
        ['settlement', 4000],
      ],
      { settled: 4000, credited: 0 },
    ],
    [
      'after a capture with a tip credits only its own amount',
      [
        ['authorization', 8410],
        ['settlement', 10_000],
        ['reversal', 8410],
      ],
      { settled: 10_000, credited: 8410 },
    ],
    [
      'of all that a partial capture took credits it',
      [
        ['authorization', 8410],
        ['settlement', 5000],
        ['reversal', 5000],
      ],
      { credited: 5000, restReleased: 0 },
    ],
    [
      'of exactly what a partial capture left releases it',
      [
        ['authorization', 8410],
        ['settlement', 5000],
        ['reversal', 3410],
      ],
      { credited: 0, restReleased: 3410, held: 0 },
    ],
    [
      'of less than what a partial capture left releases a part of it',
      [
        ['authorization', 8410],
        ['settlement', 5000],
        ['reversal', 3000],
      ],
      { credited: 0, restReleased: 3000, held: 410 },
    ],
    [
      'of everything after a partial capture does both',
      [
        ['authorization', 8410],
        ['settlement', 5000],
        ['reversal', 8410],
      ],
      { credited: 5000, restReleased: 3410, unexplained: 0 },
    ],
    [
      'of a PIN purchase credits it',
      [
        ['pin', 8410],
        ['reversal', 8410],
      ],
      { paid: 8410, credited: 8410 },
    ],
    ['of an unknown purchase explains nothing', [['reversal', 8410]], { unexplained: 8410, released: 0, credited: 0 }],
    [
      'of more than was held leaves the rest unexplained',
      [
        ['authorization', 8410],
        ['reversal', 9000],
      ],
      { released: 8410, unexplained: 590 },
    ],
    [
      'of more than was taken is credited',
      [
        ['pin', 8410],
        ['reversal', 9000],
      ],
      { credited: 9000, unexplained: 0 },
    ],
  ])('%s', (_what, moves, facts) => {
    expect(state(...moves)).toMatchObject(facts);
  });
});

describe('the order of the steps', () => {
  const at = (minute: number) => `2026-11-20T14:0${minute}:00.0000000Z`;
  const step = (kind: Move[0], minute: number) => ({
    ...stepsOf([[kind, 8410]])[0],
    kind,
    direction: 'debit' as const,
    cents: 8410,
    isInferred: false,
    eventId: kind,
    at: at(minute),
  });
  const order = (...steps: ReturnType<typeof step>[]) => inOrder(steps).map(({ kind }) => kind);

  it('is that of their times', () => {
    expect(order(step('settlement', 3), step('reversal', 2), step('authorization', 1))).toEqual([
      'authorization',
      'reversal',
      'settlement',
    ]);
  });

  it('has nothing before the purchase, because clocks differ', () => {
    expect(order(step('reversal', 2), step('settlement', 1), step('authorization', 4), step('pin', 4))).toEqual([
      'authorization',
      'pin',
      'settlement',
      'reversal',
    ]);
    expect(order(step('reversal', 2), step('pin', 4))).toEqual(['pin', 'reversal']);
  });

  it('has a capture before a reversal of the same time', () => {
    expect(order(step('reversal', 1), step('settlement', 1))).toEqual(['settlement', 'reversal']);
  });
});

it('shows what one step changed, and nothing for a step that is not there', () => {
  const steps = stepsOf([
    ['authorization', 8410],
    ['reversal', 3410],
    ['settlement', 5000],
  ]);
  const [, reversal] = steps;

  expect(effectOf(steps, reversal?.eventId ?? '')).toMatchObject({
    effect: { authorized: 0, held: -3410, released: 3410, settled: 0 },
    after: { authorized: 8410, held: 5000, settled: 0 },
  });
  expect(effectOf(steps, 'none').effect).toEqual(purchaseStateOf([]));
  expect(effectOf(steps, 'none').after).toEqual(purchaseStateOf([]));
});

it('agrees with a ledger that moves each cent from one account to another, in any order of arrival', () => {
  fc.assert(
    fc.property(
      anyPurchase.chain((moves) =>
        fc.tuple(fc.constant(moves), fc.shuffledSubarray(stepsOf(moves), { minLength: moves.length })),
      ),
      ([moves, arrived]) => {
        const ledger = ledgerOf(moves);
        const found = purchaseStateOf(arrived);

        expect(found).toEqual(purchaseStateOf(stepsOf(moves)));
        expect(found.settled + found.paid).toBe(ledger.taken);
        expect(found.held).toBe(ledger.held);
        expect(found.credited).toBe(ledger.credited);
        expect(found.refunded).toBe(ledger.refunded);
      },
    ),
    { numRuns: examples(500) },
  );
});
