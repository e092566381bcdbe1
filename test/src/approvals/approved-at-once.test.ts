import { describe, expect, it } from 'vitest';
import type { WithLock } from '../../../src/core/lock.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { held } from '../../support/held.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  performAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

const standard = approvalPolicyOf({ twoPersonAboveCents: 100_000 });
/** One person alone may allow at most $1,000 in total within a day. */
const capped = { ...standard, caps: { ...standard.caps, person: { dayCents: 100_000, monthCents: null } } };
const somebody = { name: null, isBot: false, isGuest: false, isExternal: false, isDeactivated: false };
const by = (userId: string) => ({ actor: { userId, teamId: 'T1' } });
const person = { userId: 'U0OLGA', provedBy: 'approver', by: 'U0ANA', at: '2026-11-20T15:00:00.000Z' } as const;

/** Ben approves the request with this id. */
const approval = (of: string) =>
  ask('decide', {
    id: `act_ben${of}`,
    ...by('U0BEN'),
    approve: true,
    target: { kind: 'request', requestId: `req_${of}` },
  });

it('does not count both of two concurrent approvals by one person as the first', async () => {
  const world = await createActionWorld(redis(), { policyFor: () => capped });
  // It is her own card, so someone else has to approve any raise.
  await world.deps.links.link({ acctId, ...person });
  const raise = (id: string, goal: ReturnType<typeof limitGoal>) =>
    ask('limit', { ...byCommand, id, changeRequest: { goals: [goal], term: { kind: 'permanent' } } });
  await performAction(raise('act_one', limitGoal('daily', 100_000)), world.deps);
  await performAction(raise('act_two', limitGoal('monthly', 260_000)), world.deps);

  // The second approval is judged before the first is counted, and executed after it.
  let reads = 0;
  const getSpendRules: WorldDeps['card']['getSpendRules'] = async (acctId) => {
    reads += 1;
    if (reads === 2) await performAction(approval('one'), world.deps);
    return await world.deps.card.getSpendRules(acctId);
  };
  await performAction(approval('two'), { ...world.deps, card: { ...world.deps.card, getSpendRules } });

  expect(world.service.rules).toMatchObject({ DailySpendLimit: 1000, MonthlySpendLimit: 2000 });
  expect(await world.deps.requests.open()).toMatchObject([{ id: 'req_two' }]);
  expect(world.answers.at(-1)?.text).toContain('this is more than one approver alone may allow');

  // From now on the request needs two approvals and says so.
  await performAction({ ...approval('two'), id: 'act_again' }, world.deps);
  expect(await world.deps.requests.open()).toMatchObject([{ needed: 2, approvals: [{ by: 'U0BEN' }] }]);
});

/** The locks of one process. @param waits called when work finds its lock taken. */
function createLocks(waits: () => void): WithLock {
  const taken = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    while (taken.has(name)) {
      waits();
      await taken.get(name);
    }
    const mine = work(held);
    const done = mine.catch(() => {});
    taken.set(name, done);
    try {
      return await mine;
    } finally {
      taken.delete(name);
    }
  };
}

it('does not order with two approvals what needs three with what was ordered in this moment', async () => {
  const orderBands = [
    { upToCents: 100_000, approvals: 1 },
    { upToCents: 500_000, approvals: 2 },
    { upToCents: null, approvals: 3 },
  ];
  const world = await createActionWorld(redis(), { policyFor: () => ({ ...standard, orderBands }) });
  const sealed = JSON.stringify({ ...JSON.parse(virtualOrder.sealed), fundCents: 300_000 });
  for (const id of ['act_one', 'act_two'])
    await performAction(ask('order-virtual', { ...byCommand, id, target: { ...virtualOrder, sealed } }), world.deps);

  // The second approval is judged before the first is counted, and executed after it.
  let isFirst = true;
  const save: WorldDeps['requests']['save'] = async (request) => {
    await world.deps.requests.save(request);
    if (!isFirst) return;
    isFirst = false;
    await performAction(approval('one'), world.deps);
  };
  await performAction(approval('two'), { ...world.deps, requests: { ...world.deps.requests, save } });

  expect(world.writes).toEqual(['order']);
  expect(await world.deps.requests.open()).toMatchObject([{ id: 'req_two', inFlight: [] }]);
  expect(world.answers.at(-1)?.text).toContain('this needs more approvals. I did not order it.');

  await performAction({ ...approval('two'), id: 'act_again' }, world.deps);
  expect(await world.deps.requests.open()).toMatchObject([
    { needed: 3, approvals: [{ by: 'U0OLGA' }, { by: 'U0BEN' }] },
  ]);
});

describe('one person with a cap of $1,000 allows $600 on one card, and in the same moment', () => {
  const sixHundred = { ...JSON.parse(virtualOrder.sealed), fundCents: 60_000 };
  const order = { target: { ...virtualOrder, sealed: JSON.stringify(sixHundred) } };
  const daily = { goals: [limitGoal('daily', 100_000)], term: { kind: 'permanent' } } as const;
  const monthly = { goals: [limitGoal('monthly', 260_000)], term: { kind: 'permanent' } } as const;
  const approval = ask('decide', {
    id: 'act_approve',
    ...by('U0BEN'),
    approve: true,
    target: { kind: 'request', requestId: 'req_asked' },
  });
  const otherCard = { kind: 'card', acctId: acctId + 1, cardId: null, alertId: null } as const;
  const first = ask('limit', { ...byCommand, ...by('U0BEN'), target: otherCard, changeRequest: monthly });

  // What Olga asks for her own card, or orders for herself, takes another approver.
  it.each<[string, VerbAction | null, VerbAction]>([
    ['approves another raise', ask('limit', { ...byCommand, id: 'act_asked', changeRequest: daily }), approval],
    ['orders a card', null, ask('order-virtual', { ...byCommand, ...order, ...by('U0BEN') })],
    ['approves an order', ask('order-virtual', { ...byCommand, ...order, id: 'act_asked' }), approval],
  ])('%s, as large: the cap allows one of them, and the other needs another approver', async (_what, asked, second) => {
    let secondWaits = (): void => {};
    const atLock = new Promise<void>((resolve) => {
      secondWaits = resolve;
    });
    const world = await createActionWorld(redis(), {
      policyFor: () => capped,
      withLock: createLocks(() => secondWaits()),
      person: async (userId) => ({ ...somebody, email: userId === 'U0OLGA' ? sixHundred.email : null }),
    });
    await world.deps.links.link({ acctId, ...person });
    if (asked !== null) await performAction(asked, world.deps);
    const others: Promise<void>[] = [];
    const add: WorldDeps['recentRaises']['add'] = async (raise) => {
      if (others.length === 0) others.push(performAction(second, world.deps));
      await Promise.race([atLock, ...others]);
      await world.deps.recentRaises.add(raise);
    };

    await performAction(first, { ...world.deps, recentRaises: { ...world.deps.recentRaises, add } });
    await Promise.all(others);

    expect(world.writes).toEqual(['limit 400']);
    expect(world.service.rules).toMatchObject({ DailySpendLimit: 400, MonthlySpendLimit: 2600 });
    expect(await world.deps.requests.open()).toHaveLength(1);
  });
});
