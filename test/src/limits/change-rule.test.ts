import { describe, expect, it } from 'vitest';
import type { ActionState } from '../../../src/actions/action-state.ts';
import type { RuleChange, Term } from '../../../src/card-api/rule-change.ts';
import {
  type Approval,
  type AskedChange,
  createChangeRule,
  createPermitChangeOrAsk,
} from '../../../src/limits/change-rule.ts';
import type { Opened } from '../../../src/limits/open-temporary-change.ts';
import { sidesOf } from '../../../src/limits/send-rules.ts';
import { approvalPolicyOf, whyTooLong } from '../../../src/policy/approval-policy.ts';
import { authorizationOf } from '../../support/authorization.ts';
import { held, withoutLock } from '../../support/held.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { acctId, ask, type Over } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const permanent: Term = { kind: 'permanent' };
const resolved = (over: Over = {}) => ({ action: ask('limit', over), acctId, cardId: null });
const raised = [limitChange('daily', 40_000, 45_000)];
const run = { isLast: false, lease: held };
const now = (): Date => new Date('2026-11-20T15:00:00.000Z');

describe('a rule change', () => {
  const planned = { card, raw: {}, readAt: 0 } as const;
  interface Given {
    readonly changes?: readonly RuleChange[];
    readonly against?: string;
    readonly refused?: 'failed' | 'waiting';
    readonly written?: ActionState;
    readonly kept?: Opened;
    readonly isOvertaken?: boolean;
    readonly isTemporary?: boolean;
    readonly approval?: Approval;
  }
  async function change(given: Given): Promise<string[]> {
    const { changes = raised, against, refused, written, kept, approval = null } = given;
    const steps: string[] = [];
    const changeRule = createChangeRule({
      plan: async () => ({ ...planned, changes, sides: sidesOf(changes), against: against ?? null }),
      permitOrAsk: async () => {
        steps.push('permitted?');
        return refused === undefined ? null : { state: refused, note: 'no' };
      },
      send: async ({ requestId, refused: whyNot }, _attempt, finish, of) => {
        if (whyNot !== undefined) return await finish('unknown', { note: whyNot.note });
        steps.push(requestId === null ? 'sent' : `sent for ${requestId}, as ${of?.outcomeOf}`);
        return await finish('done');
      },
      latestChanges: {
        isOvertaken: async () => given.isOvertaken === true,
        alreadyInEffect: async () => ({}),
      },
      responses: {
        askAgain: async () => void steps.push('asked again'),
      },
      terms: {
        async begin({ changes: [first] }) {
          steps.push(`its end starts, from ${String(first?.from)}`);
          return null;
        },
        keep: async () => kept ?? null,
        isTemporary: async () => given.isTemporary === true,
      },
      progress: { read: async () => written ?? null },
      reports: {
        report: async (_action, verb, result, of) => {
          const { state, note, confirmation, after } = result;
          steps.push([of?.outcomeOf, verb, state, note, confirmation, after].filter(Boolean).join(', '));
          return result;
        },
      },
    });
    await changeRule(resolved(), approval, run);
    return steps;
  }
  const isThere = [limitChange('daily', 45_000, 45_000)];
  const after = 'daily limit $450.00';

  it.each<[string, Given, string[]]>([
    ['is sent when permitted', {}, ['permitted?', 'sent', `limit, done, ${after}`]],
    ['ends as refused if the policy refuses it', { refused: 'failed' }, ['permitted?', `limit, failed, no, ${after}`]],
    ['waits if others have to approve', { refused: 'waiting' }, ['permitted?', `limit, waiting, no, ${after}`]],
    [
      'fails before anyone is asked if the card service would refuse it',
      { against: 'Too high.' },
      [`limit, failed, Too high., ${after}`],
    ],
    [
      'is not made if a later request for the same rule was done first',
      { isOvertaken: true },
      [
        'limit, failed, Somebody asked for another change of the daily limit after you did, so I did not make yours. Look at the card, and ask again if you still want it., daily limit $450.00',
      ],
    ],
    [
      'is not sent again after a crash if a later request for the same rule was done first',
      { isOvertaken: true, written: { state: 'sending', before: null, after: null } },
      [
        'limit, unknown, Somebody asked for another change of the daily limit after you did, so I did not send yours again. Look at the card, and ask again if you still want it., daily limit $450.00',
      ],
    ],
    [
      'leaves a temporary value alone if that was requested later, and does not call it done',
      { changes: isThere, isOvertaken: true, isTemporary: true },
      [
        `limit, failed, Somebody asked for another change of the daily limit after you did, so I did not make yours. Look at the card, and ask again if you still want it., ${after}`,
      ],
    ],
    [
      'reports that the rule already has this value, if that was requested later for good',
      { changes: isThere, isOvertaken: true },
      ['permitted?', `limit, unchanged, The daily limit is $450.00 already., ${after}`],
    ],
    [
      'reports that the rule already has this value',
      { changes: isThere },
      ['permitted?', `limit, unchanged, The daily limit is $450.00 already., ${after}`],
    ],
    [
      'reports that the card has no such limit already',
      { changes: [limitChange('daily', null, null)] },
      ['permitted?', 'limit, unchanged, The card has no daily limit already., no daily limit'],
    ],
    [
      'makes a temporary value permanent',
      { changes: isThere, kept: { note: 'It stays.', control: null } },
      ['permitted?', `limit, done, It stays., ${after}`],
    ],
    [
      'is done, not unchanged, if it was written before a crash',
      {
        changes: isThere,
        written: { state: 'sending', before: null, after: null, expects: { kind: 'rule', changes: raised } },
      },
      ['its end starts, from 40000', `limit, done, confirmed, ${after}`],
    ],
    [
      'is done if it was written before a crash, even if the expected values were not stored',
      { changes: isThere, written: { state: 'sending', before: null, after: null } },
      ['its end starts, from 45000', `limit, done, confirmed, ${after}`],
    ],
    [
      'approved by others is the outcome of the original action',
      {
        approval: {
          outcomeOf: 'act_asked',
          requestId: 'req_1',
          raisedBy: { by: null, askedBy: 'U0HUGO' },
          people: [],
          unanswered: [],
          approvers: 2,
          judged: [],
          whyNoLonger: async () => null,
        },
      },
      ['permitted?', 'sent for req_1, as act_asked', `act_asked, limit, done, ${after}`],
    ],
    [
      'of several rules reports that they already have these values',
      { changes: [...isThere, limitChange('weekly', 90_000, 90_000)] },
      [
        'permitted?',
        `limit, unchanged, It is so already: ${after}; weekly limit $900.00., ${after}; weekly limit $900.00`,
      ],
    ],
    [
      'of a rule other than a limit is reported as such',
      { changes: [{ rule: { kind: 'international' }, from: true, to: true }] },
      ['permitted?', 'allow, unchanged, Purchases abroad are allowed already., purchases abroad allowed'],
    ],
  ])('%s', async (_what, given, expected) => {
    expect(await change(given)).toEqual(expected);
  });
});

describe('permitting a change', () => {
  const standard = approvalPolicyOf({ twoPersonAboveCents: 100_000 });
  const upToThree = [
    { upToCents: 500_000, approvals: 2 },
    { upToCents: null, approvals: 3 },
  ];
  const approval: Approval = {
    outcomeOf: 'act_asked',
    requestId: 'req_1',
    raisedBy: { by: null, askedBy: 'U0HUGO' },
    people: [],
    unanswered: [],
    approvers: 2,
    judged: [],
    whyNoLonger: async () => null,
  };

  async function permit(
    ownCents: number,
    over: Over,
    given: Approval | null = null,
    isOwnCard = false,
    policy = standard,
    changes: readonly RuleChange[] = raised,
  ) {
    const roles = over.roles ?? ['approver'];
    const asked: AskedChange[] = [];
    const remembered: unknown[] = [];
    const { rule } = limitGoal('daily', null);
    const refused = await createPermitChangeOrAsk({
      raises: {
        count: async () => ({ rule, ownCents, earlier: [], aboveCents: 100_000, cap: null }),
        remember: async (_action, _acctId, _raise, by) => void remembered.push(by),
        withBase: async (changes) => changes.map((change) => ({ change, fromBase: change })),
        loosenedFor: async () => {
          const tooLong = whyTooLong(policy, Number.POSITIVE_INFINITY);
          return { lastsMs: Number.POSITIVE_INFINITY, tooLong, tooLongInFull: tooLong };
        },
        sooner: async () => ({ changes: [], byOthers: false }),
      },
      rights: {
        ...authorizationOf({ roles, holder: isOwnCard ? 'U0ANA' : null, policy }),
        policyOfCard: async () => policy,
      },
      now,
      openRequest: async (request) => {
        asked.push(request);
        return { kind: 'opened', note: 'I asked.' };
      },
      withLock: withoutLock,
    })({ action: ask('limit', over), acctId, changes, term: permanent, requestId: null }, given, card, true);
    return { refused, asked, remembered };
  }
  const atMostADay = { ...standard, durations: { longestMs: 86_400_000, mayStay: false } };
  const approver: Over = { actor: { userId: 'U0ANA', teamId: 'T1' } };

  it('tells the others who decide what else the purchase needs', async () => {
    const changeRequest = { goals: [limitGoal('daily', 45_000)], term: permanent, alsoNeeds: ['allow_international'] };
    const { asked } = await permit(100_001, { ...approver, changeRequest } as Over);

    expect(asked).toMatchObject([{ alsoNeeds: ['allow_international'] }]);
  });

  it('lets an approver make a small raise alone, and records its amount', async () => {
    expect(await permit(100_000, approver)).toEqual({
      refused: null,
      asked: [],
      remembered: [{ by: 'U0ANA', askedBy: 'U0ANA' }],
    });
  });

  it('requires approval for a larger raise, and reports what was counted', async () => {
    const { refused, asked, remembered } = await permit(100_001, approver);

    expect(refused).toMatchObject({ state: 'waiting', note: 'I asked.', counted: { ownCents: 100_001 } });
    expect(asked).toMatchObject([{ others: 1, counted: { ownCents: 100_001 } }]);
    expect(remembered).toEqual([]);
  });

  it("requires approval for the approver's own card, without a count for a small raise", async () => {
    const { refused, asked } = await permit(5000, approver, null, true);

    expect(refused).toMatchObject({ state: 'waiting', counted: null });
    expect(asked).toMatchObject([{ others: 1, counted: null }]);
  });

  it('refuses a change that lasts longer than the policy allows, even after an approval', async () => {
    const asked = await permit(5000, approver, null, false, atMostADay);
    const approved = await permit(5000, approver, approval, false, atMostADay);

    expect(asked.refused).toMatchObject({ state: 'failed', note: expect.stringContaining('only for 1 day at most') });
    expect(approved).toMatchObject({ refused: { state: 'failed' }, remembered: [] });
  });

  it('refuses an approved change that would lower a limit, because another approval raised it in this moment', async () => {
    const lowered = [limitChange('daily', 60_000, 45_000)];

    const approved = await permit(5000, approver, approval, false, standard, lowered);

    expect(approved.refused).toMatchObject({
      state: 'failed',
      note: expect.stringContaining('Somebody has just changed it'),
    });
    expect((await permit(5000, approver, null, false, standard, lowered)).refused, 'an approver lowers it').toBeNull();
  });

  it('refuses people without the role', async () => {
    const { refused } = await permit(5000, { roles: ['operator'] });

    expect(refused).toMatchObject({ state: 'failed', note: 'Only approvers may change limits.' });
  });

  it.each<[string, Approval, number, object[]]>([
    ['counts for nobody alone if two approved it', approval, 500_000, [{ by: null, askedBy: 'U0HUGO' }]],
    [
      "counts for both if one approved the other's request",
      { ...approval, raisedBy: { by: 'U0BEN', askedBy: 'U0HUGO' }, approvers: 1 },
      100_000,
      [{ by: 'U0BEN', askedBy: 'U0HUGO' }],
    ],
  ])('needs no further approval once approved: %s', async (_what, given, ownCents, expected) => {
    const { refused, asked, remembered } = await permit(ownCents, approver, given);

    expect({ refused, asked, remembered }).toEqual({ refused: null, asked: [], remembered: expected });
  });

  it.each([
    [1, 150_000, 'this is more than one approver alone may allow'],
    [2, 600_000, 'this needs more approvals'],
  ])('is not made with %i approvals if it needs more by now', async (approvers, ownCents, why) => {
    const policy = { ...standard, bands: [...standard.bands.slice(0, 1), ...upToThree] };

    const { refused, remembered } = await permit(ownCents, approver, { ...approval, approvers }, false, policy);

    expect(refused).toMatchObject({ state: 'failed', note: expect.stringContaining(why) });
    expect(remembered).toEqual([]);
  });
});
