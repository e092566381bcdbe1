import { describe, expect, it } from 'vitest';
import type { RuleGoal } from '../../../src/card-api/rule-change.ts';
import type { CardApiError } from '../../../src/core/errors.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
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
    when: 'it is the one from before all, and lasts longest',
    changes: [
      [900, 60],
      [400, 10],
      [400, 120],
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
  const ends = (await world.records()).filter(({ event }) => event === 'ended');
  expect(
    ends.map(({ actionId, actor }) => [actionId, actor?.userId ?? null]),
    'one click, one end',
  ).toEqual([
    ['act_top', null],
    ['act_put', 'U0OLGA'],
  ]);
});

it.each([
  ['the one below lasts longer', 20, '$900.00'],
  ['the one below ends before', 120, '$400.00'],
] as const)('says what the limit goes back to when the time is over: %s', async (_how, minutes, back) => {
  const world = await createActionWorld(redis());
  for (const [id, dollars, lasts] of [
    ['act_below', 900, 60],
    ['act_middle', 1200, 10],
    ['act_top', 1300, minutes],
  ] as const) {
    const term = { kind: 'duration', ms: lasts * MINUTE_MS } as const;
    const changeRequest = { goals: [limitGoal('daily', dollars * 100)], term };
    await performAction(ask('limit', { ...byCommand, id, changeRequest }), world.deps);
    world.advance(1000);
  }

  expect(JSON.stringify(world.answers.at(-1))).toContain(`Goes back to ${back} <!date`);
  const started = (await world.records()).findLast(({ actionId, event }) => actionId === 'act_top' && event === 'done');
  expect(started?.detail).toContain(`Goes back to ${back} automatically`);
  // If it is taken back at once.
  expect(await world.deps.temporaryChanges.get('act_top')).toMatchObject({ changes: [{ from: 90_000 }] });
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

describe('what another one took over, if the card service refuses to put back the rest,', () => {
  async function refused(error: CardApiError, times: number) {
    const said: string[] = [];
    const world = await createActionWorld(redis(), { postToApprovals: async (_id, { text }) => void said.push(text) });
    const goals = [limitGoal('daily', 10_000), limitGoal('monthly', 150_000)];
    for (const [id, some, minutes] of [
      ['act_below', goals, 240],
      ['act_top', [limitGoal('daily', 9000)], 60],
    ] as const) {
      const term = { kind: 'duration', ms: minutes * MINUTE_MS } as const;
      await performAction(ask('limit', { ...byCommand, id, changeRequest: { goals: some, term } }), world.deps);
      world.advance(1000);
    }
    const refuses = async (): Promise<never> => {
      throw error;
    };
    const refusing = { ...world.deps, card: { ...world.deps.card, putSpendRules: refuses } };
    for (let time = 0; time < times; time += 1) await endTemporaryChange('act_below', refusing);
    return { world, said };
  }

  it.each([
    ['for the fifth time', refusal(), 5],
    ['as what Cardbell itself does not send', refusal(null, { outcome: 'not_sent' }), 1],
  ])('goes back with it, and nobody is told to do that: %s', async (_what, error, times) => {
    const { world, said } = await refused(error, times);

    expect(await world.deps.temporaryChanges.get('act_below')).toMatchObject({
      state: 'refused',
      changes: [{ rule: { period: 'monthly' } }],
      later: [{ rule: { period: 'daily' }, to: 40_000 }],
    });
    expect(said).toEqual([expect.stringContaining('It could not be put back to $2,000.00, so it is still $1,500.00.')]);
    expect(said[0]).toMatch(
      /Daily limit \$400\.00 when the other temporary change ends<!date.*, planned for Nov 20, 2026, 11:00 AM ET>\.$/,
    );

    await endTemporaryChange('act_top', world.deps);

    expect(world.service.rules).toMatchObject({ DailySpendLimit: 400, MonthlySpendLimit: 1500 });
  });
});

it('a change below another is taken back without writing its value, weeks after they were made', async () => {
  const world = await createActionWorld(redis());
  const DAY_MS = 24 * 60 * MINUTE_MS;
  for (const [id, dollars, days] of [
    ['act_below', 500, 30],
    ['act_middle', 600, 25],
    ['act_top', 700, 22],
  ] as const) {
    const term = { kind: 'duration', ms: days * DAY_MS } as const;
    const changeRequest = { goals: [limitGoal('daily', dollars * 100)], term };
    await performAction(ask('limit', { ...byCommand, id, changeRequest }), world.deps);
    world.advance(1000);
  }
  // How far each action got is kept for 15 days.
  await redis().del(...(await redis().keys('*progress:act_*')));
  world.advance(20 * DAY_MS);
  const target = { kind: 'temporary-change', temporaryChangeId: 'act_below' } as const;
  const askedAt = world.deps.now().toISOString();

  await performAction(ask('revert', { id: 'act_back', target, askedAt }), world.deps);

  expect(await world.deps.temporaryChanges.get('act_below')).toMatchObject({
    state: 'ended',
    later: [{ rule: { period: 'daily' }, to: 40_000 }],
  });
  expect(world.service.rules['DailySpendLimit']).toBe(700);
});

it.each([
  ['left', false],
  ['put back', true],
])('a question that is asked again says to the end what goes back later: it is %s', async (_how, restore) => {
  const world = await createActionWorld(redis());
  for (const [id, goals, minutes] of [
    ['act_below', [limitGoal('daily', 50_000), limitGoal('monthly', 210_000)], 240],
    ['act_top', [limitGoal('daily', 60_000)], 60],
  ] as const) {
    const term = { kind: 'duration', ms: minutes * MINUTE_MS } as const;
    await performAction(ask('limit', { ...byCommand, id, changeRequest: { goals, term } }), world.deps);
    world.advance(1000);
  }
  const target = { kind: 'temporary-change', temporaryChangeId: 'act_below' } as const;
  const later = [{ rule: { period: 'daily' }, to: 40_000 }];
  const set = (dollars: number) => {
    world.service.rules = { ...world.service.rules, MonthlySpendLimit: dollars };
  };
  set(2150);
  await performAction(ask('revert', { id: 'act_back', target, askedAt: world.deps.now().toISOString() }), world.deps);
  expect(await world.deps.temporaryChanges.get('act_below')).toMatchObject({ state: 'asking', later });

  const decide = async (id: string, isBack: boolean) => {
    const over = { id, target, restore: isBack, askedAt: world.deps.now().toISOString() };
    await performAction(ask('complete-temporary-change', over), world.deps);
  };
  set(2160);
  await decide('act_again', false);
  expect(await world.deps.temporaryChanges.get('act_below')).toMatchObject({ state: 'asking', later });
  expect(world.answers.at(-1)?.text, 'that is not news').not.toContain('when the other temporary change ends');

  await decide('act_decided', restore);
  expect(await world.deps.temporaryChanges.get('act_below')).toMatchObject({
    state: restore ? 'ended' : 'kept',
    later,
  });
});

describe('a change whose answer was lost, on top of one that ends', () => {
  const limit = (id: string, dollars: number, minutes: number, askedAt: string) => {
    const term = { kind: 'duration', ms: minutes * MINUTE_MS } as const;
    return ask('limit', {
      ...byCommand,
      id,
      askedAt,
      changeRequest: { goals: [limitGoal('daily', dollars * 100)], term },
    });
  };

  /** $900 for some minutes. Half a minute before the end, $1,000 for some, without an answer. Then the first one ends. */
  async function lostOnTop({ isMade, below, top }: { isMade: boolean; below: number; top: number }) {
    const world = await createActionWorld(redis());
    const timeLeft = async (moment: string) => Date.parse(moment) - world.deps.now().getTime();
    const deps: WorldDeps = { ...world.deps, timeLeft };
    await performAction(limit('act_below', 900, below, deps.now().toISOString()), deps);
    world.advance(59.5 * MINUTE_MS);
    let isAway = false;
    const card: WorldDeps['card'] = {
      ...deps.card,
      getSpendRules: async (...args) =>
        isAway ? Promise.reject(unanswered()) : await deps.card.getSpendRules(...args),
      async putSpendRules(...args) {
        if (isMade) await deps.card.putSpendRules(...args);
        isAway = true;
        throw unanswered();
      },
    };
    const onTop = limit('act_top', 1000, top, deps.now().toISOString());
    await expect(performAction(onTop, { ...deps, card })).rejects.toThrow('unavailable');
    world.advance(MINUTE_MS / 2);
    const target = { kind: 'temporary-change', temporaryChangeId: 'act_below' } as const;
    if (below > 60) await performAction(ask('revert', { target, askedAt: deps.now().toISOString() }), deps);
    else await endTemporaryChange('act_below', deps);
    return { world, deps, onTop, daily: () => world.service.rules['DailySpendLimit'] };
  }

  async function endOnTop({ world, deps }: Awaited<ReturnType<typeof lostOnTop>>) {
    world.advance(240 * MINUTE_MS);
    await endTemporaryChange('act_top', deps);
    return await deps.temporaryChanges.all();
  }

  it.each([
    ['shorter', { below: 240, top: 60 }],
    ['longer', { below: 60, top: 240 }],
  ])('does not keep its value from going back if it was never made and is %s', async (_which, minutes) => {
    const given = await lostOnTop({ ...minutes, isMade: false });
    expect(given.daily()).toBe(400);
    expect(await given.deps.temporaryChanges.get('act_below')).toMatchObject({ state: 'ended' });

    await performAction(given.onTop, given.deps);

    expect(given.world.writes, 'it is not sent again').toEqual(['limit 900', 'limit 400']);
    expect(await endOnTop(given)).toEqual([]);
    expect(given.daily()).toBe(400);
  });

  it.each([
    ['shorter', { below: 240, top: 60 }],
    ['longer', { below: 60, top: 240 }],
  ])('takes over what it is on top of if the card shows it and it is %s', async (_which, minutes) => {
    const given = await lostOnTop({ ...minutes, isMade: true });
    expect(given.daily()).toBe(1000);
    expect(await given.deps.temporaryChanges.get('act_below')).toMatchObject({
      state: 'ended',
      later: [{ rule: { period: 'daily' }, to: 40_000 }],
    });

    expect(await endOnTop(given)).toEqual([]);
    expect(given.daily()).toBe(400);
  });
});
