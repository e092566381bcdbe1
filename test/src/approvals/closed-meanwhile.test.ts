import { expect, it } from 'vitest';
import { TooLateError } from '../../../src/core/errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, createActionWorld, verbsOf, type WorldDeps } from '../../support/perform-world.ts';

const redis = useRedis();
const target = { kind: 'request', requestId: 'req_ask1' } as const;
const decide = (by: string, approve: boolean) =>
  ask('decide', {
    id: `act_${by.toLowerCase()}`,
    actor: { userId: by, teamId: 'T1' },
    roles: ['approver'],
    target,
    approve,
  });

function createSignal(): { given: Promise<void>; give: () => void } {
  let give = (): void => {};
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

/** A holder has asked for a raise. There is no lock, so steps may overlap as they can after a process stalled. */
async function asked() {
  const world = await createActionWorld(redis());
  const { deps } = world;
  let standStill: () => Promise<void> = async () => {};
  const limits = {
    overall: [{ period: 'daily', limitCents: 40_000, remainingCents: 40_000 }],
    categories: [],
  } as const;
  const card: WorldDeps['card'] = {
    ...deps.card,
    getRemainingLimits: async () => ({ ...limits, overall: [...limits.overall], categories: [] }),
    async getSpendRules(id) {
      await standStill();
      return await deps.card.getSpendRules(id);
    },
  };
  const verbs = verbsOf({ ...deps, card });
  await deps.links.link({ acctId, userId: 'U0HUGO', provedBy: 'approver', by: 'U0ANA', at: deps.now().toISOString() });
  const hugo = { actor: { userId: 'U0HUGO', teamId: 'T1' }, roles: ['holder' as const] };
  await verbs.performAction(ask('ask', { ...byCommand, ...hugo, id: 'act_ask1' }), { isLast: true });
  return {
    ...world,
    verbs,
    inFlight: async () => (await deps.requests.get('req_ask1'))?.inFlight ?? [],
    standStill(wait: () => Promise<void>) {
      standStill = wait;
    },
  };
}

it.each([
  ['before its approval is stored', (inFlight: number) => inFlight === 0],
  ['after its approval is stored and before it is sent', (inFlight: number) => inFlight === 1],
])('does not execute a request that was denied while the worker of an approval stalled %s', async (_when, isThen) => {
  const { deps, verbs, service, writes, inFlight, standStill, records } = await asked();
  const [standing, woken] = [createSignal(), createSignal()];
  let isFirst = true;
  standStill(async () => {
    if (!isFirst || !isThen((await inFlight()).length)) return;
    isFirst = false;
    standing.give();
    await woken.given;
  });

  const approving = verbs.performAction(decide('U0ANA', true), { isLast: false }).catch((error: unknown) => error);
  await standing.given;
  await verbs.performAction(decide('U0IVY', false), { isLast: false });
  expect((await deps.requests.get('req_ask1'))?.state).toBe('denied');
  woken.give();
  expect(await approving, 'its job runs again').toBeInstanceOf(TooLateError);
  await verbs.performAction(decide('U0ANA', true), { isLast: true });

  expect(writes).toEqual([]);
  expect(service.rules['DailySpendLimit']).toBe(400);
  expect(await deps.requests.get('req_ask1')).toMatchObject({ state: 'denied', inFlight: [] });
  const ends = (await records()).filter(({ actionId }) => actionId === 'act_u0ana').map(({ event }) => event);
  expect(ends).not.toContain('sent');
});
