import { expect, it } from 'vitest';
import { createRecentRaises } from '../../../src/limits/recent-raise-store.ts';
import { type ApprovalPolicy, approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { COUNTED_MS } from '../../../src/policy/decide.ts';
import { VirtualOrder } from '../../../src/virtual-cards/order.ts';
import { createOrderPermit } from '../../../src/virtual-cards/permit-order.ts';
import { authorizationOf } from '../../support/authorization.ts';
import { withoutLock } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, virtualOrder } from '../../support/perform-world.ts';

const redis = useRedis();
const order = VirtualOrder.parse(JSON.parse(virtualOrder.sealed));

function setUp(policy: Partial<ApprovalPolicy> = {}) {
  let nowMs = Date.parse('2026-11-20T15:00:00.000Z');
  const recentRaises = createRecentRaises(redis());
  const { permit, cancel } = createOrderPermit({
    ...authorizationOf(),
    recentRaises,
    policyFor: () => ({ ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }), ...policy }),
    withLock: withoutLock,
    now: () => new Date(nowMs),
  });
  const orderOf = (id: string, userId: string) =>
    ask('order-virtual', { ...byCommand, id, target: virtualOrder, actor: { userId, teamId: 'T1' } });
  return {
    recentRaises,
    advance: (ms: number): void => {
      nowMs += ms;
    },
    permit: async (id: string, fundCents: number, userId = 'U0ANA') =>
      await permit(orderOf(id, userId), { ...order, fundCents }),
    cancel: async (id: string, fundCents: number) => await cancel(orderOf(id, 'U0ANA'), { ...order, fundCents }),
  };
}

it('one person orders for the amount of the policy within 24 hours, not for the amount each time', async () => {
  const { permit, advance } = setUp();

  expect(await permit('act_1', 60_000)).toBeNull();
  expect(await permit('act_1', 60_000), 'the same order, its job run again').toBeNull();
  expect(await permit('act_2', 40_001)).toEqual({
    why: 'One approver can put at most $1,000.00 on new virtual cards within 24 hours. You have ordered $600.00.',
    whoCan: 'Ask another approver.',
  });
  expect(await permit('act_3', 40_000)).toBeNull();
  expect(await permit('act_4', 0), 'a card without money').toBeNull();
  expect(await permit('act_5', 100_000, 'U0BEN'), 'somebody else').toBeNull();
  advance(COUNTED_MS + 1);
  expect(await permit('act_6', 100_000), 'a day later').toBeNull();
});

it('what was not ordered counts no more', async () => {
  const { permit, cancel } = setUp();
  await permit('act_1', 100_000);

  await cancel('act_1', 100_000);

  expect(await permit('act_2', 100_000)).toBeNull();
});

it('counts with what the person raised where the policy has a cap for a person', async () => {
  const none = { dayCents: null, monthCents: null };
  const caps = { person: { dayCents: 120_000, monthCents: null }, card: none, program: none };
  const { permit, recentRaises } = setUp({ caps });
  const raise = { actionId: 'act_0', acctId: 7, rule: 'limit:daily:', cents: 90_000 };
  await recentRaises.add({ ...raise, by: 'U0ANA', askedBy: 'U0ANA', atMs: Date.parse('2026-11-20T14:00:00.000Z') });

  expect(await permit('act_1', 30_000)).toBeNull();
  expect(await permit('act_2', 1)).toMatchObject({ why: expect.stringContaining('cap') });
});

it('refuses who may not order', async () => {
  const { recentRaises } = setUp();
  const { permit } = createOrderPermit({
    ...authorizationOf({ roles: ['operator'] }),
    recentRaises,
    policyFor: () => approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    withLock: withoutLock,
    now: () => new Date(),
  });

  const refused = await permit(ask('order-virtual', { ...byCommand, target: virtualOrder }), order);

  expect(refused).toMatchObject({ why: 'Only approvers may order virtual cards.' });
});
