import { describe, expect, it } from 'vitest';
import { StoreUnavailableError } from '../../../src/core/errors.ts';
import { stateKey } from '../../../src/core/keys.ts';
import { createLock } from '../../../src/core/lock.ts';
import type { Action } from '../../../src/dispatch/verbs.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

/** Slack does not say who has which role, and the queue tries no more. */
const givingUp = (world: PerformWorld): WorldDeps => ({
  ...world.deps,
  rolesOf: async () => ({ roles: [], isComplete: false }),
  isLastAttempt: true,
});
const order = ask('order-virtual', { target: virtualOrder });

async function told(world: PerformWorld): Promise<void> {
  expect(world.writes).toEqual([]);
  expect(await world.stations()).toEqual(['failed']);
  expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/Your request to order virtual cards/)]);
}

it('what was given up is not done by a worker that gets the job after that: people were told to ask again', async () => {
  const world = await createActionWorld(redis());

  await expect(performAction(order, givingUp(world))).rejects.toThrow('who has which role');
  await performAction(order, world.deps);

  await told(world);
});

it('what was given up, but not told, is told by the next worker, in the same words', async () => {
  const world = await createActionWorld(redis());
  const dies = async (): Promise<void> => {
    throw new Error('killed');
  };

  await expect(performAction(order, { ...givingUp(world), answer: dies })).rejects.toThrow('killed');
  await performAction(order, world.deps);

  await told(world);
});

describe.each<[string, Action, string]>([
  ['an order of a virtual card', order, `order:${order.id}`],
  ['a resend of its details', ask('resend-virtual', byCommand), `account:${acctId}`],
])('%s that a worker was sending when its job was given up', (_what, action, lock) => {
  /** Something of ours is broken, and the queue tries no more. */
  async function broken() {
    const world = await createActionWorld(redis(), { withLock: createLock(redis(), { maxWaitMs: 100 }) });
    await world.deps.progress.write(action.id, { state: 'sending', before: null, after: null });
    const fault = (): never => {
      throw new Error('a fault of ours');
    };
    return { world, deps: { ...world.deps, unseal: fault, toFacts: fault, isLastAttempt: true } };
  }

  it('is told as not certain, and not asked for again', async () => {
    const { world, deps } = await broken();

    await expect(performAction(action, deps)).rejects.toThrow('a fault of ours');
    await performAction(action, world.deps);

    expect(await world.stations()).toEqual(['unknown']);
    expect(world.answers.map(({ text }) => text)).toEqual([
      expect.stringMatching(/^Not certain: Your .* may have done it.*ask again\.$/),
    ]);
    expect(world.writes).toEqual([]);
  });

  it('is not told as long as another worker holds the lock: its job runs again', async () => {
    const { world, deps } = await broken();
    await redis().set(stateKey(`lock:${lock}`), 'another worker');

    await expect(performAction(action, deps)).rejects.toThrow(StoreUnavailableError);

    expect(await world.stations()).toEqual([]);
    expect(world.answers).toEqual([]);
  });
});
