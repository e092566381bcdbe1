import { describe, expect, it } from 'vitest';
import { CardApiError } from '../../../src/core/errors.ts';
import type { Action } from '../../../src/dispatch/verbs.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  performAction,
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
const limitOf = (id: string, limitCents: number): Action =>
  ask('limit', {
    ...byCommand,
    id,
    changeRequest: {
      goals: [limitGoal('daily', limitCents)],
      term: { kind: 'permanent' },
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
