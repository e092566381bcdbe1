import { describe, expect, it } from 'vitest';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { linkHugo, toPay } from '../../support/asked-for-more.ts';
import { limitGoal } from '../../support/limit-goals.ts';
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

const redis = useRedis();

const acctIds = [11, 12, 13, 14, 15, 16];
const policyFor = () => approvalPolicyOf({ twoPersonAboveCents: 1000 });
const raise = ask('limit', {
  ...byCommand,
  id: 'act_raise1',
  changeRequest: { goals: [limitGoal('daily', 160_000)], term: { kind: 'permanent' } },
});

const asks: readonly [what: string, VerbAction][] = [
  ['a raise', raise],
  ['a holder’s request', toPay(50_000)],
  ['blocking many cards', ask('block-all', { acctIds, names: acctIds.map(String) })],
  ['an order', ask('order-virtual', { ...byCommand, id: 'act_order1', target: virtualOrder })],
];

async function createWorld(): Promise<{ world: PerformWorld; deps: WorldDeps }> {
  const world = await createActionWorld(redis());
  const { deps } = await linkHugo(world);
  return { world, deps: { ...deps, policyFor } };
}

const away = async (): Promise<never> => Promise.reject(new Error('killed'));

/** Fails the first time. */
function onceAway<Args extends readonly unknown[], Answer>(call: (...args: Args) => Promise<Answer>) {
  let isAway = true;
  return async (...args: Args): Promise<Answer> => {
    if (!isAway) return await call(...args);
    isAway = false;
    return await away();
  };
}

async function expectWaiting({ world, deps }: Awaited<ReturnType<typeof createWorld>>): Promise<void> {
  expect(await deps.requests.open()).toHaveLength(1);
  expect((await world.stations()).filter((event) => event === 'waiting')).toHaveLength(1);
  expect(await world.stations()).not.toContain('failed');
  expect(world.answers).toHaveLength(1);
  expect(world.answers[0]?.text).toMatch(/Waiting for an|asked|message you when the approvers have decided/);
  expect(world.writes).toEqual([]);
}

describe.each(asks)('%s that others have to approve', (_what, action) => {
  it('waits for them also if its last attempt fails after the request is saved', async () => {
    const { world, deps } = await createWorld();
    const last = { ...deps, isLastAttempt: true, scheduleAgeRequest: onceAway(deps.scheduleAgeRequest) };

    await performAction(action, last);

    await expectWaiting({ world, deps });
  });

  it('is never said to have failed while they can approve it', async () => {
    const { world, deps } = await createWorld();

    await expect(performAction(action, { ...deps, isLastAttempt: true, scheduleAgeRequest: away })).rejects.toThrow();

    expect(await deps.requests.open()).toHaveLength(1);
    expect(await world.stations()).not.toContain('failed');
    expect(world.answers).toEqual([]);
  });

  it('is posted with its timer if the action failed for good before that', async () => {
    const { deps } = await createWorld();
    const posted: string[] = [];
    await expect(performAction(action, { ...deps, isLastAttempt: true, postRequest: away })).rejects.toThrow('killed');
    const [request] = await deps.requests.open();

    const alive: WorldDeps = { ...deps, postRequest: async ({ id }) => void posted.push(id) };
    await verbsOf(alive).ageRequest(request?.id ?? '');

    expect(posted).toEqual([request?.id]);
  });

  it('is opened when the worker dies before it saves the request, once, and is on record once', async () => {
    const { world, deps } = await createWorld();
    const dying = { ...deps, requests: { ...deps.requests, add: away } };

    await expect(performAction(action, dying)).rejects.toThrow('killed');
    expect(await world.stations(), 'nothing waits yet').not.toContain('waiting');
    await performAction(action, deps);

    await expectWaiting({ world, deps });
  });

  it('stays a request when the worker dies after it saves the request, whatever one person may do by then', async () => {
    const { world, deps } = await createWorld();
    const append: typeof deps.audit.append = async (record) =>
      record.event === 'waiting' ? await away() : await deps.audit.append(record);

    await expect(performAction(action, { ...deps, audit: { ...deps.audit, append } })).rejects.toThrow('killed');
    world.service.rules = { ...world.service.rules, DailySpendLimit: 9000 };
    const mayAlone = { ...deps, policyFor: () => approvalPolicyOf({ twoPersonAboveCents: 100_000_000 }) };
    await performAction(action, mayAlone);

    await expectWaiting({ world, deps });
  });
});
