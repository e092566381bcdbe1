import { expect, it } from 'vitest';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const MINUTE_MS = 60_000;

/** Changes the daily limit one after the other, each for some minutes, and then lets all of them end on time. */
async function limitAfter(changes: readonly (readonly [dollars: number, minutes: number])[]) {
  const world = await createActionWorld(redis());
  const timeLeft = async (moment: string) => Date.parse(moment) - world.deps.now().getTime();
  const deps: WorldDeps = { ...world.deps, timeLeft };
  for (const [index, [dollars, minutes]] of changes.entries()) {
    const term = { kind: 'duration', ms: minutes * MINUTE_MS } as const;
    const changeRequest = { goals: [limitGoal('daily', dollars * 100)], term };
    await performAction(ask('limit', { ...byCommand, id: `act_${index}`, changeRequest }), deps);
    world.advance(1000);
  }
  for (;;) {
    const [next] = (await deps.temporaryChanges.all()).filter(({ state }) => state === 'open');
    if (next === undefined) break;
    world.advance(Math.max(0, Date.parse(next.endsAt) - deps.now().getTime()));
    await endTemporaryChange(next.id, deps);
  }
  return { limit: world.service.rules['DailySpendLimit'], asked: await deps.temporaryChanges.all() };
}

it.each([
  {
    when: 'the last one ends first',
    changes: [
      [900, 60],
      [1300, 20],
      [900, 10],
    ],
  },
  {
    when: 'the last one ends before the first',
    changes: [
      [900, 60],
      [1300, 10],
      [900, 20],
    ],
  },
  {
    when: 'the last one ends last',
    changes: [
      [900, 20],
      [1300, 10],
      [900, 60],
    ],
  },
  {
    when: 'the middle one ends last',
    changes: [
      [900, 20],
      [1300, 60],
      [900, 40],
    ],
  },
  {
    when: 'the first one ends last, of four',
    changes: [
      [900, 60],
      [1300, 5],
      [1200, 10],
      [900, 20],
    ],
  },
] as const)('a value that is set again does not keep what is below it from going back: $when', async ({ changes }) => {
  expect(await limitAfter(changes)).toEqual({ limit: 400, asked: [] });
});
