import { expect, it } from 'vitest';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, createActionWorld, verbsOf, verifyAction } from '../../support/perform-world.ts';

const redis = useRedis();
const MINUTE = 60_000;

it('allows the emergency override only after approvers could see the request for 15 minutes, not counting time in the queue', async () => {
  const { deps, service, answers, advance } = await createActionWorld(redis());
  const verbs = verbsOf({
    ...deps,
    card: {
      ...deps.card,
      getRemainingLimits: async () => ({
        overall: [{ period: 'daily', limitCents: 40_000, remainingCents: 40_000 }],
        categories: [],
      }),
    },
  });
  await deps.links.link({
    acctId,
    userId: 'U0HUGO',
    provedBy: 'approver',
    by: 'U0ANA',
    at: deps.now().toISOString(),
  });
  const hugo = { actor: { userId: 'U0HUGO', teamId: 'T1' }, roles: ['holder' as const] };
  const asked = ask('ask', { ...byCommand, ...hugo, id: 'act_ask1' });
  // No worker was running.
  advance(20 * MINUTE);
  await verbs.performAction(asked, { isLast: true });
  const glass = async (id: string): Promise<void> => {
    const target = { kind: 'request', requestId: 'req_ask1' } as const;
    const action = { id, target, reason: 'urgent', askedAt: deps.now().toISOString() };
    await verbs.performAction(ask('emergency-override', action), { isLast: true });
  };

  await glass('act_glass1');
  expect(answers.at(-1)?.text).toContain('have 15 minutes to answer');
  expect(service.rules['DailySpendLimit']).toBe(400);

  advance(16 * MINUTE);
  await glass('act_glass2');
  expect(service.rules['DailySpendLimit']).toBe(500);
});

it('tells the approver who asked that an operator used the emergency override, and what is different', async () => {
  const told: string[] = [];
  const world = await createActionWorld(redis(), {
    notifyDirectly: async (userId, _id, { text }) => void told.push(`${userId}: ${text}`),
  });
  const verbs = verbsOf(world.deps);
  const changeRequest = { goals: [limitGoal('daily', 200_000)], term: { kind: 'permanent' } } as const;
  for (const userId of ['U0ANA', 'U0EVE']) {
    const by = { actor: { userId, teamId: 'T1' }, id: `act_${userId.toLowerCase()}` };
    await verbs.performAction(ask('limit', { ...byCommand, ...by, changeRequest }), { isLast: true });
  }
  world.advance(16 * MINUTE);
  const glass = {
    id: 'act_glass',
    actor: { userId: 'U0OTTO', teamId: 'T1' },
    target: { kind: 'request', requestId: 'req_u0ana' },
    reason: 'urgent',
    askedAt: world.deps.now().toISOString(),
  } as const;
  await verbs.performAction(ask('emergency-override', glass), { isLast: true });

  for (let again: number | null = 0; again !== null; ) {
    world.advance(again);
    again = await verifyAction('act_glass', world.deps);
  }

  expect(world.service.rules['DailySpendLimit']).toBe(1400);
  expect(told).toEqual([
    'U0ANA: <@U0OTTO> used the emergency override. Jane Doe · card of account 7378: daily limit $400.00 → $1,400.00 for 1 hour. This is not exactly what you asked for: daily limit $2,000.00 permanently. Note: “urgent”',
    'U0EVE: Somebody else’s request, which you had asked for as well, was changed by the emergency override of <@U0OTTO>: daily limit $400.00 → $1,400.00 for 1 hour · Jane Doe · card of account 7378. Ask again if you want something else.',
  ]);
});
