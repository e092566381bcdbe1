import fc from 'fast-check';
import type { PurchaseTimeline } from '../../src/alerts/purchase-timeline.ts';

/** What happens to a purchase. A refund is a settlement that is a credit, as in the service's webhooks. */
export type Move = readonly [kind: Step['kind'], cents: number, direction?: Step['direction']];
type Step = PurchaseTimeline['steps'][number];

/** The moves as steps of a purchase, a minute apart. */
export function stepsOf(moves: readonly Move[]): Step[] {
  return moves.map(([kind, cents, direction], index) => ({
    eventId: `evt_${String(index).padStart(16, '0')}`,
    kind,
    direction: direction ?? (kind === 'reversal' ? 'credit' : 'debit'),
    cents,
    at: `2026-11-20T14:${String(index).padStart(2, '0')}:00.0000000Z`,
    isInferred: false,
  }));
}

/** What a bookkeeper would know of a purchase. */
export interface Ledger {
  /** Held for the merchant and neither captured nor released. */
  readonly held: number;
  readonly taken: number;
  /** What the cardholder got back after it was taken. */
  readonly credited: number;
  readonly refunded: number;
}

/** Written apart from the product: it keeps one account for each hold and each debit, and moves money between them. */
export function ledgerOf(moves: readonly Move[]): Ledger {
  let holds: number[] = [];
  const debits: { cents: number; open: number }[] = [];
  let credited = 0;
  let refunded = 0;
  /** Refunded before the purchase was captured. */
  let advance = 0;
  const empty = (cents: number): number => {
    let missing = cents;
    holds = holds.map((hold) => {
      const part = Math.min(hold, missing);
      missing -= part;
      return hold - part;
    });
    return cents - missing;
  };
  const giveBack = (cents: number): number => {
    let missing = cents;
    for (const debit of debits) {
      const part = Math.min(debit.open, missing);
      debit.open -= part;
      missing -= part;
    }
    return cents - missing;
  };
  for (const [kind, cents, direction] of moves) {
    if (kind === 'authorization') holds.push(cents);
    else if (kind === 'reversal') {
      const isHeld = holds.reduce((sum, hold) => sum + hold, 0) >= cents;
      if (debits.length === 0 || isHeld) empty(cents);
      else {
        credited += cents - empty(cents - giveBack(cents));
      }
    } else if (direction === 'credit') {
      refunded += cents;
      advance += cents - giveBack(cents);
    } else {
      if (kind === 'settlement') empty(cents);
      const open = Math.max(0, cents - advance);
      advance -= cents - open;
      debits.push({ cents, open });
    }
  }
  const taken = debits.reduce((sum, { cents }) => sum + cents, 0);
  return { held: holds.reduce((sum, hold) => sum + hold, 0), taken, credited, refunded };
}

const cents = fc.constantFrom(100, 2000, 3410, 5000, 8410, 10_000);
const later: fc.Arbitrary<Move> = fc.oneof(
  fc.tuple(fc.constantFrom('settlement' as const, 'reversal' as const, 'reversal' as const), cents),
  fc.tuple(fc.constant('settlement' as const), cents, fc.constant('credit' as const)),
);

/** An authorization or PIN purchase and what follows, in the order in which it happened. */
export const anyPurchase: fc.Arbitrary<readonly Move[]> = fc
  .tuple(
    fc.tuple(fc.constantFrom('authorization' as const, 'authorization' as const, 'pin' as const), cents),
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: later },
        { weight: 1, arbitrary: fc.tuple(fc.constant('authorization' as const), cents) },
      ),
      { maxLength: 5 },
    ),
  )
  .map(([first, rest]): readonly Move[] => [
    first,
    // A PIN purchase holds nothing and is not settled.
    ...rest.filter(([kind, , direction]) => first[0] !== 'pin' || kind === 'reversal' || direction === 'credit'),
  ]);
