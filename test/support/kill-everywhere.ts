import type { Redis } from 'ioredis';
import type { Action } from '../../src/actions/action.ts';
import type { ActionDeps } from '../../src/actions/deps.ts';
import { verifyAction } from '../../src/dispatch/compose-approvals.ts';
import { performAction } from '../../src/dispatch/perform-action.ts';
import { Killed, mortal } from './crash-at.ts';
import { createActionWorld, type PerformWorld } from './perform-world.ts';

/** From the click to the end: what the queue runs, again and again, until it is over. */
export async function whole(action: Action, world: PerformWorld, deps: ActionDeps): Promise<void> {
  await performAction(action, deps);
  for (let again: number | null = 0; again !== null; ) {
    world.advance(again);
    again = await verifyAction(action.id, deps);
  }
}

/**
 * Kills the worker at each step in turn, lets the next one finish, and looks at what came of it.
 *
 * @param prepare what was there before the click.
 * @param meanwhile what others do between the death and the next worker.
 * @returns how many steps there were.
 */
export async function killEverywhere(
  redis: Redis,
  action: Action,
  prepare: (world: PerformWorld) => ActionDeps | Promise<ActionDeps>,
  look: (world: PerformWorld, diedAt: string) => Promise<void>,
  meanwhile: (world: PerformWorld, deps: ActionDeps) => Promise<void> = async () => {},
): Promise<number> {
  for (let killAt = 1; ; killAt += 1) {
    await redis.flushall();
    const world = await createActionWorld(redis);
    const deps = await prepare(world);
    const { deps: doomed, life } = mortal(deps, killAt);
    try {
      await whole(action, world, doomed);
      return life.points();
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
    }
    await meanwhile(world, deps);
    await whole(action, world, deps);
    await look(world, life.diedAt() ?? '');
  }
}
