import { describe, expect, it } from 'vitest';
import { requestTarget, requestValue } from '../../../src/approvals/request.ts';
import type { Term } from '../../../src/card-api/rule-change.ts';
import type { ChangeRequest } from '../../../src/limits/change-request.ts';
import { type ApprovalPolicy, approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type PerformWorld,
  performAction,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const forMs = (ms: number): Term => ({ kind: 'duration', ms });
const permanent: Term = { kind: 'permanent' };
const daily = (dollars: number, term: Term): ChangeRequest => ({ goals: [limitGoal('daily', dollars * 100)], term });

/** A daily limit of $5,000. One approver alone may raise a limit by $1,000 a day. */
async function setUp(over: Partial<WorldDeps> = {}) {
  const world = await createActionWorld(redis(), { isLastAttempt: true, ...over });
  const { deps, service } = world;
  service.rules = { ...service.rules, DailySpendLimit: 5000, MonthlySpendLimit: null };
  let steps = 0;
  const by = (userId: string) => {
    steps += 1;
    return { id: `act_step${steps}`, askedAt: deps.now().toISOString(), actor: { userId, teamId: 'T1' } };
  };
  return {
    ...world,
    limitNow: () => service.rules['DailySpendLimit'],
    requested: async () => (await deps.requests.open()).map(({ changes, needed }) => ({ changes, needed })),
    limit: (userId: string, dollars: number, term: Term) =>
      performAction(ask('limit', { ...byCommand, ...by(userId), changeRequest: daily(dollars, term) }), deps),
    async approve(userId: string, changeRequest: ChangeRequest | null = null) {
      for (const request of await deps.requests.open()) {
        const target = requestTarget(requestValue(request));
        await performAction(ask('decide', { ...by(userId), target, approve: true, changeRequest }), deps);
      }
    },
    async takeBack(userId: string) {
      for (const { id } of await deps.temporaryChanges.all()) {
        const target = { kind: 'temporary-change', temporaryChangeId: id } as const;
        await performAction(ask('revert', { ...by(userId), target }), deps);
      }
    },
  };
}

describe('what one approver adds to a limit within a day is summed up, however long each part lasts', () => {
  it.each<[string, Term, Term]>([
    ['keeps a raise by somebody else and raises it further for a time', permanent, forMs(300 * DAY)],
    ['keeps it for a time, and raises it further for a shorter one', forMs(300 * DAY), forMs(299 * DAY)],
    ['keeps it for a time, and raises it further for good', forMs(300 * DAY), permanent],
  ])('%s', async (_what, kept, further) => {
    const { limit, limitNow, requested } = await setUp();
    await limit('U0BEN', 6000, forMs(HOUR));

    await limit('U0ANA', 6000, kept);
    await limit('U0ANA', 7000, further);

    expect(limitNow()).toBe(6000);
    expect(await requested()).toMatchObject([{ needed: 2 }]);
  });

  it('an extension of the own raise adds nothing', async () => {
    const { limit, limitNow, requested, deps } = await setUp();
    await limit('U0ANA', 6000, forMs(HOUR));

    for (const hours of [2, 3, 24]) await limit('U0ANA', 6000, forMs(hours * HOUR));

    expect(limitNow()).toBe(6000);
    expect(await requested()).toEqual([]);
    expect(await deps.temporaryChanges.all()).toMatchObject([{ endsAt: '2026-11-21T15:00:00.000Z' }]);
  });
});

describe('an approver changes how long a requested raise lasts, while a temporary change runs', () => {
  it.each<[string, Term, Term, number]>([
    ['beyond its end: the raise counts from the limit before it', forMs(HOUR), permanent, 500_000],
    ['to before its end: the raise counts from the limit now', permanent, forMs(HOUR), 600_000],
  ])('%s, and nobody is told that somebody changed it', async (_what, asked, approved, from) => {
    const { limit, approve, requested, limitNow } = await setUp();
    await limit('U0BEN', 6000, forMs(2 * HOUR));
    await limit('U0ANA', 7500, asked);

    await approve('U0CEM', daily(7500, approved));
    expect(await requested()).toMatchObject([{ needed: 2, changes: [{ from, to: 750_000 }] }]);
    await approve('U0DAN');

    expect(limitNow()).toBe(7500);
  });
});

it('others approve that a lowered limit is taken back, if the policy leaves no raise to one approver', async () => {
  const policy: ApprovalPolicy = {
    ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    bands: [{ upToCents: null, approvals: 2 }],
  };
  const { limit, takeBack, approve, requested, limitNow, deps } = await setUp({ policyFor: () => policy });
  await limit('U0BEN', 100, forMs(HOUR));

  await takeBack('U0ANA');
  expect(limitNow()).toBe(100);
  expect(await requested()).toMatchObject([{ needed: 2, changes: [{ from: 10_000, to: 500_000 }] }]);
  await approve('U0CEM');

  expect(limitNow()).toBe(5000);
  expect(await deps.temporaryChanges.all(), 'nothing goes back any more').toEqual([]);
});

describe('a raise that the card service makes only after its answer was given up', () => {
  async function raisedLate(): Promise<PerformWorld & { limitNow: () => unknown; arrive: () => void }> {
    const world = await setUp();
    let late: Record<string, unknown> = {};
    const putSpendRules = async (_acctId: number, raw: Record<string, unknown>): Promise<never> => {
      late = raw;
      throw unanswered();
    };
    const card = { ...world.deps.card, putSpendRules };
    await performAction(ask('limit', { ...byCommand, changeRequest: daily(5500, forMs(HOUR)) }), {
      ...world.deps,
      card,
    });
    const arrive = (): void => {
      world.service.rules = late;
    };
    return Object.assign(world, { arrive });
  }

  it('is not reported as “nothing changed”, and still ends', async () => {
    const { answers, direct, arrive, limitNow, advance, deps } = await raisedLate();
    expect(answers.at(-1)?.text).not.toContain('Nothing changed');

    arrive();
    advance(5000);
    expect(await verifyAction('act_limit1', deps)).toBeNull();
    expect(direct.at(-1)?.text).toContain('$5,000.00 → $5,500.00');
    advance(HOUR);
    await endTemporaryChange('act_limit1', deps);

    expect(limitNow()).toBe(5000);
  });

  it('is reported as not confirmed if it never comes, and its end changes nothing', async () => {
    const { direct, limitNow, advance, deps, writes } = await raisedLate();

    advance(2 * 60_000);
    expect(await verifyAction('act_limit1', deps)).toBeNull();

    expect(limitNow()).toBe(5000);
    expect(direct.at(-1)?.text).toContain('Still not confirmed after 2 minutes');
    // The card service may still make it, so it still has an end.
    advance(HOUR);
    await endTemporaryChange('act_limit1', deps);
    expect(await deps.temporaryChanges.all()).toEqual([]);
    expect(writes).toEqual([]);
  });
});
