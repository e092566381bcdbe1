import { expect, it } from 'vitest';
import { createRecentRaises } from '../../../src/limits/recent-raise-store.ts';
import { type ApprovalPolicy, approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { RAISES_ADDED_MS } from '../../../src/policy/decide-action.ts';
import { VirtualOrder } from '../../../src/virtual-cards/order.ts';
import { createOrderPermit } from '../../../src/virtual-cards/permit-order.ts';
import { authorizationOf } from '../../support/authorization.ts';
import { withoutLock } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, virtualOrder } from '../../support/perform-world.ts';

const redis = useRedis();
const allowed = { kind: 'allowed' };
const somebody = { name: null, isBot: false, isGuest: false, isExternal: false, isDeactivated: false };
const order = VirtualOrder.parse(JSON.parse(virtualOrder.sealed));

function setUp(
  policy: Partial<ApprovalPolicy> = {},
  inPlaceOf: Readonly<Record<string, string>> = {},
  hasEmails = true,
) {
  let nowMs = Date.parse('2026-11-20T15:00:00.000Z');
  const recentRaises = createRecentRaises(redis());
  const steps: string[] = [];
  const made = createOrderPermit({
    rights: {
      ...authorizationOf(),
      actsFor: async (userId) => [userId, inPlaceOf[userId] ?? userId],
    },
    async person(userId) {
      steps.push('asked');
      return { ...somebody, name: `${userId} Ortiz`, email: hasEmails ? `${userId}@example.com` : null };
    },
    recentRaises,
    raises: { forget: async () => {} },
    policyFor: () => ({ ...approvalPolicyOf({ twoPersonAboveCents: 100_000 }), ...policy }),
    unseal: (sealed) => sealed,
    async withLock(...args) {
      steps.push('locked');
      return await withoutLock(...args);
    },
    now: () => new Date(nowMs),
  });
  const orderOf = (id: string, userId: string, fundCents = order.fundCents) => {
    const target = { kind: 'order', sealed: JSON.stringify({ ...order, fundCents }) } as const;
    return ask('order-virtual', { ...byCommand, id, target, actor: { userId, teamId: 'T1' } });
  };
  return {
    recentRaises,
    steps,
    advance: (ms: number): void => {
      nowMs += ms;
    },
    permit: async (id: string, fundCents: number, userId = 'U0ANA') =>
      await made.permit(orderOf(id, userId), { ...order, fundCents }),
    permitFor: async (email: string, fundCents: number, name: Partial<VirtualOrder> = {}) =>
      await made.permit(orderOf('act_own', 'U0ANA'), { ...order, email, fundCents, ...name }),
    why: async (fundCents: number, people: readonly string[] = ['U0ANA']) =>
      (await made.approvals(orderOf('act_asked', 'U0ANA', fundCents), people)).why,
    needed: async (fundCents: number, people: readonly string[]) =>
      (await made.approvals(orderOf('act_asked', 'U0ANA', fundCents), people)).needed,
    count: async (id: string, fundCents: number, approvers: readonly string[]) =>
      await made.count(orderOf(id, 'U0ANA'), { ...order, fundCents }, { by: 'U0BEN', approvers }),
  };
}

it('says that nobody can tell whether an order is for whoever makes it, if Slack does not tell their email address', async () => {
  expect(await setUp({}, {}, false).permit('act_1', 60_000)).toEqual({ kind: 'allowed', isUnchecked: true });
});

it('asks Slack once for the email address of whoever orders, and not while other orders wait', async () => {
  const { permit, steps } = setUp({}, {}, false);

  await permit('act_1', 60_000);

  expect(steps).toEqual(['asked', 'locked']);
});

it("limits what one person orders to the policy's amount per 24 hours, not per order", async () => {
  const { permit, advance } = setUp();

  expect(await permit('act_1', 60_000)).toEqual(allowed);
  expect(await permit('act_1', 60_000), 'the same order, its job run again').toEqual(allowed);
  expect(await permit('act_2', 40_001)).toEqual({ kind: 'request', others: 1, isOwn: false });
  expect(await permit('act_3', 40_000)).toEqual(allowed);
  expect(await permit('act_4', 0), 'a card without money').toEqual(allowed);
  expect(await permit('act_5', 100_000, 'U0BEN'), 'another person').toEqual(allowed);
  advance(RAISES_ADDED_MS + 1);
  expect(await permit('act_6', 100_000), 'a day later').toEqual(allowed);
});

it.each([
  ['U0ANA', 'U0HUGO'],
  ['U0HUGO', 'U0ANA'],
  ['U0HUGO', 'U0IDA'],
])('an approver and their delegates share the amount of one person: %s, then %s', async (first, second) => {
  const { permit } = setUp({}, { U0HUGO: 'U0ANA', U0IDA: 'U0ANA' });
  expect(await permit('act_1', 60_000, first)).toEqual(allowed);

  expect(await permit('act_2', 40_001, second)).toMatchObject({ kind: 'request', others: 1 });
  expect(await permit('act_3', 100_000, 'U0BEN'), 'another person').toEqual(allowed);
});

it('says whether the amount alone needs others, whatever was ordered before', async () => {
  const { permit } = setUp();

  expect(await permit('act_1', 100_001)).toEqual({ kind: 'request', others: 1, isOwn: false, isLarge: true });
  expect(await permit('act_2', 100_000)).toEqual(allowed);
  expect(await permit('act_3', 1)).toEqual({ kind: 'request', others: 1, isOwn: false });
});

it('knows why an order needs others: its amount alone, what was ordered before, or a cap', async () => {
  const none = { dayCents: null, monthCents: null };
  const caps = { person: { dayCents: 50_000, monthCents: null }, card: none, program: none };
  const [plain, capped] = [setUp(), setUp({ caps })];
  expect(await plain.why(100_000)).toBeNull();
  expect(await plain.why(100_001)).toEqual({ kind: 'amount' });
  expect(await capped.why(60_000)).toMatchObject({ kind: 'cap', cap: { scope: 'person', capCents: 50_000 } });

  await plain.permit('act_1', 60_000);

  expect(await plain.why(40_001)).toEqual({ kind: 'day' });
  expect(await plain.why(40_001, ['U0BEN'])).toBeNull();
  expect(await plain.why(100_001), 'whatever was ordered before').toEqual({ kind: 'amount' });
});

it("adds the person's raises where the policy has a cap per person", async () => {
  const none = { dayCents: null, monthCents: null };
  const caps = { person: { dayCents: 120_000, monthCents: null }, card: none, program: none };
  const { permit, recentRaises } = setUp({ caps });
  const raise = { actionId: 'act_0', acctId: 7, rule: 'limit:daily:', cents: 90_000, inPlaceOf: [] };
  await recentRaises.add({ ...raise, by: 'U0ANA', askedBy: 'U0ANA', atMs: Date.parse('2026-11-20T14:00:00.000Z') });

  expect(await permit('act_1', 30_000)).toEqual(allowed);
  expect(await permit('act_2', 1)).toMatchObject({ kind: 'request', others: 1 });
});

it('of several people the cap counts what one of them and their delegates allowed alone, as for limits', async () => {
  const none = { dayCents: null, monthCents: null };
  const caps = { person: { dayCents: 50_000, monthCents: null }, card: none, program: none };
  const { needed, recentRaises } = setUp({ caps });
  const atMs = Date.parse('2026-11-20T14:00:00.000Z');
  const raise = { acctId: 7, rule: 'limit:daily:', cents: 40_000, inPlaceOf: [], atMs };
  const add = (actionId: string, by: string, askedBy = by) => recentRaises.add({ ...raise, actionId, by, askedBy });
  await add('act_a', 'U0ANA');
  await add('act_b', 'U0BEN');
  await add('act_c', 'U0CAL', 'U0ANA');

  expect(await needed(10_000, ['U0ANA', 'U0BEN'])).toBe(1);
  expect(await needed(10_001, ['U0ANA', 'U0BEN'])).toBe(2);
  expect(await needed(10_001, ['U0ANA'])).toBe(2);
  expect(await needed(50_000, ['U0DAN'])).toBe(1);
});

it('an order for oneself needs another approver, however small it is', async () => {
  const { permitFor } = setUp();

  expect(await permitFor('u0ana@example.com', 0), 'it may spend the balance of the business').toEqual({
    kind: 'request',
    others: 1,
    isOwn: true,
  });
  expect(await permitFor('u0ana@example.com', 1)).toEqual({ kind: 'request', others: 1, isOwn: true });
  expect(await permitFor('u0ana@example.com', 100_001)).toEqual({ kind: 'request', others: 2, isOwn: true });
  expect(await permitFor('vera@example.com', 1)).toEqual(allowed);
});

it.each([
  ['their address with a tag', 'u0ana+card@example.com', {}],
  ['their name', 'ana@home.example', { firstName: 'U0ana', lastName: 'Ortiz' }],
  ['their name and more', 'ana@home.example', { firstName: 'U0ANA Maria', lastName: 'Ortiz' }],
])('an order with %s is one for oneself', async (_what, email, name) => {
  expect(await setUp().permitFor(email, 0, name)).toEqual({ kind: 'request', others: 1, isOwn: true });
});

it('an order for a relative is not one for oneself', async () => {
  const relative = { firstName: 'Eva', lastName: 'Ortiz' };

  expect(await setUp().permitFor('u0ana.ortiz@example.com', 0, relative)).toEqual(allowed);
});

it('an order without money needs as many approvers as the policy asks for from $0', async () => {
  const [always, funded] = [
    setUp({ orderBands: [{ upToCents: null, approvals: 2 }] }),
    setUp({
      orderBands: [
        { upToCents: 0, approvals: 1 },
        { upToCents: null, approvals: 2 },
      ],
    }),
  ];

  expect(await always.permit('act_1', 0)).toEqual({ kind: 'request', others: 1, isOwn: false, isLarge: true });
  expect(await always.permitFor('u0ana@example.com', 0)).toEqual({ kind: 'request', others: 2, isOwn: true });
  expect(await always.needed(0, ['U0ANA'])).toBe(2);
  expect(await funded.permit('act_1', 0)).toEqual(allowed);
  expect(await funded.permit('act_2', 1)).toMatchObject({ kind: 'request', others: 1 });
});

it('an approval counts what either of the two has ordered in the meantime', async () => {
  const { permit, needed } = setUp();
  expect(await needed(60_000, ['U0ANA', 'U0BEN'])).toBe(1);
  await permit('act_1', 60_000, 'U0BEN');

  expect(await needed(60_000, ['U0ANA', 'U0BEN'])).toBe(2);
  expect(await needed(60_000, ['U0ANA'])).toBe(1);
});

it('two concurrent approvals by one person cannot both count as the first', async () => {
  const { needed, count } = setUp();
  expect(await needed(60_000, ['U0ANA', 'U0BEN'])).toBe(1);
  expect(await count('act_1', 60_000, ['U0BEN'])).toBeNull();

  expect(await count('act_2', 60_000, ['U0BEN'])).toContain('this is more than one approver alone may allow');
  expect(await count('act_1', 60_000, ['U0BEN']), 'the same order, its job run again').toBeNull();
  expect(await count('act_4', 40_000, ['U0BEN'])).toBeNull();
  expect(await count('act_3', 60_000, ['U0ANA', 'U0BEN']), 'two have approved').toBeNull();
});

it('two concurrent approvals by several people cannot both count as the first', async () => {
  const bands = [
    { upToCents: 100_000, approvals: 1 },
    { upToCents: 500_000, approvals: 2 },
    { upToCents: null, approvals: 3 },
  ];
  const { needed, count } = setUp({ orderBands: bands });
  expect(await needed(300_000, ['U0ANA', 'U0BEN'])).toBe(2);
  expect(await count('act_1', 300_000, ['U0ANA', 'U0BEN'])).toBeNull();

  expect(await count('act_2', 300_000, ['U0ANA', 'U0BEN'])).toContain('this needs more approvals');
  expect(await count('act_2', 300_000, ['U0ANA', 'U0CAL', 'U0BEN'])).toBeNull();
});

it('one person’s approval does not count any more if the person who asked has ordered in the meantime', async () => {
  const { permit, needed, count } = setUp();
  expect(await needed(60_000, ['U0ANA', 'U0BEN'])).toBe(1);
  await permit('act_1', 60_000, 'U0ANA');

  expect(await count('act_2', 60_000, ['U0BEN'])).toContain('this is more than one approver alone may allow');
  expect(await count('act_3', 60_000, ['U0ANA', 'U0BEN']), 'two have approved').toBeNull();
});

it('adds what all others raised and ordered where the policy has a cap for the program', async () => {
  const none = { dayCents: null, monthCents: null };
  const caps = { person: none, card: none, program: { dayCents: 120_000, monthCents: null } };
  const { permit, recentRaises } = setUp({ caps });
  const raise = { actionId: 'act_0', acctId: 7, rule: 'limit:daily:', cents: 50_000, inPlaceOf: [] };
  await recentRaises.add({ ...raise, by: 'U0BEN', askedBy: 'U0HUGO', atMs: Date.parse('2026-11-20T14:00:00.000Z') });
  await permit('act_1', 40_000, 'U0ZOE');

  expect(await permit('act_2', 30_001)).toMatchObject({ kind: 'request', others: 1 });
  expect(await permit('act_3', 30_000)).toEqual(allowed);
});

it('refuses people who may not order', async () => {
  const { recentRaises } = setUp();
  const { permit } = createOrderPermit({
    rights: authorizationOf({ roles: ['operator'] }),
    recentRaises,
    raises: { forget: async () => {} },
    person: async () => null,
    policyFor: () => approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    unseal: (sealed) => sealed,
    withLock: withoutLock,
    now: () => new Date(),
  });

  const refused = await permit(ask('order-virtual', { ...byCommand, target: virtualOrder }), order);

  expect(refused).toMatchObject({ why: 'Only approvers may order virtual cards.' });
});

it.each([
  ['who ordered it', 'U0ANA'],
  ['who approved it', 'U0BEN'],
  ['whom that one acted for', 'U0CEM'],
])('an order that several people approved counts with the next ones of each of them: %s', async (_who, userId) => {
  const { count, permit } = setUp({}, { U0BEN: 'U0CEM' });
  expect(await count('act_1', 120_000, ['U0ANA', 'U0BEN'])).toBeNull();

  expect(await permit('act_2', 1, userId)).toMatchObject({ kind: 'request', others: 1 });
  expect(await permit('act_3', 100_000, 'U0DAN'), 'nobody else').toEqual(allowed);
});
