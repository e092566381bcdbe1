import { describe, expect, it } from 'vitest';
import type { LimitPeriod } from '../../../src/card-api/rule.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type Over,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const MINUTE_MS = 60_000;
const alertId = 'evt_0123456789abcdef';

/** Null: permanently. */
type Given = readonly [period: LimitPeriod, dollars: number, minutes: number | null, over?: Over];

/** Changes limits one after the other. Then the first one is taken back, and the others end. */
async function changed(rules: Readonly<Record<string, number | null>>, given: readonly Given[]) {
  const world = await createActionWorld(redis());
  Object.assign(world.service.rules, rules);
  const timeLeft = async (moment: string) => Date.parse(moment) - world.deps.now().getTime();
  const deps: WorldDeps = { ...world.deps, timeLeft };
  for (const [index, [period, dollars, minutes, over]] of given.entries()) {
    const term =
      minutes === null ? ({ kind: 'permanent' } as const) : ({ kind: 'duration', ms: minutes * MINUTE_MS } as const);
    const changeRequest = { goals: [limitGoal(period, dollars * 100)], term };
    await performAction(ask('limit', { ...byCommand, ...over, id: `act_${index}`, changeRequest }), deps);
    world.advance(1000);
  }
  async function takeBack(index: number, over: Over = {}): Promise<void> {
    const target = { kind: 'temporary-change', temporaryChangeId: `act_${index}` } as const;
    await performAction(ask('revert', { ...byCommand, ...over, id: `act_back${index}`, target }), deps);
    world.advance(1000);
  }
  async function endAll(): Promise<void> {
    for (;;) {
      const [next] = (await deps.temporaryChanges.all()).filter(({ state }) => state === 'open');
      if (next === undefined) return;
      world.advance(Math.max(0, Date.parse(next.endsAt) - deps.now().getTime()));
      await endTemporaryChange(next.id, deps);
    }
  }
  const takeBackFirst = () => takeBack(0);
  return { world, deps, takeBack, takeBackFirst, endAll, rules: () => world.service.rules };
}

it('a daily limit goes back all the way when the lower weekly limit that was in its way ends', async () => {
  const { deps, takeBackFirst, endAll, rules } = await changed({ DailySpendLimit: 500, WeeklySpendLimit: 600 }, [
    ['daily', 50, 60],
    ['weekly', 90, 30],
  ]);

  await takeBackFirst();
  expect(rules()).toMatchObject({ DailySpendLimit: 90, WeeklySpendLimit: 90 });
  expect(await deps.temporaryChanges.get('act_0')).toMatchObject({
    state: 'ended',
    later: [{ rule: { period: 'daily' }, to: 50_000 }],
  });

  await endAll();
  expect(rules()).toMatchObject({ DailySpendLimit: 500, WeeklySpendLimit: 600 });
  expect(await deps.temporaryChanges.all()).toEqual([]);
});

it('also if the weekly limit goes back to none together with it', async () => {
  const { takeBackFirst, endAll, rules } = await changed({ DailySpendLimit: 500, WeeklySpendLimit: null }, [
    ['daily', 50, 60],
    ['weekly', 90, 30],
  ]);

  await takeBackFirst();
  expect(rules()).toMatchObject({ DailySpendLimit: 90, WeeklySpendLimit: 90 });
  await endAll();

  expect(rules()).toMatchObject({ DailySpendLimit: 500, WeeklySpendLimit: null });
});

it('a raised weekly limit does not stay for good because a raised daily limit ends after it', async () => {
  const { takeBackFirst, endAll, rules } = await changed({ DailySpendLimit: 80, WeeklySpendLimit: 100 }, [
    ['weekly', 400, 60],
    ['daily', 300, 30],
  ]);

  await takeBackFirst();
  expect(rules()).toMatchObject({ DailySpendLimit: 300, WeeklySpendLimit: 300 });

  await endAll();
  expect(rules()).toMatchObject({ DailySpendLimit: 80, WeeklySpendLimit: 100 });
});

it('a limit waits for several others, one after the other', async () => {
  const limits = { DailySpendLimit: 500, WeeklySpendLimit: 600, MonthlySpendLimit: 700 };
  const { takeBackFirst, endAll, rules } = await changed(limits, [
    ['daily', 50, 60],
    ['weekly', 90, 20],
    ['monthly', 95, 10],
  ]);

  await takeBackFirst();
  expect(rules()).toMatchObject({ DailySpendLimit: 90, WeeklySpendLimit: 90, MonthlySpendLimit: 95 });
  await endAll();

  expect(rules()).toMatchObject(limits);
});

it('two limits that had to stop at a third one both go back all the way when that one ends', async () => {
  const limits = { DailySpendLimit: 500, WeeklySpendLimit: 600, MonthlySpendLimit: 700 };
  const { deps, takeBack, takeBackFirst, endAll, rules } = await changed(limits, [
    ['daily', 50, 60],
    ['weekly', 90, 20],
    ['monthly', 95, 10],
  ]);

  await takeBackFirst();
  await takeBack(1);
  expect(rules()).toMatchObject({ DailySpendLimit: 95, WeeklySpendLimit: 95, MonthlySpendLimit: 95 });
  expect(await deps.temporaryChanges.get('act_1')).toMatchObject({
    state: 'ended',
    later: [
      { rule: { period: 'weekly' }, to: 60_000 },
      { rule: { period: 'daily' }, to: 50_000 },
    ],
  });
  await endAll();

  expect(rules()).toMatchObject(limits);
});

it('stays where the card service accepts it if the other limit is lower for good', async () => {
  const { deps, takeBackFirst, world, rules } = await changed({ DailySpendLimit: 500, WeeklySpendLimit: 600 }, [
    ['daily', 50, 60],
  ]);
  world.service.rules['WeeklySpendLimit'] = 90;

  await takeBackFirst();

  expect(rules()).toMatchObject({ DailySpendLimit: 90, WeeklySpendLimit: 90 });
  expect(await deps.temporaryChanges.get('act_0')).not.toHaveProperty('later');
});

describe('whoever was told another value reads that a limit goes back to less', () => {
  const words = 'The daily limit goes back to $90.00, not to $500.00: that would be above what stays.';
  const loweredForGood = async (over: Over = {}) => {
    const set = await changed({ DailySpendLimit: 500, WeeklySpendLimit: 600 }, [['daily', 50, 60, over]]);
    set.world.service.rules['WeeklySpendLimit'] = 90;
    return set;
  };

  it('who made the change, when its time is over', async () => {
    const { world, endAll } = await loweredForGood();

    await endAll();

    expect(world.direct.map(({ text }) => text)).toEqual([expect.stringContaining(words)]);
  });

  it('who takes it back, in place of the button, also after a crash', async () => {
    const { world, takeBack } = await loweredForGood();
    const origin = { kind: 'button', channel: 'C1', messageTs: null, reply: 'sealed', replace: true } as const;

    await takeBack(0, { origin });
    await takeBack(0, { origin });

    expect(world.answers.slice(-2).map(({ text }) => text)).toEqual(Array(2).fill(expect.stringContaining(words)));
  });

  it('on the alert that it was made for', async () => {
    const { deps, takeBackFirst } = await loweredForGood({ target: { kind: 'alert', alertId } });

    await takeBackFirst();

    expect((await deps.alerts.get(alertId))?.outcomes).toMatchObject([
      { verb: 'limit' },
      { verb: 'rebase', by: null, text: words },
      { verb: 'restore', text: 'Daily limit $50.00 → $90.00', goals: [limitGoal('daily', 9_000)] },
    ]);
  });
});

it('says that the rest goes back later, and with what', async () => {
  const { deps, takeBackFirst, world } = await changed({ DailySpendLimit: 500, WeeklySpendLimit: 600 }, [
    ['daily', 50, 60],
    ['weekly', 90, 30],
  ]);

  await takeBackFirst();

  const ended = (await world.records()).filter(({ event }) => event === 'ended');
  expect(ended).toMatchObject([
    {
      detail: expect.stringContaining(
        'For now, the daily limit goes back to $90.00 only: daily limit $500.00 when the other temporary change ends.',
      ),
    },
  ]);
  expect(await deps.temporaryChanges.get('act_1')).toMatchObject({
    changes: [
      { rule: { period: 'weekly' }, from: 60_000, to: 9_000 },
      { rule: { period: 'daily' }, from: 50_000, to: 9_000 },
    ],
  });
});

it('counts as somebody else’s reduction when whoever made the other change takes it back', async () => {
  const ben = { userId: 'U0BEN', teamId: 'T1' };
  const { deps, takeBackFirst } = await changed({ DailySpendLimit: 500, WeeklySpendLimit: 600 }, [
    ['daily', 50, 60],
    ['weekly', 90, 30, { actor: ben }],
  ]);

  await takeBackFirst();

  expect(await deps.temporaryChanges.get('act_1')).toMatchObject({ isOverOthers: true });
});

describe('a limit that goes back while a longer one is raised for a time', () => {
  const limits = { DailySpendLimit: 500, WeeklySpendLimit: 600 };
  const given: readonly Given[] = [
    ['daily', 60, 240],
    ['weekly', 90, null],
    ['weekly', 600, 600],
  ];

  it('goes back only as far as the longer one will at its end, which would otherwise stay raised', async () => {
    const { deps, endAll, rules } = await changed(limits, given);

    await endAll();

    expect(rules()).toMatchObject({ DailySpendLimit: 90, WeeklySpendLimit: 90 });
    expect(await deps.temporaryChanges.all()).toEqual([]);
  });

  it('does so also if somebody takes it back', async () => {
    const { takeBackFirst, endAll, rules } = await changed(limits, given);

    await takeBackFirst();
    expect(rules()).toMatchObject({ DailySpendLimit: 90, WeeklySpendLimit: 600 });
    await endAll();

    expect(rules()).toMatchObject({ DailySpendLimit: 90, WeeklySpendLimit: 90 });
  });

  it('goes back all the way to a value that is itself temporary', async () => {
    const { takeBack, endAll, rules } = await changed(limits, [
      ['weekly', 1500, 600],
      ['daily', 1000, 300],
      ['daily', 100, 60],
    ]);

    await takeBack(2);
    expect(rules()).toMatchObject({ DailySpendLimit: 1000, WeeklySpendLimit: 1500 });
    await endAll();

    expect(rules()).toMatchObject(limits);
  });
});
