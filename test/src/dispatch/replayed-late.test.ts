import { expect, it } from 'vitest';
import type { Verb } from '../../../src/dispatch/verbs.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { crashAtStep, Killed } from '../../support/crash-at.ts';
import { loosenedBy } from '../../support/loosened-by.ts';
import { memoryRedis } from '../../support/memory-redis.ts';
import { ask, byCommand, createActionWorld, performAction, virtualOrder } from '../../support/perform-world.ts';

const { revert: _revert, 'complete-temporary-change': _complete, ...ofCards } = loosenedBy;
const before: typeof loosenedBy = {
  ...ofCards,
  limit: async () => byCommand,
  allow: async () => byCommand,
  'order-virtual': async () => ({ target: virtualOrder }),
};

/** The setup each click needs, and the click. */
async function clicked(verb: Verb) {
  const world = await createActionWorld(
    memoryRedis(() => new Date()),
    { openDirect: async () => 'D1' },
  );
  world.service.rules = { IsActive: true, DailySpendLimit: 400 };
  const over = (await before[verb]?.(world)) ?? {};
  const action = ask(verb, { ...over, id: 'act_click1', askedAt: world.deps.now().toISOString() });
  return { world, action };
}

/** Kills the worker at the given step of a click's job, and reruns the job after ten minutes have passed. */
async function replayed(verb: Verb, killAt: number) {
  const { world, action } = await clicked(verb);
  const { deps, life } = crashAtStep(world.deps, killAt);
  await performAction(action, deps).catch((error: unknown) => {
    if (!(error instanceof Killed)) throw error;
  });
  const diedAt = life.diedAt();
  const until = world.writes.length;
  world.advance(11 * 60_000);
  await performAction(action, { ...world.deps, isLastAttempt: true }).catch(() => {});
  return { diedAt, written: world.writes.slice(until), steps: life.distinct() };
}

it.each(Object.keys(before) as Verb[])(
  '%s: a job that crashed at any step loosens nothing when rerun eleven minutes later',
  async (verb) => {
    const late: string[] = [];
    const { written, steps } = await replayed(verb, Number.POSITIVE_INFINITY);
    expect(written).toEqual([]);
    for (const killAt of steps) {
      const { diedAt, written } = await replayed(verb, killAt);
      expect(diedAt).not.toBeNull();
      if (written.length > 0) late.push(`${killAt} ${diedAt}: ${written.join(', ')}`);
    }
    expect(late).toEqual([]);
  },
);

it.each(Object.keys(before) as Verb[])(
  '%s: a job that failed during a card service outage loosens nothing when rerun eleven minutes later',
  async (verb) => {
    const { world, action } = await clicked(verb);
    const away = async (): Promise<never> => {
      throw unanswered({ outcome: 'refused' });
    };
    const { card } = world.deps;
    const noWrites = { ...card, putSpendRules: away, setCardStatus: away, activateCard: away, orderVirtualCards: away };
    await performAction(action, { ...world.deps, card: noWrites, isLastAttempt: true }).catch(() => {});
    const until = world.writes.length;
    world.advance(11 * 60_000);

    await performAction(action, { ...world.deps, isLastAttempt: true }).catch(() => {});

    expect(world.writes.slice(until)).toEqual([]);
  },
);
