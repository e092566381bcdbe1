import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PurchaseTimeline } from '../../../src/alerts/purchase-timeline.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { examples } from '../../support/examples.ts';
import { anyPurchase, ledgerOf, type Move, stepsOf } from '../../support/purchase-ledger.ts';
import { transactionAlert } from '../fixtures.ts';

/** The message of one step, without its place and the time at its end. */
function message(steps: PurchaseTimeline['steps'], own: number, leader = own): string {
  const step = steps[own];
  if (step === undefined) throw new Error('no such step');
  const { eventId: id, kind, direction, cents: amountCents, at: occurredAt } = step;
  const event = { id, kind, direction, amountCents, occurredAt, requestedCents: null, decline: null };
  const timeline = { leaderId: steps[leader]?.eventId, steps };
  return renderAlert(transactionAlert(event, { timeline }), { place: 'public' })
    .text.replace(/ (at|by) Blue Bottle Coffee, Austin, TX · Jane Doe · card 1212/, '')
    .replace(/<!date[^|]*\|([^>]*)>/g, '$1')
    .replace(/\.$/, '');
}

const at = (steps: readonly Move[], leader: number): string => message(stepsOf(steps), leader);
const withoutTime = (text: string): string => text.replace(/, Nov \d+, 2026, [\d:]+ AM ET/, '');

const auth = ['authorization', 8410] as const;
const tip = ['settlement', 10_000] as const;

describe('the first message of a purchase', () => {
  it.each<[string, string, readonly Move[], number]>([
    [
      'a capture after the hold was released',
      'Settled for $84.10',
      [auth, ['reversal', 8410], ['settlement', 8410]],
      0,
    ],
    [
      'the same when the reversal came first',
      'Settled for $84.10',
      [auth, ['reversal', 8410], ['settlement', 8410]],
      1,
    ],
    ['the same when the capture came first', '', [auth, ['reversal', 8410], ['settlement', 8410]], 2],
    [
      'a tank after a dollar',
      'Settled for $40.00',
      [
        ['authorization', 100],
        ['reversal', 100],
        ['settlement', 4000],
      ],
      0,
    ],
    ['a tip that stays spent', 'Settled for $100.00, partly reversed: $84.10', [auth, tip, ['reversal', 8410]], 0],
    [
      'a partial capture that came back',
      'Settled for $50.00, reversed after settlement',
      [auth, ['settlement', 5000], ['reversal', 5000]],
      0,
    ],
    [
      'the rest of a hold that was released',
      'Settled for $50.00, rest of the hold released',
      [auth, ['settlement', 5000], ['reversal', 3410]],
      0,
    ],
    [
      'the rest of a hold, of which a part was released',
      'Settled for $50.00, part of the hold released',
      [auth, ['settlement', 5000], ['reversal', 3000]],
      0,
    ],
    [
      'the capture of which it is the refund',
      'Settled for $50.00',
      [auth, ['reversal', 3410], ['settlement', 5000], ['settlement', 5000, 'credit']],
      3,
    ],
    [
      'several refunds of an unknown purchase',
      'Refunded: $40.00 in all',
      [
        ['settlement', 2000, 'credit'],
        ['settlement', 2000, 'credit'],
      ],
      0,
    ],
    [
      'several reversals of an unknown purchase',
      '$40.00 back in all',
      [
        ['reversal', 2000],
        ['reversal', 2000],
      ],
      0,
    ],
    ['what is still held', 'Partly reversed: $34.10, $50.00 still held', [auth, ['reversal', 3410]], 0],
    ['what it leaves held itself', '$50.00 still held', [auth, ['reversal', 3410]], 1],
    ['nothing twice', '', [auth, ['reversal', 8410]], 1],
    ['nothing twice about a capture', '', [auth, ['settlement', 8410]], 1],
    [
      'the PIN purchase that it reverses',
      'Paid $84.10 with PIN',
      [
        ['pin', 8410],
        ['reversal', 8410],
      ],
      1,
    ],
    [
      'several authorizations',
      'Authorized for $80.00',
      [
        ['authorization', 5000],
        ['authorization', 3000],
      ],
      0,
    ],
    [
      'several authorizations and a part that is reversed',
      'Authorized for $80.00, partly reversed: $50.00, $30.00 still held',
      [
        ['authorization', 5000],
        ['authorization', 3000],
        ['reversal', 5000],
      ],
      0,
    ],
    [
      'several authorizations that are reversed',
      'Authorized for $80.00, reversed, hold released',
      [
        ['authorization', 5000],
        ['authorization', 3000],
        ['reversal', 8000],
      ],
      0,
    ],
  ])('shows %s: %s', (_what, words, moves, leader) => {
    expect(withoutTime(at(moves, leader)).split('. ').slice(1).join('. ')).toBe(words);
  });

  it.each([
    [
      'the last step',
      'Spent: $84.10. Reversed, hold released, Nov 20, 2026, 9:01 AM ET',
      [auth, ['reversal', 8410]],
      0,
    ],
    [
      'no step before its own',
      'Credited back: $84.10. Paid $84.10 with PIN',
      [
        ['pin', 8410],
        ['reversal', 8410],
      ],
      1,
    ],
  ] as [string, string, Move[], number][])('shows the time of %s', (_what, words, moves, leader) => {
    expect(at(moves, leader)).toBe(words);
  });

  it.each([
    [
      0,
      'Spent: $84.10. Reversed, hold released, Nov 20, 2026, 9:01 AM ET (probably: the merchant sent no matching reference)',
    ],
    [1, 'Hold released: $84.10. Probably part of this purchase: same card and merchant, no matching reference'],
  ])('says that a reference is missing, whichever step came first: %i', (leader, words) => {
    const steps = stepsOf([auth, ['reversal', 8410]]).map((step) => ({
      ...step,
      isInferred: step.kind === 'reversal',
    }));

    expect(message(steps, leader)).toBe(words);
  });
});

it('says in a reply to a purchase what the reversal leaves held', () => {
  const steps = stepsOf([auth, ['reversal', 3410], ['reversal', 5000], ['settlement', 100]]);

  expect(message(steps, 1, 0)).toBe('Part of the hold released: $34.10. $50.00 still held');
  expect(message(steps, 2, 0)).toBe('Hold released: $50.00');
  expect(message(steps, 3, 0)).toBe('Settled: $1.00');
});

/** What a reader learns from the first message. Null: it does not say. */
function facts(text: string): { taken: number; held: number | null; back: number } {
  const cents = (pattern: RegExp): number | null => {
    const amount = pattern.exec(text)?.[1];
    return amount === undefined ? null : Math.round(Number(amount.replace(',', '')) * 100);
  };
  const settled = cents(/settled for \$([\d,.]+\d)/i) ?? cents(/^settled: \$([\d,.]+\d)/i) ?? 0;
  const paid = cents(/paid \$([\d,.]+\d) with PIN/i) ?? cents(/^spent with PIN: \$([\d,.]+\d)/i) ?? 0;
  const taken = settled + paid;
  const authorized = cents(/authorized for \$([\d,.]+\d)/i) ?? cents(/^spent: \$([\d,.]+\d)/i);
  const isReleased = /reversed, hold released|^hold released/i.test(text);
  const held = cents(/\$([\d,.]+\d) still held/) ?? (isReleased ? 0 : authorized);
  const isCredited = /reversed after settlement|reversed, credited back/i.test(text);
  const reversed = cents(/partly reversed: \$([\d,.]+\d)/i) ?? cents(/^credited back: \$([\d,.]+\d)/i) ?? 0;
  // The last one: a step that gives money back begins with its own amount.
  const refunded = cents(/.*refunded: \$([\d,.]+\d)/i) ?? 0;
  return { taken, held: taken > 0 ? null : held, back: (taken === 0 ? 0 : isCredited ? taken : reversed) + refunded };
}

it('says what a ledger says, whichever step arrived first', () => {
  // No merchant reverses more than it took.
  const plausible = anyPurchase.filter((moves) => ledgerOf(moves).credited <= ledgerOf(moves).taken);
  fc.assert(
    fc.property(plausible, (moves) => {
      const ledger = ledgerOf(moves);
      for (const leader of moves.keys()) {
        const text = at(moves, leader);
        const { taken, held, back } = facts(text);

        expect({ taken, back }, text).toEqual({ taken: ledger.taken, back: ledger.credited + ledger.refunded });
        if (taken === 0) expect(held, text).toBe(ledger.held);
      }
    }),
    { numRuns: examples(500) },
  );
});
