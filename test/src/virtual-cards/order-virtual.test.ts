import { describe, expect, it } from 'vitest';
import { Killed } from '../../support/crash-at.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verbsOf,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { virtualAlert } from '../../templates/fixtures.ts';

const redis = useRedis();

describe('an order of a virtual card, its worker killed at any step', () => {
  const action = ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder });

  it('is sent once, or, when nobody heard the answer, said to be unsure', async () => {
    const steps = await killEverywhere(
      redis(),
      action,
      ({ deps }) => deps,
      async (world, diedAt) => {
        const sent = world.writes.length;
        expect(sent, diedAt).toBeLessThanOrEqual(1);
        const last = (await world.stations()).at(-1);
        expect(last, diedAt).toBe(
          /progress\.(write|begin)|orderVirtualCards/.test(diedAt) && last === 'unknown' ? last : 'done',
        );
        expect(await world.stations(), diedAt).toEqual(['asked', 'sent', last]);
        expect(world.answers.at(-1)?.text, diedAt).toMatch(last === 'done' ? /^Ordered/ : /I do not order it again/);
      },
    );

    expect(steps).toBeGreaterThan(15);
  });

  const notice = (at: string) => virtualAlert({ holder: 'Vera Nova', callbackAt: at });
  const comes = async (world: PerformWorld, at: string): Promise<void> => {
    await world.deps.alerts.save(notice(at));
    await verbsOf(world.deps).virtualCardArrived(notice(at).event);
  };
  const lostAnswer = (world: PerformWorld, meanwhile: () => Promise<void>): WorldDeps => ({
    ...world.deps,
    card: {
      ...world.deps.card,
      orderVirtualCards: async (...args) => {
        await world.deps.card.orderVirtualCards(...args);
        await meanwhile();
        throw new Killed('nobody heard the answer');
      },
    },
  });

  it('its notice comes before the next worker knows that the answer was lost: the person is told all the same', async () => {
    const direct = new Set<string>();
    const world = await createActionWorld(redis(), {
      notifyDirectly: async (userId, _id, { text }) => void direct.add(`${userId}: ${text}`),
    });
    const deps = lostAnswer(world, () => comes(world, world.deps.now().toISOString()));

    await expect(performAction(action, deps)).rejects.toThrow(Killed);
    await performAction(action, world.deps);

    expect(world.writes).toEqual(['order']);
    expect(world.answers.at(-1)?.text).toMatch(/I do not order it again/);
    expect([...direct]).toEqual([expect.stringMatching(/^U0OLGA: You asked for this: Virtual card created/)]);
    expect(await world.stations()).toEqual(['asked', 'sent', 'unknown', 'confirmed']);
  });

  it.each([
    ['older than the order', { hoursAgo: 1, by: null }],
    ['that somebody else was told', { hoursAgo: 0, by: 'U0ZOE' }],
  ])('a notice of the same name %s is no answer to it', async (_what, { hoursAgo, by }) => {
    const direct: string[] = [];
    const world = await createActionWorld(redis(), { notifyDirectly: async (userId) => void direct.push(userId) });
    const at = new Date(world.deps.now().getTime() - hoursAgo * 3_600_000).toISOString();
    const deps = lostAnswer(world, async () => {
      await comes(world, at);
      if (by !== null) await world.deps.alerts.setAsked(notice(at).event.id, { by, at });
    });

    await expect(performAction(action, deps)).rejects.toThrow(Killed);
    await performAction(action, world.deps);

    expect(direct).toEqual([]);
    expect(await world.stations()).toEqual(['asked', 'sent', 'unknown']);
  });
});
