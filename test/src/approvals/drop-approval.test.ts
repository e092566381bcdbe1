import { describe, expect, it } from 'vitest';
import { withInFlight } from '../../../src/approvals/request.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { LATE_MS, REQUEST_MS, REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalClick, askedToPay, denial, override } from '../../support/asked-for-more.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { killEverywhere, whole } from '../../support/kill-everywhere.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { inFlight } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  createActionWorld,
  type PerformWorld,
  performAction,
  verbsOf,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

const clicks: readonly [string, VerbAction][] = [
  ['an approval', approvalClick('act_ben', 'U0BEN')],
  ['an emergency override', override],
];

/** A holder's request that operators may override by now. */
async function asked(world: PerformWorld): Promise<WorldDeps> {
  const { deps } = await askedToPay(world, 50_000);
  world.advance(REQUEST_OVERDUE_MS);
  return deps;
}

type Changed = (world: PerformWorld, deps: WorldDeps) => WorldDeps | Promise<WorldDeps>;
const changedInPortal: Changed = ({ service }, deps) => {
  service.rules = { ...service.rules, DailySpendLimit: 500 };
  return deps;
};
/** Why the retry of a click is refused. */
const refusals: readonly [string, Changed][] = [
  ['the limit was changed in the portal', changedInPortal],
  [
    'the card was blocked',
    ({ service }, deps) => {
      service.status = 'BLOCKED';
      return deps;
    },
  ],
  [
    'the person lost the role',
    (_world, deps) => {
      const lost = { roles: [], isComplete: true };
      const isLost = (userId: string) => ['U0BEN', 'U0OTTO'].includes(userId);
      return { ...deps, rolesOf: async (userId, how) => (isLost(userId) ? lost : await deps.rolesOf(userId, how)) };
    },
  ],
  [
    'an approver changed the amount and the duration',
    async (_world, deps) => {
      const changeRequest = { goals: [limitGoal('daily', 300_000)], term: { kind: 'permanent' } } as const;
      await performAction(Object.assign(approvalClick('act_zoe', 'U0ZOE'), { changeRequest }), deps);
      return deps;
    },
  ],
];

type Fails = (deps: WorldDeps) => WorldDeps['card'];
const limited: Fails = ({ card }) => ({
  ...card,
  putSpendRules: async () => {
    throw refusal(null, { code: 'rate_limited' });
  },
});
/** Why the first attempt fails. The card service takes nothing. */
const failures: readonly [string, Fails][] = [
  ['the card service limited requests', limited],
  [
    'the card could not be read',
    ({ card }) => {
      let reads = 0;
      return {
        ...card,
        async getSpendRules(...args) {
          reads += 1;
          if (reads > 1) throw unanswered();
          return await card.getSpendRules(...args);
        },
      };
    },
  ],
];

const triedTwice = async (click: VerbAction, fails: Fails, changed: Changed) => {
  const world = await createActionWorld(redis());
  const deps = await asked(world);
  await expect(performAction(click, { ...deps, card: fails(deps) })).rejects.toThrow();
  await performAction(click, await changed(world, deps));
  expect(await deps.progress.read(click.id)).toMatchObject({ state: 'refused' });
  return { world, deps };
};

describe.each(clicks)('%s whose retry is refused', (_what, click) => {
  it.each(
    failures.flatMap(([why, fails]) =>
      refusals.map(([then, changed]) => ({ fails, changed, why: `${why}, then ${then}` })),
    ),
  )('leaves the request to others: $why', async ({ fails, changed }) => {
    const { world, deps } = await triedTwice(click, fails, changed);

    expect(await deps.requests.get('req_ask1')).toMatchObject({ state: 'open', inFlight: [] });
    expect(await deps.recentRaises.reserveOverride(acctId, 'act_later')).toBe(true);
    await performAction(denial('act_eve', 'U0EVE'), deps);
    expect(await deps.requests.get('req_ask1')).toMatchObject({ state: 'denied' });
    expect(world.writes).toEqual([]);
  });

  it('does not count the raise of an attempt whose worker died before it sent anything', async () => {
    const world = await createActionWorld(redis());
    const deps = await asked(world);
    const recentRaises: WorldDeps['recentRaises'] = {
      ...deps.recentRaises,
      async add(raise) {
        await deps.recentRaises.add(raise);
        throw new Error('killed');
      },
    };
    const dying: WorldDeps = { ...deps, recentRaises };
    await expect(performAction(click, dying)).rejects.toThrow('killed');
    expect(await deps.recentRaises.list({ acctId }, deps.now().getTime())).toHaveLength(1);

    await performAction(click, changedInPortal(world, deps) as WorldDeps);

    expect(await deps.progress.read(click.id)).toMatchObject({ state: 'refused' });
    expect(await deps.recentRaises.list({ acctId }, deps.now().getTime())).toEqual([]);
  });

  it('does not keep the request from expiring, even if it is still in flight', async () => {
    const { world, deps } = await triedTwice(click, limited, changedInPortal);
    const request = await deps.requests.get('req_ask1');
    if (request === null) throw new Error('the request is gone');
    await deps.requests.save(withInFlight(request, inFlight('begun', click.id)));
    world.advance(REQUEST_MS + 1);

    await verbsOf(deps).ageRequest('req_ask1');

    expect(await deps.requests.get('req_ask1')).toMatchObject({ state: 'expired' });
  });

  it('leaves nothing, whatever step its worker is killed at', async () => {
    const steps = await killEverywhere(
      click,
      async (world) => {
        const deps = await asked(world);
        await expect(performAction(click, { ...deps, card: limited(deps) })).rejects.toThrow('refused');
        return await changedInPortal(world, deps);
      },
      async ({ deps, writes }, diedAt) => {
        expect(await deps.progress.read(click.id), diedAt).toMatchObject({ state: 'refused', pending: null });
        expect(await deps.requests.get('req_ask1'), diedAt).toMatchObject({ state: 'open', inFlight: [] });
        expect(await deps.recentRaises.reserveOverride(acctId, 'act_later'), diedAt).toBe(true);
        expect(writes, diedAt).toEqual([]);
      },
    );

    expect(steps).toBeGreaterThan(10);
  });
});

it('does not count an emergency override as used if its retry came too late, so it can be pressed again', async () => {
  const world = await createActionWorld(redis());
  const deps = await asked(world);
  await expect(performAction(override, { ...deps, card: limited(deps) })).rejects.toThrow('refused');
  world.advance(LATE_MS + REQUEST_OVERDUE_MS);
  await performAction(override, deps);
  expect(await deps.requests.get('req_ask1')).toMatchObject({ state: 'open', inFlight: [] });
  const again = { ...override, id: 'act_glass2', askedAt: deps.now().toISOString() };

  await whole(again, world, deps);

  expect(world.writes).toEqual(['limit 900']);
});
