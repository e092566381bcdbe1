import { expect, it } from 'vitest';
import { TooLateError } from '../../../src/core/errors.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { createLock } from '../../../src/core/lock.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, byCommand, createActionWorld, verbsOf, type WorldDeps } from '../../support/perform-world.ts';

const redis = useRedis();
const target = { kind: 'request', requestId: 'req_ask1' } as const;
const approve = (by: string) =>
  ask('decide', {
    id: `act_${by.toLowerCase()}`,
    actor: { userId: by, teamId: 'T1' },
    roles: ['approver'],
    target,
    approve: true,
  });

type Call = 'getSpendRules' | 'putSpendRules';

/** A holder's request for a raise. `stall` lets a job lose its locks while it waits for the card service. */
async function requested({ needed }: { needed: number }) {
  const world = await createActionWorld(redis(), { withLock: createLock(redis()) });
  const { deps } = world;
  let whileAway: { readonly call: Call; readonly work: () => Promise<void> } | null = null;
  async function stallIn(call: Call): Promise<void> {
    if (whileAway?.call !== call) return;
    const { work } = whileAway;
    whileAway = null;
    for (const name of ['request:req_ask1', `account:${acctId}`]) await redis().del(stateKey(`lock:${name}`));
    await work();
  }
  const card: WorldDeps['card'] = {
    ...deps.card,
    async getSpendRules(id) {
      const read = await deps.card.getSpendRules(id);
      await stallIn('getSpendRules');
      return read;
    },
    async putSpendRules(...given) {
      await deps.card.putSpendRules(...given);
      await stallIn('putSpendRules');
    },
  };
  const verbs = verbsOf({ ...deps, card });
  await deps.links.link({ acctId, userId: 'U0HUGO', provedBy: 'approver', by: 'U0ANA', at: deps.now().toISOString() });
  const hugo = { actor: { userId: 'U0HUGO', teamId: 'T1' }, roles: ['holder' as const] };
  await verbs.performAction(ask('ask', { ...byCommand, ...hugo, id: 'act_ask1' }), { isLast: true });
  const read = async () => {
    const request = await deps.requests.get('req_ask1');
    return request ?? expect.fail('the request is stored');
  };
  await deps.requests.save({ ...(await read()), needed });
  return {
    ...world,
    verbs,
    read,
    perform: (by: string) => verbs.performAction(approve(by), { isLast: false }),
    stall(call: Call, work: () => Promise<void>) {
      whileAway = { call, work };
    },
  };
}

const by = (approvals: readonly { readonly by: string }[]): string[] => approvals.map((approval) => approval.by);

it('counts both approvals if the lock of the first is lost while it reads the card', async () => {
  const { perform, read, stall } = await requested({ needed: 3 });
  stall('getSpendRules', () => perform('U0BEN'));

  await expect(perform('U0ANA'), 'its job runs again').rejects.toThrow(TooLateError);
  expect(by((await read()).approvals)).toEqual(['U0BEN']);
  await perform('U0ANA');

  expect(by((await read()).approvals)).toEqual(['U0BEN', 'U0ANA']);
});

it.each([
  ['an approval', (world: Awaited<ReturnType<typeof requested>>) => world.perform('U0ANA')],
  ['a refresh', (world: Awaited<ReturnType<typeof requested>>) => world.verbs.refreshRequests(acctId)],
])('tells an approver that their approval is void even if %s lost its lock before it saw why', async (_what, run) => {
  const world = await requested({ needed: 3 });
  world.stall('getSpendRules', async () => {
    await world.perform('U0BEN');
    world.service.status = 'BLOCKED';
  });

  await expect(run(world), 'its job runs again').rejects.toThrow(TooLateError);
  await run(world);

  expect(await world.read()).toMatchObject({ isBlocked: true, approvals: [], voided: [{ by: 'U0BEN' }] });
});

it('keeps who decided if the lock of another approval is lost while the card service makes its change', async () => {
  const { perform, read, stall, writes } = await requested({ needed: 1 });
  stall('putSpendRules', () => perform('U0BEN'));

  await expect(perform('U0ANA'), 'its job runs again').rejects.toThrow(TooLateError);
  await perform('U0ANA');

  expect(await read()).toMatchObject({ state: 'approved', decision: { by: 'U0BEN' }, inFlight: [] });
  expect(writes).toHaveLength(1);
});
