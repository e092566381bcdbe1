import { describe, expect, it } from 'vitest';
import { type Case, judge, type PolicyVerb, policyVerbs, type Verdict } from '../../../src/policy/decide.ts';
import type { Role } from '../../../src/policy/permissions.ts';

const MUCH = 100_001;
const LITTLE = 100_000;
const MINUTE = 60_000;

const people: Readonly<Record<string, readonly Role[]>> = {
  nobody: [],
  operator: ['operator'],
  approver: ['approver'],
  both: ['operator', 'approver'],
};

/** `yes`, `no`, or how many others have to say yes. */
function short(verdict: Verdict): string {
  if (verdict.kind === 'allowed') return 'yes';
  return verdict.kind === 'refused' ? 'no' : `+${verdict.others}`;
}

function judged(one: Case): string {
  return short(judge(one, { twoPersonAboveCents: LITTLE }));
}

/**
 * What each may do: first with somebody else's card, then with the own one; with little and with much money each.
 *
 * Columns: nobody, operator, approver, both.
 */
const table: Readonly<Record<PolicyVerb, readonly [others: string, othersMuch: string, own: string, ownMuch: string]>> =
  {
    //                others                others, much          own                   own, much
    show: ['no yes yes yes', 'no yes yes yes', 'no yes yes yes', 'no yes yes yes'],
    acknowledge: ['no yes yes yes', 'no yes yes yes', 'no yes yes yes', 'no yes yes yes'],
    activate: ['no yes yes yes', 'no yes yes yes', 'no yes yes yes', 'no yes yes yes'],
    block: ['no yes yes yes', 'no yes yes yes', 'yes yes yes yes', 'yes yes yes yes'],
    undo_block: ['no no no no', 'no no no no', 'no no no no', 'no no no no'],
    unblock: ['no no yes yes', 'no no yes yes', 'no no no no', 'no no no no'],
    lower: ['no no yes yes', 'no no yes yes', 'no no yes yes', 'no no yes yes'],
    raise: ['no no yes yes', 'no no +1 +1', 'no no +1 +1', 'no no +2 +2'],
    take_back: ['no yes yes yes', 'no yes yes yes', 'no yes yes yes', 'no yes yes yes'],
    settle_lease: ['no no yes yes', 'no no yes yes', 'no no no no', 'no no no no'],
    ask: ['no no no no', 'no no no no', '+1 +1 +1 +1', '+2 +2 +2 +2'],
    approve: ['no no yes yes', 'no no yes yes', 'no no no no', 'no no no no'],
    deny: ['no no yes yes', 'no no yes yes', 'no no yes yes', 'no no yes yes'],
    // Without an age nobody has waited yet.
    break_glass: ['no no no no', 'no no no no', 'no no no no', 'no no no no'],
  };

const cases = policyVerbs.flatMap((verb) =>
  [
    [false, LITTLE],
    [false, MUCH],
    [true, LITTLE],
    [true, MUCH],
  ].flatMap(([isOwnCard, amountCents], column) =>
    Object.entries(people).map(([who, roles], person): [string, Case, string] => [
      `${who}: ${verb}, ${isOwnCard === true ? 'own card' : 'another’s card'}, ${amountCents === MUCH ? 'much' : 'little'}`,
      { verb, roles, isOwnCard: isOwnCard === true, amountCents: Number(amountCents) },
      table[verb][column]?.split(' ')[person] ?? '',
    ]),
  ),
);

describe('who may do what', () => {
  it.each(cases)('%s', (_what, one, expected) => {
    expect(judged(one)).toBe(expected);
  });

  it.each([
    ['of exactly the amount takes one', LITTLE, 'yes'],
    ['of a cent more takes two', MUCH, '+1'],
    ['of no known amount takes two', Number.POSITIVE_INFINITY, '+1'],
  ])('a raise %s', (_what, amountCents, expected) => {
    expect(judged({ verb: 'raise', roles: ['approver'], isOwnCard: false, amountCents })).toBe(expected);
  });

  it.each<[string, Partial<Case>, string]>([
    ['who blocked, after 60 seconds', { isOwnAction: true, ageMs: MINUTE }, 'yes'],
    ['who blocked, a moment later', { isOwnAction: true, ageMs: MINUTE + 1 }, 'no'],
    ['somebody else, at once', { isOwnAction: false, ageMs: 0 }, 'no'],
    ['who blocked, but is no operator any more', { isOwnAction: true, ageMs: 0, roles: [] }, 'no'],
  ])('undoing a block: %s', (_what, over, expected) => {
    expect(judged({ verb: 'undo_block', roles: ['operator'], isOwnCard: false, ...over })).toBe(expected);
  });

  it.each<[string, Partial<Case>, string]>([
    ['after a quarter of an hour', {}, 'yes'],
    ['before', { ageMs: 15 * MINUTE - 1 }, 'no'],
    ['for the own card', { isOwnCard: true }, 'no'],
    ['for an own wish', { isOwnAction: true }, 'no'],
    ['by somebody without a role', { roles: ['holder'] }, 'no'],
  ])('breaking the glass: %s', (_what, over, expected) => {
    const one: Case = { verb: 'break_glass', roles: ['operator'], isOwnCard: false, ageMs: 15 * MINUTE, ...over };

    expect(judged(one)).toBe(expected);
  });

  it('nobody approves an own wish, or twice', () => {
    expect(judged({ verb: 'approve', roles: ['approver'], isOwnCard: false, isOwnAction: true })).toBe('no');
  });

  it('every no says why', () => {
    for (const [, one] of cases) {
      const verdict = judge(one, { twoPersonAboveCents: LITTLE });
      if (verdict.kind === 'refused') expect(verdict.why).toMatch(/^[A-Z].*\.$/);
    }
  });
});
