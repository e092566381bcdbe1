import { describe, expect, it } from 'vitest';
import { RolesUnreadError } from '../../../src/core/errors.ts';
import { type ApprovalPolicy, approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, createActionWorld, verbsOf, type WorldDeps } from '../../support/perform-world.ts';

const redis = useRedis();
const DAY_MS = 86_400_000;

async function world(over: Partial<WorldDeps> = {}) {
  await redis().flushdb();
  const made = await createActionWorld(redis(), over);
  made.service.rules = { ...made.service.rules, DailySpendLimit: 400, MonthlySpendLimit: null };
  const limit = (id: string, dollars: number) => {
    const changeRequest = { goals: [limitGoal('daily', dollars * 100)], term: { kind: 'permanent' } } as const;
    return ask('limit', { ...byCommand, id, changeRequest, actor: { userId: 'U0ANA', teamId: 'T1' } });
  };
  const approve = (id: string, userId: string, requestId: string) =>
    ask('decide', { id, actor: { userId, teamId: 'T1' }, target: { kind: 'request', requestId }, approve: true });
  return { ...made, limit, approve, limitNow: () => made.service.rules['DailySpendLimit'] };
}

it.each<[string, Partial<ApprovalPolicy>]>([
  ['a raise needs two approvers', approvalPolicyOf({ twoPersonAboveCents: 0 })],
  ['nothing may be permanent', { durations: { longestMs: 3_600_000, mayStay: false } }],
])('a policy file reloaded between the click and the decision applies: %s', async (_what, then) => {
  const { deps, limit, limitNow } = await world({
    policyFor: () => ({ ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }), ...then }),
  });

  await verbsOf(deps).performAction(limit('act_1', 500), { isLast: true });

  expect(limitNow()).toBe(400);
});

it('a policy file reloaded between two approvals applies to the second: a third person must approve', async () => {
  let policy = approvalPolicyOf({ twoPersonAboveCents: 100_000 });
  const { deps, limit, approve, limitNow } = await world({ policyFor: () => policy });
  await verbsOf(deps).performAction(limit('act_1', 5000), { isLast: true });
  const [request] = await deps.requests.open();
  policy = { ...policy, bands: [{ upToCents: null, approvals: 3 }] };

  await verbsOf(deps).performAction(approve('act_2', 'U0BEN', request?.id ?? ''), { isLast: true });
  expect(limitNow(), 'two of three').toBe(400);
  await verbsOf(deps).performAction(approve('act_3', 'U0ZOE', request?.id ?? ''), { isLast: true });

  expect(limitNow()).toBe(5000);
});

describe('a card that was moved to a group whose people may allow less', () => {
  /** In South one person may allow $50 a day and two may allow more; elsewhere one may allow $1,000. */
  async function moved(isRead = true) {
    const plain = approvalPolicyOf({ twoPersonAboveCents: 100_000 });
    const south = { ...plain, caps: { ...plain.caps, person: { dayCents: 5000, monthCents: null } } };
    let group = 'North';
    const current = async () => {
      if (!isRead) return null;
      group = 'South';
      return accountOf({ group });
    };
    return await world({
      hasCardGroups: () => true,
      policyFor: (one) => (one === 'South' ? south : plain),
      directory: directoryOf({ account: async () => accountOf({ group }), current }),
    });
  }

  it('counts the first raise by the rules of the group that it is in now', async () => {
    const { deps, limit, limitNow } = await moved();

    await verbsOf(deps).performAction(limit('act_1', 600), { isLast: true });

    expect(limitNow()).toBe(400);
    expect(await deps.requests.open()).toMatchObject([{ needed: 2 }]);
  });

  it('is not raised while the card service does not return the group that it is in now', async () => {
    const { deps, limit, limitNow } = await moved(false);

    await expect(verbsOf(deps).performAction(limit('act_1', 600), { isLast: false })).rejects.toThrow(RolesUnreadError);

    expect(limitNow()).toBe(400);
    expect(await deps.requests.open()).toEqual([]);
  });
});

it.each([
  ['25 hours ahead', 25 * 3_600_000],
  ['32 days ahead', 32 * DAY_MS],
  ['25 hours back', -25 * 3_600_000],
])("a clock that jumps %s at any moment gives nobody a second day's allowance", async (_how, jumpMs) => {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    let readings = 0;
    const { deps, limit, limitNow } = await world();
    await verbsOf(deps).performAction(limit('act_1', 1400), { isLast: true });
    expect(limitNow()).toBe(1400);
    const now = (): Date => {
      readings += 1;
      return new Date(deps.now().getTime() + (readings >= at ? jumpMs : 0));
    };

    await verbsOf({ ...deps, now }).performAction(limit('act_2', 2400), { isLast: true });

    expect(limitNow(), `the clock jumps at reading ${at}`).toBe(1400);
    isOver = readings < at;
  }
});

it('does not raise a limit that is lowered in the portal during an approval, whichever read shows it', async () => {
  for (let at = 1, isOver = false; !isOver; at += 1) {
    const { deps, service, writes, limit, approve } = await world();
    await verbsOf(deps).performAction(limit('act_1', 5000), { isLast: true });
    const [request] = await deps.requests.open();
    let readings = 0;
    let isLowered = false;
    const card: WorldDeps['card'] = {
      ...deps.card,
      getSpendRules: async (...args) => {
        readings += 1;
        if (readings === at && writes.length === 0) {
          isLowered = true;
          service.rules = { ...service.rules, DailySpendLimit: 100 };
        }
        return await deps.card.getSpendRules(...args);
      },
    };

    await verbsOf({ ...deps, card }).performAction(approve('act_2', 'U0BEN', request?.id ?? ''), { isLast: true });

    if (isLowered) expect(writes, `lowered before reading ${at}`).toEqual([]);
    isOver = !isLowered;
    expect(at, 'readings before the change').toBeLessThan(10);
    if (isOver) expect(at, 'it is read again just before the change').toBeGreaterThan(2);
  }
});
