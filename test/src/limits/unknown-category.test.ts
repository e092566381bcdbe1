import { describe, expect, it } from 'vitest';
import type { LimitWindow } from '../../../src/card-api/rule.ts';
import type { RemainingLimits } from '../../../src/card-api/schema.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  createActionWorld,
  type PerformWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { declined } from '../../templates/fixtures.ts';

const redis = useRedis();
const HARDWARE = { id: 13, name: 'Hardware Stores' };
type Windows = Partial<Record<'daily' | 'weekly', [limit: number | null, left: number]>>;

/**
 * A $84.10 purchase was declined by a category's limit. The card now has these limits in dollars, and this much left.
 */
async function declinedWith(own: Windows, hardware: Windows = { daily: [300, 300] }): Promise<PerformWorld> {
  const world = await createActionWorld(redis());
  await decline(world, own, hardware);
  return world;
}

async function decline(world: PerformWorld, own: Windows, hardware: Windows): Promise<WorldDeps> {
  const rows = (windows: Windows) =>
    Object.entries(windows).map(([period, [limit, left]]) => ({
      period: period as keyof Windows,
      limitCents: limit === null ? null : limit * 100,
      remainingCents: left * 100,
    }));
  const { deps, service } = world;
  const fields = ({ daily, weekly }: Windows) => ({
    DailySpendLimit: daily?.[0] ?? null,
    WeeklySpendLimit: weekly?.[0] ?? null,
  });
  service.rules = {
    IsActive: true,
    ...fields(own),
    MonthlySpendLimit: 5000,
    MerchantCategories: [{ Id: HARDWARE.id, Name: HARDWARE.name, ...fields(hardware) }],
  };
  const remaining: RemainingLimits = {
    overall: rows(own),
    categories: rows(hardware).map((row) => ({ ...HARDWARE, ...row })),
  };
  // After a raise there is room.
  const room: RemainingLimits = {
    overall: remaining.overall.map((one) => ({ ...one, remainingCents: 90_000 })),
    categories: remaining.categories.map((one) => ({ ...one, remainingCents: 90_000 })),
  };
  deps.card.getRemainingLimits = async () => (world.writes.length > 0 ? room : remaining) as never;
  await deps.alerts.save(declined('decline.rule.velocity.mcc', 'Transaction exceeded category limit'));
  return deps;
}

/** Submits the form. Unless `isKnown`, the form did not know which limit stopped the purchase. */
const wished = (period: LimitWindow, dollars: number, isKnown = false) =>
  ask('limit', {
    changeRequest: {
      goals: [limitGoal(period, dollars * 100)],
      term: { kind: 'permanent' },
      ...(isKnown ? {} : { isCategoryUnknown: true as const }),
    },
  });

async function noteOf({ deps }: PerformWorld): Promise<string> {
  const outcome = (await deps.alerts.get('evt_0123456789abcdef'))?.outcomes.at(-1);
  return `${outcome?.state}: ${outcome?.text}`;
}
const ownLimits = ({ service }: PerformWorld) => [service.rules['DailySpendLimit'], service.rules['WeeklySpendLimit']];
const hardwareLimit = ({ service }: PerformWorld) =>
  (service.rules['MerchantCategories'] as Record<string, unknown>[])[0]?.['DailySpendLimit'];

describe('a limit raised through a form that did not know which one stopped the purchase', () => {
  it.each<[string, Windows, Windows | undefined, LimitWindow, number, string]>([
    [
      'another of the card’s own limits',
      { daily: [1000, 900], weekly: [1200, 10] },
      undefined,
      'daily',
      300,
      "the card's own weekly limit of $1,200.00 stops this purchase: a daily limit of $300.00 would not let it pass",
    ],
    [
      'the card’s own limit, which is higher than the requested amount',
      { daily: [1000, 10] },
      undefined,
      'daily',
      300,
      "the card's own daily limit of $1,000.00 stops this purchase: a daily limit of $300.00 would not",
    ],
    [
      'the card’s own limit, where one for a single purchase was requested',
      { daily: [1000, 900], weekly: [1200, 10] },
      undefined,
      'transaction',
      300,
      "the card's own weekly limit of $1,200.00 stops this purchase: a limit for a single purchase of $300.00 would",
    ],
    [
      'another limit of the category',
      { daily: [1000, 900] },
      { weekly: [700, 20] },
      'daily',
      300,
      'the weekly limit for Hardware Stores of $700.00 stops this purchase: a daily limit of $300.00 would not',
    ],
    [
      'the card’s own limit, known only by its remaining amount',
      { daily: [1000, 900], weekly: [null, 10] },
      undefined,
      'daily',
      300,
      "the card's own weekly limit stops this purchase: a daily limit of $300.00 would not",
    ],
    ['nothing', { daily: [1000, 900] }, undefined, 'daily', 1300, 'By now nothing stops this purchase'],
  ])('changes and sends nothing if the purchase is now stopped by %s, and explains it', async (...row) => {
    const [, own, hardware, period, dollars, why] = row;
    const world = await declinedWith(own, hardware);
    const before = structuredClone(world.service.rules);

    await performAction(wished(period, dollars), world.deps);

    expect(await noteOf(world)).toMatch(/^failed/);
    expect(await noteOf(world)).toContain(why);
    expect(world.service.rules).toEqual(before);
    expect(await world.stations()).toEqual(['asked', 'failed']);
  });

  it('is the requested one if no category stopped the purchase', async () => {
    const world = await declinedWith({ daily: [1000, 900], weekly: [1200, 10] });
    await world.deps.alerts.save(declined('decline.rule.velocity', 'Transaction exceeded daily spend limit'));

    await performAction(wished('daily', 1100), world.deps);

    expect(ownLimits(world)).toEqual([1100, 1200]);
    expect(hardwareLimit(world)).toBe(300);
  });

  it('is not guessed if the categories are unreadable, and explains where to change it', async () => {
    const world = await declinedWith({ daily: [1000, 900] });
    world.service.rules['MerchantCategories'] = [];

    await performAction(wished('daily', 1100), world.deps);

    expect(await noteOf(world)).toContain(
      'I cannot tell which merchant category stopped this purchase. Change it in the card program’s portal.',
    );
    expect(world.writes).toEqual([]);
  });

  it("is the card's own if only that stops the purchase now and was requested", async () => {
    const world = await declinedWith({ daily: [400, 10] });

    await performAction(wished('daily', 480), world.deps);

    expect(ownLimits(world)).toEqual([480, null]);
  });

  it("is the category's, raised once although the worker is killed at any step", async () => {
    await killEverywhere(
      wished('daily', 480),
      (world) => decline(world, { daily: [1000, 900] }, { daily: [400, 10] }),
      async (world, diedAt) => {
        expect(hardwareLimit(world), diedAt).toBe(480);
        expect(ownLimits(world), diedAt).toEqual([1000, null]);
        expect(await noteOf(world), diedAt).toMatch(/^done/);
        expect(world.writes, diedAt).toHaveLength(1);
      },
    );
  });
});

it("raises the card’s own limit, if it was shown and requested, instead of the category's", async () => {
  const world = await declinedWith({ daily: [1000, 900], weekly: [1200, 10] }, { daily: [400, 10] });

  await performAction(wished('weekly', 1280, true), world.deps);

  expect(ownLimits(world)).toEqual([1000, 1280]);
  expect(hardwareLimit(world)).toBe(400);
});

it('raises the limit as approved, although the category has become tight in the meantime', async () => {
  const world = await declinedWith({ daily: [400, 10] });
  await performAction(wished('daily', 1900), world.deps);
  const [request] = await world.deps.requests.open();
  expect(request).toMatchObject({ changes: [limitChange('daily', 40_000, 190_000)], term: { kind: 'permanent' } });
  await decline(world, { daily: [400, 400] }, { daily: [50, 0] });

  const approveAction = { target: { kind: 'request', requestId: 'req_limit1' }, approve: true } as const;
  await performAction(ask('decide', { ...approveAction, actor: { userId: 'U0BEN', teamId: 'T1' } }), world.deps);

  expect(ownLimits(world)).toEqual([1900, null]);
  expect(hardwareLimit(world)).toBe(50);
});

it('sends no limit for a single purchase of the card itself, since no card has one', async () => {
  const world = await declinedWith({ daily: [400, 10] });

  await performAction(wished('transaction', 480, true), world.deps);

  expect(await noteOf(world)).toContain('no limit of its own for a single purchase');
  expect(await world.stations()).toEqual(['asked', 'failed']);
});
