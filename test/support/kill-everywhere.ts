import { expect } from 'vitest';
import type { VerbAction } from '../../src/dispatch/verbs.ts';
import { crashAtStep, Killed } from './crash-at.ts';
import { memoryRedis } from './memory-redis.ts';
import { createActionWorld, type PerformWorld, performAction, verifyAction, type WorldDeps } from './perform-world.ts';

/** Runs an action from the click to its end, like the queue. */
export async function whole(action: VerbAction, world: PerformWorld, deps: WorldDeps): Promise<void> {
  await performAction(action, deps);
  for (let again: number | null = 0; again !== null; ) {
    world.advance(again);
    again = await verifyAction(action.id, deps);
  }
}

/**
 * Kills the worker at each step in turn, lets the next one finish, and checks the result. Uses Redis in memory, because the
 * tables make a hundred thousand calls. Flow tests kill workers with a real Redis.
 *
 * @param prepare sets up the state before the click.
 * @param meanwhile what others do between the crash and the next worker.
 * @returns the number of steps.
 */
export async function killEverywhere(
  action: VerbAction,
  prepare: (world: PerformWorld) => WorldDeps | Promise<WorldDeps>,
  look: (world: PerformWorld, diedAt: string) => Promise<void>,
  meanwhile: (world: PerformWorld, deps: WorldDeps) => Promise<void> = async () => {},
): Promise<number> {
  const begin = async (killAt: number) => {
    const world = await createActionWorld(memoryRedis(() => new Date()));
    const deps = await prepare(world);
    const { deps: crashing, life } = crashAtStep(deps, killAt);
    return { world, deps, crashing, life };
  };
  const survey = await begin(Number.POSITIVE_INFINITY);
  await whole(action, survey.world, survey.crashing);

  for (const killAt of survey.life.distinct()) {
    const { world, deps, crashing, life } = await begin(killAt);
    await expect(whole(action, world, crashing), `a worker that is killed at step ${killAt}`).rejects.toThrow(Killed);
    await meanwhile(world, deps);
    await whole(action, world, deps);
    await look(world, life.diedAt() ?? '');
  }
  return survey.life.points();
}
