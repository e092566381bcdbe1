import { describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { durationOf, purchaseCents } from '../../../src/limits/change-request.ts';
import { termWords } from '../../../src/limits/term.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { ask } from '../../support/perform-world.ts';

const toFourFifty = (term: Term) => ({ goals: [limitGoal('daily', 45_000)], term });

describe('how long the change of an action lasts, for the record', () => {
  const until = '2026-11-20T16:00:00.000Z';
  const target = { kind: 'request', requestId: 'req_1' } as const;

  it.each<[Term, string]>([
    [{ kind: 'permanent' }, 'permanently'],
    [{ kind: 'purchase' }, `for one purchase only, at most 15 minutes, until ${until}`],
    [{ kind: 'duration', ms: 3_600_000 }, `for 1 hour, until ${until}`],
    [{ kind: 'day', day: '2026-11-20' }, 'to the end of Nov 20, 2026, Eastern time'],
    [{ kind: 'until', at: until }, 'until Nov 20, 2026, 11:00 AM ET'],
  ])('%j', (term, expected) => {
    expect(durationOf(ask('limit', { changeRequest: toFourFifty(term) }), until)).toBe(expected);
    expect(durationOf(ask('ask', { ask: { amountCents: 1, term } }))).toBe(termWords(term));
    expect(durationOf(ask('decide', { target, changeRequest: toFourFifty(term) }))).toBe(termWords(term));
  });

  it('is nothing for an action without a duration', () => {
    expect(durationOf(ask('block'), until)).toBeNull();
    expect(durationOf(ask('decide', { target, changeRequest: null }), until)).toBeNull();
  });
});

describe('what the purchase of an action may cost', () => {
  const declined = { amountCents: 5000 };
  const toPay = (amountCents: number) => ask('ask', { ask: { amountCents, term: { kind: 'purchase' } } });
  const approved = ask('limit', { changeRequest: { ...toFourFifty({ kind: 'purchase' }), payCents: 9000 } });

  it.each<[string, object, { amountCents: number } | null, number | null]>([
    ['is what was declined', ask('limit'), declined, 5000],
    ['is what its holder asked to pay, if that is more', toPay(9000), declined, 9000],
    ['stays what was declined if its holder asked for less', toPay(4000), declined, 5000],
    ['is the same once it is approved', approved, declined, 9000],
    ['is not known if the card was only checked, for $0.00', ask('allow'), { amountCents: 0 }, null],
    ['is what its holder asked to pay after such a check', toPay(9000), { amountCents: 0 }, 9000],
    ['is not known without a purchase', toPay(9000), null, null],
  ])('%s', (_what, action, purchase, cents) => {
    expect(purchaseCents(action, purchase)).toBe(cents);
  });
});
