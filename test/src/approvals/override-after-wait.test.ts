import { expect, it } from 'vitest';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, createActionWorld, verbsOf } from '../../support/perform-world.ts';

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
