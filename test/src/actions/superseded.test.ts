import { describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { CardApiError, TooLateError } from '../../../src/core/errors.ts';
import { createLock } from '../../../src/core/lock.ts';
import type { Action } from '../../../src/dispatch/verbs.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type PerformWorld,
  performAction,
  verifyAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { until } from '../../support/until.ts';

const redis = useRedis();

const lost = async (): Promise<never> => {
  throw new CardApiError('lost', {
    operation: 'write',
    status: null,
    outcome: 'unknown',
    code: 'unavailable',
    apiMessage: null,
  } as ConstructorParameters<typeof CardApiError>[1]);
};
const never = (): Promise<never> => new Promise(() => {});
const permanent: Term = { kind: 'permanent' };
const limitOf = (id: string, limitCents: number, term: Term = permanent): Action =>
  ask('limit', {
    ...byCommand,
    id,
    changeRequest: {
      goals: [limitGoal('daily', limitCents)],
      term,
    },
  });

it.each<[string, Action, Action, string, object]>([
  [
    'a block',
    ask('block', { ...byCommand, id: 'act_older' }),
    ask('unblock', { ...byCommand, id: 'act_newer' }),
    'BLOCKED',
    { status: 'ACTIVE' },
  ],
  [
    'a limit',
    limitOf('act_older', 45_000),
    limitOf('act_newer', 30_000),
    'ACTIVE',
    { rules: expect.objectContaining({ DailySpendLimit: 300 }) },
  ],
])(
  '%s whose first try failed is not repeated over what somebody asked for since',
  async (_what, older, newer, was, is) => {
    const world = await createActionWorld(redis());
    const card = { ...world.deps.card, setCardStatus: lost, putSpendRules: lost };
    const broken: WorldDeps = { ...world.deps, card };
    await expect(performAction(older, broken)).rejects.toThrow(CardApiError);
    // As it would be had the first try worked after all, when there is something to take back.
    world.service.status = was as typeof world.service.status;

    await performAction(newer, world.deps);
    await performAction(older, world.deps);

    expect(world.service).toMatchObject(is);
    expect((await world.stations()).slice(-1)).toEqual(['unknown']);
    expect(world.answers.at(-1)?.text).toContain('I did not repeat it');
  },
);

describe('a worker stands still just before it writes, others do its work and a newer change, and it goes on', () => {
  /** It stands still once it has noted that it is about to change the card. */
  function standingStill(world: PerformWorld, meanwhile: () => Promise<void>): WorldDeps {
    const { latestChanges } = world.deps;
    let isOver = false;
    return {
      ...world.deps,
      withLock: createLock(redis()),
      latestChanges: {
        ...latestChanges,
        async changed(...args) {
          await latestChanges.changed(...args);
          if (isOver) return;
          isOver = true;
          await redis().del(...(await redis().keys('*lock:account:*')));
          await meanwhile();
        },
      },
    };
  }

  it.each<[string, Action, Action, string, object]>([
    [
      'a limit',
      limitOf('act_older', 45_000),
      limitOf('act_newer', 30_000),
      'ACTIVE',
      { rules: expect.objectContaining({ DailySpendLimit: 300 }) },
    ],
    [
      'a block',
      ask('block', { ...byCommand, id: 'act_older' }),
      ask('unblock', { ...byCommand, id: 'act_newer' }),
      'ACTIVE',
      { status: 'ACTIVE' },
    ],
  ])('%s: the newer change stays', async (_what, older, newer, was, is) => {
    const world = await createActionWorld(redis());
    world.service.status = was as typeof world.service.status;
    const others: WorldDeps = { ...world.deps, withLock: createLock(redis()) };
    const stalled = standingStill(world, async () => {
      await performAction(older, others);
      await performAction(newer, others);
      world.advance(3_000);
      await verifyAction(newer.id, others);
    });

    await expect(performAction(older, stalled)).rejects.toThrow(TooLateError);
    await performAction(older, others);

    expect(world.service).toMatchObject(is);
    expect(world.writes).toHaveLength(2);
    expect((await world.stations()).filter((station) => station === 'done')).toHaveLength(2);
  });

  it('the end of a temporary change: what was set since stays', async () => {
    const world = await createActionWorld(redis());
    const raise = limitOf('act_raise', 45_000, { kind: 'duration', ms: 60_000 });
    const others: WorldDeps = { ...world.deps, withLock: createLock(redis()) };
    await performAction(raise, others);
    const stalled = standingStill(world, async () => {
      await endTemporaryChange(raise.id, others);
      await performAction(limitOf('act_newer', 60_000), others);
    });
    world.advance(61_000);

    await expect(endTemporaryChange(raise.id, stalled)).rejects.toThrow(TooLateError);

    expect(world.service.rules).toMatchObject({ DailySpendLimit: 600 });
    expect(world.writes).toEqual(['limit 450', 'limit 400', 'limit 600']);
  });

  it('an order is not made after somebody was told that its outcome is not known', async () => {
    const world = await createActionWorld(redis());
    const order = ask('order-virtual', { ...byCommand, id: 'act_order3', target: virtualOrder });
    const { progress } = world.deps;
    const stalled: WorldDeps = {
      ...world.deps,
      withLock: createLock(redis()),
      progress: {
        ...progress,
        async begin(...args) {
          const stands = await progress.begin(...args);
          await redis().del(...(await redis().keys('*lock:order:*')));
          await performAction(order, { ...world.deps, withLock: createLock(redis()) });
          return stands;
        },
      },
    };

    await expect(performAction(order, stalled)).rejects.toThrow(TooLateError);

    expect(world.writes).toEqual([]);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringContaining('I do not order it again')]);
  });
});

describe('an order whose worker stood still for longer than its lock', () => {
  const action = ask('order-virtual', { ...byCommand, id: 'act_order2', target: virtualOrder });

  it.each([
    ['has made it', (deps: WorldDeps): WorldDeps => deps],
    ['is making it', (deps: WorldDeps): WorldDeps => ({ ...deps, card: { ...deps.card, orderVirtualCards: never } })],
  ])('is not made again when another %s', async (_what, asOther) => {
    const world = await createActionWorld(redis());
    const { progress } = world.deps;
    const stalled: WorldDeps = {
      ...world.deps,
      progress: {
        ...progress,
        async begin(id, entry) {
          const other = performAction(action, asOther(world.deps));
          await Promise.race([other, until(async () => (await progress.read(id))?.state === 'sending', 'it is sent')]);
          return await progress.begin(id, entry);
        },
      },
    };
    const before = world.writes.length;

    await performAction(action, stalled);

    expect(world.writes.length - before).toBe(asOther(world.deps) === world.deps ? 1 : 0);
  });
});
