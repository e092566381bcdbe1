import { describe, expect, it } from 'vitest';
import type { RuleGoal } from '../../../src/card-api/rule-change.ts';
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

it('a value that was only temporary is not offered, or restored, once the change below is put back', async () => {
  const world = await createActionWorld(redis());
  const timeLeft = async (moment: string) => Date.parse(moment) - world.deps.now().getTime();
  const deps: WorldDeps = { ...world.deps, timeLeft };
  for (const [id, dollars, minutes] of [
    ['act_below', 900, 240],
    ['act_top', 1200, 60],
  ] as const) {
    const term = { kind: 'duration', ms: minutes * MINUTE_MS } as const;
    const changeRequest = { goals: [limitGoal('daily', dollars * 100)], term };
    await performAction(ask('limit', { ...byCommand, id, changeRequest }), deps);
    world.advance(1000);
  }
  world.service.rules = { ...world.service.rules, DailySpendLimit: 1250 };
  for (const [id, minutes] of [
    ['act_top', 60],
    ['act_below', 180],
  ] as const) {
    world.advance(minutes * MINUTE_MS);
    await endTemporaryChange(id, deps);
  }
  expect(await deps.temporaryChanges.all()).toMatchObject([
    { id: 'act_top', state: 'asking', changes: [{ from: 40_000 }] },
    { id: 'act_below', state: 'asking', changes: [{ from: 40_000 }] },
  ]);

  const target = { kind: 'temporary-change', temporaryChangeId: 'act_below' } as const;
  const askedAt = deps.now().toISOString();
  await performAction(ask('complete-temporary-change', { id: 'act_put', target, restore: true, askedAt }), deps);

  expect(world.service.rules['DailySpendLimit']).toBe(400);
  expect(await deps.temporaryChanges.all(), 'nothing is left to decide').toEqual([]);
  expect(await deps.temporaryChanges.get('act_top')).toMatchObject({ state: 'ended', closedBy: 'U0OLGA' });
});

describe('a question about several limits of which one goes back with another change', () => {
  const both = (daily: number, monthly: number) => [
    limitGoal('daily', daily * 100),
    limitGoal('monthly', monthly * 100),
  ];

  /** One change below, for four hours, and one on top of it, for one. Then somebody sets other limits, and both end. */
  async function bothEnd(below: RuleGoal[], top: RuleGoal[], set: Record<string, number>) {
    const world = await createActionWorld(redis());
    const timeLeft = async (moment: string) => Date.parse(moment) - world.deps.now().getTime();
    const deps: WorldDeps = { ...world.deps, timeLeft };
    for (const [id, goals, minutes] of [
      ['act_below', below, 240],
      ['act_top', top, 60],
    ] as const) {
      const term = { kind: 'duration', ms: minutes * MINUTE_MS } as const;
      await performAction(ask('limit', { ...byCommand, id, changeRequest: { goals, term } }), deps);
      world.advance(1000);
    }
    world.service.rules = { ...world.service.rules, ...set };
    for (const [id, minutes] of [
      ['act_top', 60],
      ['act_below', 180],
    ] as const) {
      world.advance(minutes * MINUTE_MS);
      await endTemporaryChange(id, deps);
    }
    return { world, deps };
  }

  it('ends when the value before both turns out to be what the card has', async () => {
    const { world, deps } = await bothEnd([limitGoal('daily', 50_000)], both(600, 2100), { DailySpendLimit: 400 });

    expect(world.service.rules).toMatchObject({ DailySpendLimit: 400, MonthlySpendLimit: 2000 });
    expect(await deps.temporaryChanges.all()).toEqual([]);
    expect(await deps.temporaryChanges.get('act_top')).toMatchObject({ state: 'ended', closedBy: null });
  });

  it('ends so even if the change below becomes a question itself', async () => {
    const set = { DailySpendLimit: 400, MonthlySpendLimit: 2150 };
    const { deps } = await bothEnd(both(500, 2100), [limitGoal('daily', 60_000)], set);

    expect((await deps.temporaryChanges.all()).map(({ id, state }) => [id, state])).toEqual([['act_below', 'asking']]);
  });

  it('ends once the rest of it is put back', async () => {
    const { world, deps } = await bothEnd(both(500, 2100), [limitGoal('daily', 60_000)], { DailySpendLimit: 550 });
    expect((await deps.temporaryChanges.all()).map(({ id, state }) => [id, state])).toEqual([
      ['act_top', 'asking'],
      ['act_below', 'asking'],
    ]);

    const target = { kind: 'temporary-change', temporaryChangeId: 'act_top' } as const;
    const askedAt = deps.now().toISOString();
    await performAction(ask('complete-temporary-change', { id: 'act_put', target, restore: true, askedAt }), deps);

    expect(world.service.rules).toMatchObject({ DailySpendLimit: 400, MonthlySpendLimit: 2000 });
    expect(await deps.temporaryChanges.all()).toEqual([]);
  });
});
