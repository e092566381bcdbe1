import { expect, it } from 'vitest';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalClick, askedToPay, override } from '../../support/asked-for-more.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

type Retry = (world: PerformWorld, deps: WorldDeps) => Partial<WorldDeps>;

const withoutRole: Retry = () => ({ rolesOf: async () => ({ roles: [], isComplete: true }) });
const tooLate: Retry = (world) => {
  world.advance(11 * 60_000);
  return {};
};
const unread: Retry = (_world, { card }) => ({
  isLastAttempt: true,
  card: {
    ...card,
    getSpendRules: async () => {
      throw unanswered({ operation: 'read' });
    },
  },
});
/** Somebody changes the limit after the click was judged and before its change is made. */
const moved: Retry = ({ service }, { card }) => {
  let reads = 0;
  const getSpendRules: WorldDeps['card']['getSpendRules'] = async (...args) => {
    reads += 1;
    if (reads === 2) service.rules = { ...service.rules, DailySpendLimit: 500 };
    return await card.getSpendRules(...args);
  };
  return { card: { ...card, getSpendRules } };
};

const approval = approvalClick('act_ben', 'U0BEN');
const limit = ask('limit', byCommand);
const order = ask('order-virtual', { ...byCommand, target: virtualOrder });

it.each<[string, VerbAction, Retry]>([
  ['an approval of a change that somebody moved in this moment', approval, moved],
  ['an emergency override whose limit somebody moved in this moment', override, moved],
  ['an approval that is given up', approval, unread],
  ['a raise by somebody who has lost the role', limit, withoutRole],
  ['a raise that waited too long', limit, tooLate],
  ['a raise that is given up', limit, unread],
  ['an order by somebody who has lost the role', order, withoutRole],
])('%s counts as no raise after an attempt whose worker died before it sent anything', async (_what, action, retry) => {
  const world = await createActionWorld(redis());
  const { deps } = await askedToPay(world, 50_000);
  if (action !== limit && action !== order) world.advance(REQUEST_OVERDUE_MS);
  const counted = async () => await deps.recentRaises.list('program', deps.now().getTime());
  const recentRaises: WorldDeps['recentRaises'] = {
    ...deps.recentRaises,
    async add(raise) {
      await deps.recentRaises.add(raise);
      throw new Error('killed');
    },
  };
  await expect(performAction(action, { ...deps, recentRaises })).rejects.toThrow('killed');
  expect(await counted()).toHaveLength(1);

  await performAction(action, { ...deps, ...retry(world, deps) });

  expect(world.writes).toEqual([]);
  expect(await counted()).toEqual([]);
});

it.each<[string, VerbAction]>([
  ['an approval', approval],
  ['an emergency override', override],
  ['a raise', limit],
  ['an order', order],
])('%s whose last attempt ends with an unexpected error counts as no raise', async (_what, action) => {
  const world = await createActionWorld(redis());
  const { deps } = await askedToPay(world, 50_000);
  if (action !== limit && action !== order) world.advance(REQUEST_OVERDUE_MS);
  const recentRaises: WorldDeps['recentRaises'] = {
    ...deps.recentRaises,
    async add(raise) {
      await deps.recentRaises.add(raise);
      throw new Error('unexpected');
    },
  };

  await expect(performAction(action, { ...deps, recentRaises, isLastAttempt: true })).rejects.toThrow('unexpected');

  expect(world.writes).toEqual([]);
  expect(await deps.recentRaises.list('program', deps.now().getTime())).toEqual([]);
});
