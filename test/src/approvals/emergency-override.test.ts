import { describe, expect, it } from 'vitest';
import {
  capChange as cap,
  createCapOverride,
  createOverrideRequest,
  mayOverride,
} from '../../../src/approvals/emergency-override.ts';
import type { ApprovalRequest, OpenRequest } from '../../../src/approvals/request.ts';
import { noFacts } from '../../../src/approvals/request-facts.ts';
import type { RuleChange, Term } from '../../../src/card-api/rule-change.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { aloneCents, approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { held } from '../../support/held.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { clickThatCounts, openRequestOf, raiseDaily } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  performAction,
  virtualOrder,
} from '../../support/perform-world.ts';
import { card, declined } from '../../templates/fixtures.ts';

const hour = { kind: 'duration', ms: 3_600_000 } as const;
const online: RuleChange = { rule: { kind: 'card_not_present' }, from: false, to: true };

const { event: purchase } = declined('decline.rule.cardnotpresent', 'Not present');

/** Opens online purchases for one that was declined. The holder asks for as much. */
const onlineFor = (amountCents: number): OpenRequest =>
  openRequestOf({
    changes: [online],
    action: ask('ask', { ask: { amountCents, term: hour } }),
    facts: { ...noFacts, purchase: { amountCents, merchant: 'Corner Diner', kind: null, link: null } },
  });

const standard = approvalPolicyOf({ twoPersonAboveCents: 100_000 });
/** No temporary change is open. */
const capChange = (purchaseCents: number | null, policy = standard) => {
  const deps = {
    purchaseOf: async () => (purchaseCents === null ? null : { ...purchase, amountCents: purchaseCents }),
    zone: 'America/New_York',
    now: () => new Date('2026-11-20T15:00:00.000Z'),
    raises: { changesFromBase: async (changes: readonly RuleChange[]) => [...changes] },
  };
  return (request: OpenRequest) => cap(clickThatCounts(request), aloneCents(policy), deps);
};

it('leaves a small raise for an hour unchanged', async () => {
  expect(await capChange(null)(openRequestOf())).toEqual({ changes: [raiseDaily], term: hour });
});

it('caps a raise at the amount one approver may allow, and at an hour', async () => {
  const request = openRequestOf({ changes: [{ ...raiseDaily, to: 500_000 }], term: { kind: 'permanent' } });

  expect(await capChange(null)(request)).toEqual({ changes: [{ ...raiseDaily, to: 140_000 }], term: hour });
});

it('caps the removal of a limit at an amount', async () => {
  const request = openRequestOf({ changes: [{ ...raiseDaily, to: null }] });

  expect((await capChange(null)(request))?.changes).toEqual([{ ...raiseDaily, to: 140_000 }]);
});

it('does not remove a limit if one approver may allow any amount: that is no amount', async () => {
  const anyAmount = { ...standard, bands: [{ upToCents: null, approvals: 1 }] };

  for (const from of [0, 40_000]) {
    const request = openRequestOf({ changes: [{ ...raiseDaily, from, to: null }] });
    expect(await capChange(null, anyAmount)(request)).toBeNull();
  }
  expect(await capChange(null, anyAmount)(openRequestOf())).toEqual({ changes: [raiseDaily], term: hour });
});

it.each<[string, number | null, boolean]>([
  ['a small purchase', 100_000, true],
  ['a larger purchase', 100_001, false],
  ['no purchase at all', null, false],
])('opens a rule for %s (%s cents) and only that purchase: %s', async (_what, cents, isAllowed) => {
  const capped = await capChange(cents)(openRequestOf({ changes: [online] }));

  expect(capped).toEqual(isAllowed ? { changes: [online], term: { kind: 'purchase' } } : null);
});

it('opens no rule for a check of the card, for $0.00: the shop may charge any amount afterwards', async () => {
  expect(await capChange(0)(openRequestOf({ action: ask('allow'), changes: [online] }))).toBeNull();
});

it('opens a rule for a purchase of any amount if one approver may', async () => {
  const anyAmount = { ...standard, bands: [{ upToCents: null, approvals: 1 }] };
  const request = openRequestOf({ changes: [online] });

  expect(await capChange(900_000_000, anyAmount)(request)).toMatchObject({ changes: [online] });
});

it('opens a rule for no more than that, even if less was declined than its holder asks to pay', async () => {
  const { action } = openRequestOf();
  const asked = ask('ask', { ...action, ask: { amountCents: 500_000, term: { kind: 'purchase' } } });

  expect(await capChange(5000)(openRequestOf({ action: asked, changes: [online] }))).toBeNull();
});

it('does nothing if one of several limits has no amount to cap', async () => {
  const ofNone: RuleChange = { rule: { kind: 'limit', period: 'weekly', category: null }, from: null, to: 90_000 };

  expect(await capChange(null)(openRequestOf({ changes: [raiseDaily, ofNone] }))).toBeNull();
});

describe('an emergency override by an operator', () => {
  interface Given {
    /** The click has done something to the request before a crash. */
    readonly isResumed?: boolean;
    readonly notYet?: string;
    readonly why?: string;
    readonly isTooMuch?: boolean;
    readonly isUsed?: boolean;
    readonly needed?: number;
    readonly policy?: typeof standard;
  }
  async function override(request: ApprovalRequest | null, given: Given = {}): Promise<unknown[]> {
    const steps: unknown[] = [];
    const action = ask('emergency-override', {
      id: 'act_olga',
      target: { kind: 'request', requestId: 'req_ask1' },
      reason: 'at the counter',
    });
    await createOverrideRequest({
      requests: { get: async (id) => (id === 'req_ask1' ? request : null) },
      responses: {
        refuse: async (_action, { why, whoCan }, about) =>
          void steps.push(
            `refused: ${why} ${typeof whoCan === 'string' ? whoCan : whoCan.text} (${about?.acctId ?? 'no card'})`,
          ),
      },
      decisions: { resume: async () => given.isResumed ?? false },
      execution: {
        whyNotYet: async () => (given.notYet === undefined ? null : { why: given.notYet, whoCan: 'Wait.' }),
        execute: async (_click, _request, approved) => void steps.push({ executed: approved }),
      },
      judgeClick: async (_action, judged) =>
        given.why === undefined
          ? clickThatCounts(judged)
          : { kind: 'refused', why: given.why, whoCan: 'Ask an approver.' },
      capOverride: createCapOverride({
        requests: { deniedSince: async () => [] },
        purchaseOf: async () => null,
        zone: 'America/New_York',
        rights: {
          policyOfCard: async () => given.policy ?? standard,
        },
        now: () => new Date('2026-11-20T15:00:00.000Z'),
        raises: {
          // A limit that is none by now cannot be raised by a small amount.
          changesFromBase: async (changes) =>
            given.isTooMuch ? changes.map(({ to, ...change }) => ({ ...change, from: null, to })) : [...changes],
        },
        recount: async () => ({ needed: given.needed ?? 1, counted: null }),
      }),
      recentRaises: { reserveOverride: async () => !(given.isUsed ?? false) },
      record: async (_action, { event, detail, cardId }) => void steps.push({ event, detail, cardId }),
    })(action, { isLast: false, lease: held });
    return steps;
  }
  const refused = (why: string, whoCan: string, about: number | string = acctId): string =>
    `refused: ${why} ${whoCan} (${about})`;
  const overridden = (actionId: string): ApprovalRequest => ({
    ...openRequestOf(),
    state: 'overridden',
    decision: { actionId, by: 'U0OLGA', at: '2026-11-20T15:10:00.000Z' },
    temporaryChangeId: null,
  });

  it('executes the capped change after auditing it', async () => {
    expect(await override(openRequestOf())).toEqual([
      { event: 'approved', detail: 'req_ask1: emergency override', cardId: card.cardId },
      { executed: { changes: [raiseDaily], term: hour, approvals: [], counted: null, note: 'at the counter' } },
    ]);
  });

  it('continues a change this click has sent, without checking again', async () => {
    expect(await override(openRequestOf(), { isResumed: true, why: 'No.' })).toEqual([]);
  });

  it.each<[string, ApprovalRequest | null, Given, string]>([
    [
      'the request is too old',
      null,
      {},
      refused('This request is too old.', 'Whoever asked can ask again.', 'no card'),
    ],
    [
      'someone decided it',
      overridden('act_ben'),
      {},
      refused('This request is decided already.', 'Nothing is left to decide.'),
    ],
    ['an approval is in flight', openRequestOf(), { notYet: 'Under way.' }, refused('Under way.', 'Wait.')],
    ['the policy does not allow it', openRequestOf(), { why: 'No.' }, refused('No.', 'Ask an approver.')],
    [
      'the policy lets nobody raise it alone',
      openRequestOf(),
      { policy: { ...standard, bands: [{ upToCents: null, approvals: 2 }] } },
      refused(
        'The policy lets nobody raise the limits of this card alone, so the emergency override cannot either.',
        'Ask an approver.',
      ),
    ],
    [
      'it cannot be capped',
      openRequestOf(),
      { isTooMuch: true },
      refused(
        'The request is above the emergency cap, and there is no amount that could be lowered.',
        'Ask an approver.',
      ),
    ],
    [
      'it is too much together with earlier approvals of the person',
      openRequestOf(),
      { needed: 2 },
      refused('With what was allowed before, this is more than one person may allow.', 'Ask an approver.'),
    ],
    [
      'it was recently used for this card',
      openRequestOf(),
      { isUsed: true },
      refused(
        'The emergency override was already used for this card in the last 24 hours. If it was certainly not made, it can be used again ten minutes later.',
        'Ask an approver.',
      ),
    ],
  ])('is refused if %s', async (_what, request, given, expected) => {
    expect(await override(request, given)).toEqual([expected]);
  });
});

it.each<[boolean, string, Parameters<typeof mayOverride>]>([
  [true, 'for a limit, at most by what one person may allow', [standard, openRequestOf()]],
  [false, 'if nobody may allow anything alone', [approvalPolicyOf({ twoPersonAboveCents: 0 }), openRequestOf()]],
  [true, 'for a purchase that one person may allow', [standard, onlineFor(8410)]],
  [false, 'for a larger purchase', [standard, onlineFor(100_001)]],
  [false, 'for a rule that is no limit, without a purchase', [standard, openRequestOf({ changes: [online] })]],
  [false, 'for an order', [standard, { ...openRequestOf(), action: ask('order-virtual', { target: virtualOrder }) }]],
])('is offered (%s) %s', (isOffered, _when, given) => {
  expect(mayOverride(...given)).toBe(isOffered);
});

const daily = (to: number, ms: number | null, id: string, userId: string): VerbAction =>
  ask('limit', {
    ...byCommand,
    id,
    actor: { userId, teamId: 'T1' },
    changeRequest: {
      goals: [limitGoal('daily', to * 100)],
      term: ms === null ? { kind: 'permanent' } : { kind: 'duration', ms },
    },
  });
const breakGlass = (requestId: string, askedAt: string): VerbAction =>
  ask('emergency-override', {
    id: 'act_glass',
    target: { kind: 'request', requestId },
    actor: { userId: 'U0OTTO', teamId: 'T1' },
    roles: ['operator'],
    reason: 'at the counter',
    askedAt,
  });
const HOUR = 3_600_000;

describe('an emergency override for somebody who got more before', () => {
  const redis = useRedis();

  /** The daily limit is $400. Ana raises it to `now` alone, and then asks for `wanted`. Both permanently. */
  async function afterRaise(now: number, wanted: number) {
    const world = await createActionWorld(redis());
    world.service.rules = { IsActive: true, DailySpendLimit: 400 };
    await performAction(daily(now, null, 'act_before', 'U0ANA'), world.deps);
    await performAction(daily(wanted, null, 'act_much', 'U0ANA'), world.deps);
    world.advance(REQUEST_OVERDUE_MS);
    await performAction(breakGlass('req_much', world.deps.now().toISOString()), world.deps);
    return world;
  }

  it('allows what is left of what one person may allow within 24 hours', async () => {
    const { deps, service } = await afterRaise(900, 2000);

    expect(service.rules['DailySpendLimit']).toBe(1400);
    expect(await deps.requests.get('req_much')).toMatchObject({ state: 'overridden', changes: [{ to: 140_000 }] });
  });

  it('is refused, and not used up, if nothing is left of it', async () => {
    const { deps, service, answers } = await afterRaise(1400, 2000);

    expect(answers.at(-1)?.text).toContain('With what was allowed before, this is more than one person may allow.');
    expect(service.rules['DailySpendLimit']).toBe(1400);
    expect(await deps.recentRaises.reserveOverride(acctId, 'act_next')).toBe(true);
  });
});

describe('an emergency override after an approver has denied a request', () => {
  const redis = useRedis();
  const denial = (askedAt: string): VerbAction =>
    ask('decide', {
      id: 'act_denial',
      target: { kind: 'request', requestId: 'req_first' },
      actor: { userId: 'U0BEN', teamId: 'T1' },
      approve: false,
      askedAt,
    });

  /** The daily limit is $400. Ana asks for the first, Ben denies it, and Ana asks for $2,000 this much later. */
  async function afterDenial(first: (id: string) => VerbAction, waitMs = 60_000) {
    const world = await createActionWorld(redis());
    const { deps } = world;
    world.service.rules = { IsActive: true, DailySpendLimit: 400, WeeklySpendLimit: 5000 };
    await performAction(first('act_first'), deps);
    await performAction(denial(deps.now().toISOString()), deps);
    expect(await deps.requests.get('req_first')).toMatchObject({ state: 'denied' });
    world.advance(waitMs);
    const again = { ...daily(2000, null, 'act_again', 'U0ANA'), askedAt: deps.now().toISOString() };
    await performAction(again, deps);
    world.advance(REQUEST_OVERDUE_MS);
    await performAction(breakGlass('req_again', deps.now().toISOString()), deps);
    return world;
  }

  it('of the same person for the same limit is refused, and not used up', async () => {
    const { deps, writes, answers } = await afterDenial((id) => daily(1900, null, id, 'U0ANA'));

    expect(answers.at(-1)?.text).toContain(
      'An approver denied the same person’s request about the daily limit within the last 24 hours. Ask an approver.',
    );
    expect(writes).toEqual([]);
    expect(await deps.requests.get('req_again')).toMatchObject({ state: 'open' });
    expect(await deps.recentRaises.reserveOverride(acctId, 'act_next')).toBe(true);
  });

  it('of somebody else is refused for whoever asked for the same while it was open', async () => {
    const world = await createActionWorld(redis());
    const { deps } = world;
    world.service.rules = { IsActive: true, DailySpendLimit: 400 };
    await performAction(daily(2000, null, 'act_first', 'U0EVE'), deps);
    await performAction(daily(2000, null, 'act_too', 'U0ANA'), deps);
    await performAction(denial(deps.now().toISOString()), deps);
    await performAction(daily(2000, null, 'act_again', 'U0ANA'), deps);
    world.advance(REQUEST_OVERDUE_MS);

    await performAction(breakGlass('req_again', deps.now().toISOString()), deps);

    expect(world.answers.at(-1)?.text).toContain('An approver denied the same person’s request about the daily limit');
    expect(world.writes).toEqual([]);
  });

  const weekly = (id: string): VerbAction =>
    ask('limit', {
      ...byCommand,
      id,
      actor: { userId: 'U0ANA', teamId: 'T1' },
      changeRequest: { goals: [limitGoal('weekly', 900_000)], term: { kind: 'permanent' } },
    });
  it.each<[string, (id: string) => VerbAction, number]>([
    ['more than a day ago', (id) => daily(1900, null, id, 'U0ANA'), 24 * HOUR],
    ['of somebody else', (id) => daily(1900, null, id, 'U0EVE'), 60_000],
    ['for another limit', weekly, 60_000],
  ])('%s is made', async (_which, first, waitMs) => {
    const { deps, service } = await afterDenial(first, waitMs);

    expect(service.rules['DailySpendLimit']).toBe(1400);
    expect(await deps.requests.get('req_again')).toMatchObject({ state: 'overridden' });
  });
});

describe('an emergency override while a temporary change outlasts it', () => {
  const redis = useRedis();

  /** The daily limit is $400, and `now` for four hours. Ana asks for $2,000 permanently. */
  async function afterWait(now: number) {
    const world = await createActionWorld(redis());
    world.service.rules = { IsActive: true, DailySpendLimit: 400 };
    await performAction(daily(now, 4 * HOUR, 'act_moment', 'U0BEN'), world.deps);
    if (now > 1400) {
      const target = { kind: 'request', requestId: 'req_moment' } as const;
      const actor = { userId: 'U0EVE', teamId: 'T1' };
      await performAction(ask('decide', { id: 'act_eve', target, approve: true, actor }), world.deps);
    }
    await performAction(daily(2000, null, 'act_much', 'U0ANA'), world.deps);
    world.advance(REQUEST_OVERDUE_MS);
    await performAction(breakGlass('req_much', world.deps.now().toISOString()), world.deps);
    return world;
  }

  it('raises what the limit is for the moment, by as much as one approver may, and then goes back to it', async () => {
    const { deps, service, advance } = await afterWait(600);

    expect(service.rules['DailySpendLimit']).toBe(1600);
    expect(await deps.requests.get('req_much')).toMatchObject({
      state: 'overridden',
      changes: [{ from: 60_000, to: 160_000 }],
    });
    advance(HOUR);
    await endTemporaryChange('act_glass', deps);
    expect(service.rules['DailySpendLimit']).toBe(600);
  });

  it('is refused, and not used up, if the limit is as requested for the moment: the request stays open', async () => {
    const { deps, service, answers } = await afterWait(2000);

    expect(answers.at(-1)?.text).toContain('The card already allows what the override would.');
    expect(service.rules['DailySpendLimit']).toBe(2000);
    expect(await deps.requests.get('req_much')).toMatchObject({ state: 'open', term: { kind: 'permanent' } });
    expect(await deps.recentRaises.reserveOverride(acctId, 'act_next')).toBe(true);
  });

  it('is refused for purchases abroad that are allowed for the moment', async () => {
    const world = await createActionWorld(redis());
    world.service.rules = { IsActive: true, InternationalSpendEnabled: false };
    const abroad = (id: string, term: Term, userId: string): VerbAction =>
      ask('allow', {
        id,
        actor: { userId, teamId: 'T1' },
        changeRequest: { goals: [{ rule: { kind: 'international' }, to: true }], term },
      });
    await performAction(abroad('act_moment', { kind: 'duration', ms: 4 * HOUR }, 'U0BEN'), world.deps);
    const target = { kind: 'request', requestId: 'req_moment' } as const;
    const actor = { userId: 'U0EVE', teamId: 'T1' };
    await performAction(ask('decide', { id: 'act_eve', target, approve: true, actor }), world.deps);
    await performAction(abroad('act_much', { kind: 'permanent' }, 'U0ANA'), world.deps);
    expect(await world.deps.requests.get('req_much')).toMatchObject({ changes: [{ from: false, to: true }] });
    world.advance(REQUEST_OVERDUE_MS);

    await performAction(breakGlass('req_much', world.deps.now().toISOString()), world.deps);

    expect(world.answers.at(-1)?.text).toContain('The card already allows what the override would.');
    expect(await world.deps.requests.get('req_much')).toMatchObject({ state: 'open' });
  });
});
