import { expect, it } from 'vitest';
import { TooLateError } from '../../../src/core/errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, createActionWorld, performAction, virtualOrder } from '../../support/perform-world.ts';

const redis = useRedis();

/** Slack does not say who has which role. */
const rolesUnread = async () => ({ roles: [], isComplete: false });
const order = ask('order-virtual', { target: virtualOrder });

it('what was given up is not done by a worker that gets the job after that: people were told to ask again', async () => {
  const world = await createActionWorld(redis());
  const last = { ...world.deps, rolesOf: rolesUnread, isLastAttempt: true };

  await expect(performAction(order, last)).rejects.toThrow('who has which role');
  await performAction(order, world.deps);

  expect(world.writes).toEqual([]);
  expect(await world.stations()).toEqual(['failed']);
  expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/Your request to order virtual cards/)]);
});

it('what was given up, but not told, is told by the next worker, in the same words', async () => {
  const world = await createActionWorld(redis());
  const dies = async (): Promise<void> => {
    throw new Error('killed');
  };
  const last = { ...world.deps, rolesOf: rolesUnread, isLastAttempt: true, answer: dies };

  await expect(performAction(order, last)).rejects.toThrow('killed');
  await performAction(order, world.deps);

  expect(world.writes).toEqual([]);
  expect(await world.stations()).toEqual(['failed']);
  expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/Your request to order virtual cards/)]);
});

it('what another worker is sending meanwhile is not told as failed: its job runs again', async () => {
  const world = await createActionWorld(redis());
  await world.deps.progress.write(order.id, { state: 'sending', before: null, after: null });
  const withLock = async (): Promise<never> => {
    throw new Error('a fault of ours');
  };

  await expect(performAction(order, { ...world.deps, withLock, isLastAttempt: true })).rejects.toThrow(TooLateError);

  expect(await world.stations()).toEqual([]);
  expect(world.answers).toEqual([]);
});
