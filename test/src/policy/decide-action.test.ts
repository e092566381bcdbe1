import { describe, expect, it } from 'vitest';
import { type Verb, verbNames, verbs } from '../../../src/dispatch/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { type Decision, decide, type Facts, LATE_MS, type Role } from '../../../src/policy/decide-action.ts';

const MUCH = 100_001;
const LITTLE = 100_000;
const MINUTE = 60_000;

const people: Readonly<Record<string, readonly Role[]>> = {
  nobody: [],
  operator: ['operator'],
  approver: ['approver'],
  both: ['operator', 'approver'],
};

/** `yes`, `no`, or how many others have to approve. */
function short(decision: Decision): string {
  if (decision.kind === 'allowed') return 'yes';
  if (decision.kind === 'late') return 'late';
  return decision.kind === 'refused' ? 'no' : `+${decision.others}`;
}

function decided(verb: Verb, question: Facts): string {
  const facts = { isOwnAction: false, ageMs: 0, ...question };
  return short(decide(verbs[verb].permission, facts, approvalPolicyOf({ twoPersonAboveCents: LITTLE })));
}

/**
 * The decisions for each verb: first for someone else's card, then for one's own, each with a small and a large amount.
 *
 * Columns: nobody, operator, approver, both.
 */
const table: Readonly<
  Partial<Record<Verb, readonly [others: string, othersMuch: string, own: string, ownMuch: string]>>
> = {
  //                others                others, much          own                   own, much
  show: ['no yes yes yes', 'no yes yes yes', 'yes yes yes yes', 'yes yes yes yes'],
  activate: ['no yes yes yes', 'no yes yes yes', 'no yes yes yes', 'no yes yes yes'],
  block: ['no yes yes yes', 'no yes yes yes', 'yes yes yes yes', 'yes yes yes yes'],
  'undo-block': ['no no no no', 'no no no no', 'no no no no', 'no no no no'],
  unblock: ['no no yes yes', 'no no yes yes', 'no no no no', 'no no no no'],
  limit: ['no no yes yes', 'no no +1 +1', 'no no +1 +1', 'no no +2 +2'],
  allow: ['no no yes yes', 'no no +1 +1', 'no no +1 +1', 'no no +2 +2'],
  revert: ['no yes yes yes', 'no yes yes yes', 'no yes yes yes', 'no yes yes yes'],
  'complete-temporary-change': ['no no yes yes', 'no no +1 +1', 'no no no no', 'no no no no'],
  ask: ['no no no no', 'no no no no', '+1 +1 +1 +1', '+2 +2 +2 +2'],
  decide: ['no no yes yes', 'no no yes yes', 'no no no no', 'no no no no'],
  // Without an age nobody has waited yet.
  'emergency-override': ['no no no no', 'no no no no', 'no no no no', 'no no no no'],
};

const cases = verbNames.flatMap((verb) =>
  [
    [false, LITTLE],
    [false, MUCH],
    [true, LITTLE],
    [true, MUCH],
  ].flatMap(([isOwnCard, raiseCents], column) =>
    Object.entries(people).flatMap(([who, roles], person): [string, Verb, Facts, string][] => {
      const expected = table[verb]?.[column]?.split(' ')[person];
      if (expected === undefined) return [];
      const what = `${who}: ${verb}, ${isOwnCard === true ? 'own card' : 'another’s card'}, ${raiseCents === MUCH ? 'much' : 'little'}`;
      return [[what, verb, { roles, isOwnCard: isOwnCard === true, raiseCents: Number(raiseCents) }, expected]];
    }),
  ),
);

describe('who may do what', () => {
  it.each(cases)('%s', (_what, verb, question, expected) => {
    expect(decided(verb, question)).toBe(expected);
  });

  it.each([
    ['of nothing, to a lower limit, needs one', 0, 'yes'],
    ['of exactly the amount needs one', LITTLE, 'yes'],
    ['of a cent more needs two', MUCH, '+1'],
    ['of an unknown amount needs two', Number.POSITIVE_INFINITY, '+1'],
  ])('a raise %s', (_what, raiseCents, expected) => {
    expect(decided('limit', { roles: ['approver'], isOwnCard: false, raiseCents })).toBe(expected);
  });

  it.each<[string, Partial<Facts>, string]>([
    ['for somebody else', { isOwnCard: false }, 'yes'],
    ['for oneself', { isOwnCard: true }, '+1'],
  ])('a new card without money, %s: it lets somebody spend nevertheless', (_what, over, expected) => {
    expect(decided('order-virtual', { roles: ['approver'], raiseCents: 0, ...over })).toBe(expected);
  });

  it('whether an order needs others is not known before its amount is', () => {
    expect(decided('order-virtual', { roles: ['approver'] })).toBe('yes');
  });

  it.each<[string, Partial<Facts>, string]>([
    ['the blocker, after 60 seconds', { isOwnAction: true, ageMs: MINUTE }, 'yes'],
    ['the blocker, a moment later', { isOwnAction: true, ageMs: MINUTE + 1 }, 'no'],
    ['someone else, at once', { isOwnAction: false, ageMs: 0 }, 'no'],
    ['the blocker, who is no longer an operator', { isOwnAction: true, ageMs: 0, roles: [] }, 'no'],
  ])('undoing a block: %s', (_what, over, expected) => {
    expect(decided('undo-block', { roles: ['operator'], isOwnCard: false, ...over })).toBe(expected);
  });

  it.each<[Verb, Partial<Facts>, Role | null]>([
    ['undo-block', { ageMs: MINUTE + 1 }, 'approver'],
    ['undo-block', { isOwnAction: false }, 'approver'],
    ['undo-block', { roles: [] }, 'approver'],
    ['emergency-override', { ageMs: 0 }, 'approver'],
    ['emergency-override', { ageMs: 15 * MINUTE, isOwnCard: true }, 'operator'],
    ['emergency-override', { ageMs: 15 * MINUTE, isOwnAction: true }, 'operator'],
    ['unblock', {}, 'approver'],
  ])('a refusal of %s with %j names who could do it: %s', (verb, over, who) => {
    const facts = { roles: ['operator' as const], isOwnCard: false, isOwnAction: true, ageMs: 0, ...over };
    const facing = verb === 'emergency-override' && !('isOwnAction' in over) ? { ...facts, isOwnAction: false } : facts;

    expect(decide(verbs[verb].permission, facing, approvalPolicyOf({ twoPersonAboveCents: LITTLE }))).toMatchObject({
      kind: 'refused',
      who,
    });
  });

  it.each<[string, Partial<Facts>, string]>([
    ['after a quarter of an hour', {}, 'yes'],
    ['before', { ageMs: 15 * MINUTE - 1 }, 'no'],
    ["for one's own card", { isOwnCard: true }, 'no'],
    ["for one's own request", { isOwnAction: true }, 'no'],
    ['by a person without a role', { roles: ['holder'] }, 'no'],
  ])('emergency override: %s', (_what, over, expected) => {
    const question = { roles: ['operator' as const], isOwnCard: false, ageMs: 15 * MINUTE, ...over };

    expect(decided('emergency-override', question)).toBe(expected);
  });

  it.each<[Verb, Partial<Facts>, string]>([
    ['block', {}, 'yes'],
    ['show', {}, 'yes'],
    ['unblock', {}, 'late'],
    ['activate', {}, 'late'],
    ['order-virtual', {}, 'late'],
    ['limit', {}, 'yes'],
    ['limit', { raiseCents: LITTLE }, 'late'],
    ['limit', { raiseCents: MUCH }, '+1'],
    ['decide', { raiseCents: 1 }, 'late'],
  ])(
    'an action that waited longer than ten minutes is done only if it loosens nothing: %s %j',
    (verb, over, expected) => {
      const facts = { roles: ['approver' as const], isOwnCard: false, ...over };

      expect(decided(verb, { ...facts, waitedMs: LATE_MS + 1 })).toBe(expected);
      expect(decided(verb, { ...facts, waitedMs: LATE_MS })).toBe(expected === 'late' ? 'yes' : expected);
    },
  );

  it('an undo that waited that long is refused, not asked about again: its minute is over', () => {
    const facts = { roles: ['operator' as const], isOwnCard: false, isOwnAction: true, ageMs: 20_000 };

    expect(decided('undo-block', { ...facts, waitedMs: LATE_MS })).toBe('yes');
    expect(decided('undo-block', { ...facts, waitedMs: LATE_MS + 1 })).toBe('no');
    const { isOwnCard: _unknown, ...beforeCard } = facts;
    expect(decided('undo-block', { ...beforeCard, waitedMs: LATE_MS + 1 }), 'before the card is known').toBe('yes');
  });

  it('before the card is known, a holder is allowed as far as one can tell', () => {
    expect(decided('block', { roles: ['holder'] })).toBe('yes');
    expect(decided('block', { roles: ['holder'], isOwnCard: false })).toBe('no');
    expect(decided('block', { roles: [] })).toBe('no');
    expect(decided('ask', { roles: ['holder'] })).toBe('+1');
    expect(decided('limit', { roles: ['approver'], raiseCents: LITTLE })).toBe('yes');
  });

  it('a recent former holder may neither ask for more nor unblock the card', () => {
    const facts = { roles: ['approver' as const], isOwnCard: true, isHolder: false };

    expect(decided('ask', facts)).toBe('no');
    expect(decided('unblock', facts)).toBe('no');
  });

  it('nobody approves their own request, or approves twice', () => {
    expect(decided('decide', { roles: ['approver'], isOwnCard: false, isOwnAction: true })).toBe('no');
  });

  it('a verb that always needs others needs them for any card and any amount', () => {
    const permission = { role: null, doing: 'try', needsOthers: 'always' } as const;
    const asked = (raiseCents: number, isOwnCard: boolean) =>
      short(
        decide(permission, { roles: [], isOwnCard, raiseCents }, approvalPolicyOf({ twoPersonAboveCents: LITTLE })),
      );

    expect([asked(0, false), asked(MUCH, false), asked(0, true), asked(MUCH, true)]).toEqual(['+1', '+2', '+1', '+2']);
  });

  it.each([
    ['block', 'Only operators and approvers may'],
    ['unblock', 'Only approvers may'],
  ] as const)('a person who may not %s is told who may', (verb, why) => {
    const refused = decide(
      verbs[verb].permission,
      { roles: [], isOwnCard: false },
      approvalPolicyOf({ twoPersonAboveCents: LITTLE }),
    );

    expect(refused).toMatchObject({ kind: 'refused', why: expect.stringContaining(why) });
  });

  it('an action only for holders names the card’s holder', () => {
    const permission = { role: 'holder', doing: 'try' } as const;
    const refused = decide(
      permission,
      { roles: ['approver'], isOwnCard: false },
      approvalPolicyOf({ twoPersonAboveCents: LITTLE }),
    );

    expect(refused).toEqual({ kind: 'refused', why: 'Only the card’s holder may try.', who: 'holder' });
  });

  it('every refusal has a reason', () => {
    for (const [, verb, question] of cases) {
      const decision = decide(verbs[verb].permission, question, approvalPolicyOf({ twoPersonAboveCents: LITTLE }));
      if (decision.kind === 'refused') expect(decision.why).toMatch(/^[A-Z].*\.$/);
    }
  });
});

describe('the policy', () => {
  const approver: Facts = { roles: ['approver'], isOwnCard: false };
  const bands = [
    { upToCents: 50_000, approvals: 2 },
    { upToCents: null, approvals: 3 },
  ];

  it.each<[string, Partial<Facts>, string]>([
    ['needs as many approvers as the amount requires, counting the person who asks', { raiseCents: 50_000 }, '+1'],
    ['needs more for a larger amount', { raiseCents: 50_001 }, '+2'],
    ["needs one more for one's own card", { raiseCents: 50_001, isOwnCard: true }, '+3'],
    ['needs none if it is not a raise', { raiseCents: 0 }, 'yes'],
  ])('%s', (_what, question, expected) => {
    expect(short(decide(verbs.limit.permission, { ...approver, ...question }, { bands }))).toBe(expected);
  });

  it('needs a second person for a small raise that exceeds a cap', () => {
    const policy = approvalPolicyOf({ twoPersonAboveCents: LITTLE });
    const question = { ...approver, raiseCents: 1, isOverCap: true };

    expect(short(decide(verbs.limit.permission, question, policy))).toBe('+1');
    expect(
      short(decide(verbs.ask.permission, { roles: [], isOwnCard: true, raiseCents: 1, isOverCap: true }, policy)),
    ).toBe('+2');
  });

  it.each<[string, number, string]>([
    ['a day', 86_400_000, 'yes'],
    ['longer than allowed', 86_400_001, 'no'],
    ['until someone changes it', Number.POSITIVE_INFINITY, 'no'],
  ])('the duration of a raise: %s', (_what, lastsMs, expected) => {
    const policy = {
      ...approvalPolicyOf({ twoPersonAboveCents: LITTLE }),
      durations: { longestMs: 86_400_000, mayStay: false },
    };

    expect(short(decide(verbs.limit.permission, { ...approver, raiseCents: 1, lastsMs }, policy))).toBe(expected);
    expect(short(decide(verbs.limit.permission, { ...approver, raiseCents: 0, lastsMs }, policy)), 'no raise').toBe(
      'yes',
    );
  });
});
