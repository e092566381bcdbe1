import { expect, it } from 'vitest';
import type { Role } from '../../../src/policy/decide.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, createActionWorld, verbsOf } from '../../support/perform-world.ts';

const redis = useRedis();

/** Ana and Ben approve; Hugo stands in for Ana. */
async function world() {
  const made = await createActionWorld(redis(), {
    async rolesOf(userId, { notInPlaceOf = [] } = {}) {
      const approves = ['U0ANA', 'U0BEN'].includes(userId) || (userId === 'U0HUGO' && !notInPlaceOf.includes('U0ANA'));
      const roles: Role[] = approves ? ['approver', 'operator'] : [];
      return { roles, isComplete: true };
    },
  });
  made.service.rules = { ...made.service.rules, MonthlySpendLimit: null };
  const verbs = verbsOf(made.deps);
  let count = 0;
  const by = (userId: string) => {
    count += 1;
    return { id: `act_by${count}`, actor: { userId, teamId: 'T1' }, roles: ['approver' as const] };
  };
  const limit = async (userId: string, dollars: number): Promise<void> => {
    const changeRequest = { goals: [limitGoal('daily', dollars * 100)], term: { kind: 'permanent' } } as const;
    await verbs.performAction(ask('limit', { ...byCommand, ...by(userId), changeRequest }), { isLast: true });
  };
  const approve = async (userId: string): Promise<void> => {
    const [open] = await made.deps.requests.open();
    const target = { kind: 'request', requestId: open?.id ?? '' } as const;
    await verbs.performAction(ask('decide', { ...by(userId), target, approve: true }), { isLast: true });
  };
  const limitNow = () => made.service.rules['DailySpendLimit'];
  const answer = () => made.answers.at(-1)?.text;
  return { ...made, verbs, by, limit, approve, limitNow, answer };
}

it('a delegate changes limits in the place of an approver', async () => {
  const { limit, limitNow } = await world();

  await limit('U0HUGO', 500);

  expect(limitNow()).toBe(500);
});

it('a delegate may not do to a card what its holder may not, in whose place they are', async () => {
  const { deps, limit, limitNow, answer, verbs, by } = await world();
  const at = deps.now().toISOString();
  await deps.links.link({ acctId, userId: 'U0ANA', provedBy: 'approver', by: 'U0BEN', at });

  await limit('U0HUGO', 500);

  expect(answer()).toContain('Only approvers may change limits');
  expect(limitNow()).toBe(400);
  await verbs.performAction(ask('block', { ...byCommand, ...by('U0HUGO') }), { isLast: true });
  expect(answer(), 'what makes a card safer is not refused').toMatch(/^Blocked/);
});

it('an approver and their delegate are one approval, in either order', async () => {
  const { limit, approve, limitNow, answer } = await world();
  await limit('U0ANA', 5000);
  await approve('U0HUGO');
  expect(answer()).toContain('Only approvers may decide requests');
  await approve('U0BEN');
  expect(limitNow()).toBe(5000);

  await limit('U0HUGO', 9000);
  await approve('U0ANA');
  expect(limitNow(), 'only one of these two counts').toBe(5000);
  await approve('U0BEN');
  expect(limitNow()).toBe(9000);
});
