import { expect, it } from 'vitest';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, createActionWorld, performAction, type WorldDeps } from '../../support/perform-world.ts';

const redis = useRedis();

const standard = approvalPolicyOf({ twoPersonAboveCents: 100_000 });
/** One person alone may allow at most $1,000 in total within a day. */
const capped = { ...standard, caps: { ...standard.caps, person: { dayCents: 100_000, monthCents: null } } };
const by = (userId: string) => ({ actor: { userId, teamId: 'T1' } });
const person = { userId: 'U0OLGA', provedBy: 'approver', by: 'U0ANA', at: '2026-11-20T15:00:00.000Z' } as const;

it('does not count both of two concurrent approvals by one person as the first', async () => {
  const world = await createActionWorld(redis(), { policyFor: () => capped });
  // It is her own card, so someone else has to approve any raise.
  await world.deps.links.link({ acctId: 7378, ...person });
  const raise = (id: string, goal: ReturnType<typeof limitGoal>) =>
    ask('limit', { ...byCommand, id, changeRequest: { goals: [goal], term: { kind: 'permanent' } } });
  await performAction(raise('act_one', limitGoal('daily', 100_000)), world.deps);
  await performAction(raise('act_two', limitGoal('monthly', 260_000)), world.deps);
  const approval = (of: string) =>
    ask('decide', {
      id: `act_ben${of}`,
      ...by('U0BEN'),
      approve: true,
      target: { kind: 'request', requestId: `req_${of}` },
    });

  // The second approval is judged before the first is counted, and executed after it.
  let reads = 0;
  const getSpendRules: WorldDeps['card']['getSpendRules'] = async (acctId) => {
    reads += 1;
    if (reads === 2) await performAction(approval('one'), world.deps);
    return await world.deps.card.getSpendRules(acctId);
  };
  await performAction(approval('two'), { ...world.deps, card: { ...world.deps.card, getSpendRules } });

  expect(world.service.rules).toMatchObject({ DailySpendLimit: 1000, MonthlySpendLimit: 2000 });
  expect(await world.deps.requests.open()).toMatchObject([{ id: 'req_two' }]);
  expect(world.answers.at(-1)?.text).toContain('it is more than one person may allow');

  // From now on the request needs two approvals and says so.
  await performAction({ ...approval('two'), id: 'act_again' }, world.deps);
  expect(await world.deps.requests.open()).toMatchObject([{ needed: 2, approvals: [{ by: 'U0BEN' }] }]);
});
