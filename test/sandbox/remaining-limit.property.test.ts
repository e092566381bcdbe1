import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { detailsRoutes } from '../../sandbox/api/details.ts';
import { createRouter } from '../../sandbox/api/route.ts';
import { refund, reverse, settle } from '../../sandbox/engine/after-purchase.ts';
import { purchase, releaseExpiredHolds } from '../../sandbox/engine/purchase.ts';
import { WINDOWS } from '../../sandbox/service-time.ts';
import { limitField } from '../../sandbox/state/spend-rules.ts';
import { type BareWorld, bareWorld, oneHolder, onlyAccount, transactionsOf } from './bare-world.ts';

/** Two categories with a merchant code in each. */
const MCCS = { 9: '5812', 13: '5251' } as const;
type CategoryId = keyof typeof MCCS;

const cents = (least: number, most: number) => fc.integer({ min: least, max: most }).map((value) => value / 100);

/** Consistent limits: each window's limit is at least that of the shorter window. */
const limits = fc.tuple(...WINDOWS.map(() => fc.option(cents(0, 30_000), { nil: null }))).map((values) => {
  let least = 0;
  return Object.fromEntries(
    WINDOWS.map((window, index) => {
      const value = values[index] ?? null;
      if (value !== null) least = Math.max(least, value);
      return [limitField(window), value === null ? null : least];
    }),
  );
});

const step = fc.oneof(
  fc.record({
    do: fc.constant('buy' as const),
    amount: cents(1, 20_000),
    category: fc.constantFrom<CategoryId>(9, 13),
    pin: fc.boolean(),
  }),
  fc.record({
    do: fc.constantFrom('settle' as const, 'reverse' as const, 'refund' as const),
    which: fc.nat(20),
    part: fc.double({ min: 0.1, max: 1.3, noNaN: true }),
  }),
  fc.record({ do: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 200 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface Left {
  readonly type: string;
  readonly category: string | undefined;
  readonly remaining: number;
}

/** The remaining limits according to the API, in one of its two forms. */
function askApi(bare: BareWorld, form: 'RemainingLimit' | 'RemainingLimits'): Left[] {
  const found = createRouter(detailsRoutes)('GET', `/Details/AccountDetails/${onlyAccount(bare).acctId}/${form}`);
  if (!('route' in found)) throw new Error('no such route');
  const answer: unknown = found.route.answer({ world: bare.world, params: found.params } as never).body;
  if (form === 'RemainingLimit') {
    const body = answer as Record<
      'GlobalLimit' | 'CategoryLimit',
      { Type: string; Category?: string; Remaining: number }[]
    >;
    return [...body.GlobalLimit, ...body.CategoryLimit].map((each) => ({
      type: each.Type,
      category: each.Category,
      remaining: each.Remaining,
    }));
  }
  const body = answer as Record<
    'GlobalLimits' | 'MerchantCategoryLimits',
    { Type: string; Category?: string; RemainingSpend: number }[]
  >;
  return [...body.GlobalLimits, ...body.MerchantCategoryLimits].map((each) => ({
    type: each.Type,
    category: each.Category,
    remaining: each.RemainingSpend,
  }));
}

function take(bare: BareWorld, steps: readonly Step[]): void {
  const { acctId } = onlyAccount(bare);
  const ids: number[] = [];
  let at = bare.world.now().getTime();
  for (const each of steps) {
    if (each.do === 'wait') {
      at += each.hours * 3_600_000;
      bare.at(new Date(at));
      releaseExpiredHolds(bare.world);
    } else if (each.do === 'buy') {
      const { Approved, NetworkTransactionId } = purchase(bare.world, {
        AcctId: acctId,
        Amount: each.amount,
        MCCCode: MCCS[each.category],
        ...(each.pin ? { Pin: 'correct' as const } : {}),
      });
      if (Approved) ids.push(NetworkTransactionId);
    } else {
      const id = ids[each.which % Math.max(1, ids.length)];
      const made = id === undefined ? undefined : bare.world.purchaseById.get(id);
      if (made === undefined) continue;
      const amount = Math.max(1, Math.round(made.amountCents * each.part)) / 100;
      try {
        ({ settle, reverse, refund })[each.do](bare.world, {
          NetworkTransactionId: made.networkTransactionId,
          Amount: amount,
        });
      } catch {
        // A step that does not fit the purchase's state is refused, and the history continues.
      }
    }
  }
}

const CATEGORY_NAMES: Record<CategoryId, string> = { 9: 'Restaurants', 13: 'Hardware Stores' };

describe('remaining limits', () => {
  it.each(['RemainingLimit', 'RemainingLimits'] as const)(
    '%s matches the engine to the cent after any history',
    (form) => {
      fc.assert(
        fc.property(
          limits,
          limits,
          fc.array(step, { maxLength: 25 }),
          fc.constantFrom<CategoryId>(9, 13),
          fc.date({ min: new Date('2026-01-01'), max: new Date('2027-12-31'), noInvalidDate: true }),
          (overall, category, steps, asked, start) => {
            const seed = oneHolder(100_000, {
              rules: { ...overall, categories: [{ id: 9, ...category }, { id: 13 }] },
            });
            const bare = bareWorld({ seed, start: start.toISOString() });
            take(bare, steps);

            const says = askApi(bare, form).filter(
              ({ category: name }) => name === undefined || name === CATEGORY_NAMES[asked],
            );
            const most = Math.min(100_000, ...says.map(({ remaining }) => remaining));
            const balance = (onlyAccount(bare).ledgerCents - onlyAccount(bare).heldCents) / 100;
            const buy = (Amount: number) =>
              purchase(bare.world, { AcctId: onlyAccount(bare).acctId, Amount, MCCCode: MCCS[asked] });

            // A limit refuses one cent more than the smallest remaining amount, but not that amount itself.
            if (says.length > 0 && most < balance) {
              const over = buy(Math.round(most * 100 + 1) / 100);
              expect(over.MessageCode).toMatch(/^decline\.rule\.velocity/);
            }
            if (most > 0 && most <= balance) expect(buy(most).Approved).toBe(true);
          },
        ),
        { numRuns: 150 },
      );
    },
  );

  it('have the same numbers in both forms', () => {
    fc.assert(
      fc.property(limits, limits, fc.array(step, { maxLength: 15 }), (overall, category, steps) => {
        const bare = bareWorld({
          seed: oneHolder(100_000, { rules: { ...overall, categories: [{ id: 9, ...category }, { id: 13 }] } }),
        });
        take(bare, steps);

        const announced = askApi(bare, 'RemainingLimit').map(({ remaining, category: name }) => [name, remaining]);
        const released = askApi(bare, 'RemainingLimits').map(({ remaining, category: name }) => [name, remaining]);

        expect(announced).toEqual(released);
      }),
      { numRuns: 50 },
    );
  });

  it('agree with balances and holds in whole cents, open purchases and transaction details after any history', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const bare = bareWorld({ seed: oneHolder(1000) });
        take(bare, steps);

        const account = onlyAccount(bare);
        const held = bare.world.state.purchases.reduce((sum, { heldCents }) => sum + heldCents, 0);

        expect(account.heldCents).toBe(held);
        expect(Number.isInteger(account.ledgerCents)).toBe(true);
        const listed = transactionsOf(bare).reduce((sum, { amount }) => sum + Math.round(amount * 100), 0);
        expect(listed).toBe(account.ledgerCents - account.heldCents);
        expect(bare.world.openHolds.size).toBe(
          bare.world.state.purchases.filter(({ state }) => state === 'held').length,
        );
      }),
      { numRuns: 100 },
    );
  });
});
