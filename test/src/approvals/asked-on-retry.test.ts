import { describe, expect, it } from 'vitest';
import { ruleKey } from '../../../src/card-api/rule.ts';
import { CardApiError, type CardApiErrorDetails } from '../../../src/core/errors.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { approvalClick, denial, linkHugo, toPay } from '../../support/asked-for-more.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

const MINUTE_MS = 60_000;
/** $900 more: within what one approver may allow. */
const goal = limitGoal('daily', 130_000);
const raise = ask('limit', {
  ...byCommand,
  id: 'act_raise1',
  changeRequest: { goals: [goal], term: { kind: 'duration', ms: 3_600_000 } },
});

/** The card service does not take the first attempt, or does not answer it and may still make the change. */
function failing({ deps }: PerformWorld, how: Pick<CardApiErrorDetails, 'outcome' | 'code'>): WorldDeps {
  let isAway = false;
  const error = new CardApiError('away', { operation: 'spendRules', status: null, apiMessage: null, ...how });
  const card: WorldDeps['card'] = {
    ...deps.card,
    async putSpendRules() {
      isAway = true;
      throw error;
    },
    async getSpendRules(...args) {
      if (isAway) throw error;
      return await deps.card.getSpendRules(...args);
    },
  };
  return { ...deps, card, isLastAttempt: false };
}

/** Meanwhile the person raises the same limit otherwise, so that together it is too much for one approver. */
async function raisesMore({ deps }: PerformWorld): Promise<void> {
  const by = { by: 'U0OLGA', askedBy: 'U0OLGA', inPlaceOf: [] };
  const atMs = deps.now().getTime();
  await deps.recentRaises.add({ actionId: 'act_other', acctId, rule: ruleKey(goal.rule), ...by, atMs, cents: 50_000 });
}

async function retried(
  how: Pick<CardApiErrorDetails, 'outcome' | 'code'>,
  meanwhile: (world: PerformWorld) => Promise<void> = async () => {},
): Promise<PerformWorld> {
  const world = await createActionWorld(redis());
  await expect(performAction(raise, failing(world, how))).rejects.toThrow(CardApiError);
  await raisesMore(world);
  await meanwhile(world);
  await performAction(raise, world.deps);
  return world;
}

describe('a raise that by the time of its retry needs others', () => {
  it('asks nobody while the first attempt may still be made', async () => {
    const world = await retried({ outcome: 'unknown', code: 'timeout' });

    expect(await world.deps.requests.open()).toEqual([]);
    expect(world.writes).toEqual([]);
    expect(await world.deps.temporaryChanges.get(raise.id)).toMatchObject({ state: 'open' });
    const text = world.answers.at(-1)?.text;
    expect(text).toMatch(/may or may not have happened/);
    expect(text).toMatch(/needs another approver by now, so I did not send it again/);
    expect(text).not.toMatch(/I asked in the approvals channel/);
  });

  it('is then confirmed, with its end, if the first attempt was made after all', async () => {
    const world = await retried({ outcome: 'unknown', code: 'timeout' });
    world.service.rules = { ...world.service.rules, DailySpendLimit: 1300 };
    world.advance(MINUTE_MS);

    await verifyAction(raise.id, world.deps);

    expect(await world.deps.temporaryChanges.all()).toMatchObject([{ id: raise.id, changes: [{ from: 40_000 }] }]);
    expect(await world.deps.requests.open()).toEqual([]);
  });

  it('waits for them, from the value of another change that was made before the retry', async () => {
    const changeRequest = { goals: [limitGoal('daily', 50_000)], term: { kind: 'permanent' } } as const;
    const zoes = ask('limit', { ...byCommand, id: 'act_zoe', actor: { userId: 'U0ZOE', teamId: 'T1' }, changeRequest });
    const world = await retried({ outcome: 'refused', code: 'rate_limited' }, ({ deps }) => performAction(zoes, deps));

    expect(await world.deps.requests.open()).toMatchObject([{ changes: [{ from: 50_000, to: 130_000 }] }]);
    expect(world.answers.at(-1)?.text).toMatch(/Waiting for approval.*Nothing changed yet/);
    expect(await world.deps.temporaryChanges.all()).toEqual([]);
  });

  it('waits for them if the first attempt was certainly not made', async () => {
    const world = await retried({ outcome: 'refused', code: 'rate_limited' });

    expect(await world.deps.requests.open()).toMatchObject([{ id: 'req_raise1', needed: 2 }]);
    expect(world.answers.at(-1)?.text).toMatch(/Waiting for approval.*Nothing changed yet/);
    expect((await world.stations()).at(-1)).toBe('waiting');
    expect(await world.deps.temporaryChanges.all()).toEqual([]);
    const counted = await world.deps.recentRaises.list({ acctId }, world.deps.now().getTime());
    expect(counted.map(({ actionId }) => actionId)).toEqual(['act_other']);

    const target = { kind: 'request', requestId: 'req_raise1' } as const;
    const yes = ask('decide', { id: 'act_yes', actor: { userId: 'U0ZOE', teamId: 'T1' }, approve: true, target });
    await performAction(yes, world.deps);

    expect(world.writes).toEqual(['limit 1300']);
    expect(await world.deps.temporaryChanges.all()).toMatchObject([{ changes: [{ from: 40_000, to: 130_000 }] }]);
  });
});

describe('a request that was decided before its job ran again', () => {
  const more = limitGoal('daily', 160_000);
  const onAlert = { changeRequest: { goals: [more], term: { kind: 'permanent' } } } as const;
  const decide = (approve: boolean) => {
    const target = { kind: 'request', requestId: 'req_raise1' } as const;
    return ask('decide', { id: 'act_yes', actor: { userId: 'U0ZOE', teamId: 'T1' }, approve, target });
  };

  it.each([
    [true, 'done'],
    [false, 'failed'],
  ])('is not shown as waiting (approved: %s)', async (approve, state) => {
    const world = await createActionWorld(redis());
    const asked = ask('limit', { id: 'act_raise1', ...onAlert });
    const dying = { ...world.deps, scheduleAgeRequest: async () => Promise.reject(new Error('killed')) };
    await expect(performAction(asked, dying)).rejects.toThrow('killed');
    await performAction(decide(approve), world.deps);
    const before = world.answers.length;

    await performAction(asked, world.deps);

    const alert = await world.deps.alerts.get('evt_0123456789abcdef');
    expect(alert?.outcomes.filter(({ verb }) => verb === 'limit')).toMatchObject([{ state }]);
    expect(
      world.answers
        .slice(before)
        .map(({ text }) => text)
        .join(),
    ).not.toMatch(/Waiting|I asked in/);
  });

  it('is not announced to the holder again', async () => {
    const world = await createActionWorld(redis());
    const { deps, told } = await linkHugo(world);
    const dying = { ...deps, answer: async () => Promise.reject(new Error('killed')) };
    const findsLimit = async () => ({
      overall: [{ period: 'daily' as const, limitCents: 40_000, remainingCents: 40_000 }],
      categories: [],
    });
    const withLimits = (given: WorldDeps): WorldDeps => ({
      ...given,
      card: { ...given.card, getRemainingLimits: findsLimit },
    });
    const asked = toPay(50_000);
    await expect(performAction(asked, withLimits(dying))).rejects.toThrow('killed');
    await performAction(denial('act_no', 'U0ZOE'), deps);

    await performAction(asked, withLimits(deps));

    expect(told().join()).toMatch(/Your request was denied by/);
    expect(world.answers.map(({ text }) => text).join()).not.toMatch(/Sent to the approvers/);
  });

  const dies = async () => Promise.reject(new Error('killed'));
  const events = async (world: PerformWorld, id: string) =>
    (await world.records()).filter(({ actionId }) => actionId === id).map(({ event }) => event);

  it('does not refuse the holder whose request was approved before its job ran again', async () => {
    const world = await createActionWorld(redis());
    const { deps } = await linkHugo(world);
    const remaining = (limitCents: number) => ({
      getRemainingLimits: async () => ({
        overall: [{ period: 'daily' as const, limitCents, remainingCents: limitCents }],
        categories: [],
      }),
    });
    const asked = toPay(50_000);
    const dying = { ...deps, card: { ...deps.card, ...remaining(40_000) }, answer: dies };
    await expect(performAction(asked, dying)).rejects.toThrow('killed');
    await performAction(approvalClick('act_yes', 'U0ZOE'), deps);

    await performAction(asked, { ...deps, card: { ...deps.card, ...remaining(50_000) } });

    expect(await events(world, asked.id)).toEqual(['waiting']);
    expect(world.answers.map(({ text }) => text).join()).not.toMatch(/No limit stops/);
  });

  it('is still shown to its holder as sent when others have raised the limit meanwhile', async () => {
    const world = await createActionWorld(redis());
    const { deps } = await linkHugo(world);
    const asked = toPay(50_000);
    const limits = (limitCents: number) => async () => ({
      overall: [{ period: 'daily' as const, limitCents, remainingCents: limitCents }],
      categories: [],
    });
    const dying = { ...deps, card: { ...deps.card, getRemainingLimits: limits(40_000) }, answer: dies };
    await expect(performAction(asked, dying)).rejects.toThrow('killed');

    await performAction(asked, { ...deps, card: { ...deps.card, getRemainingLimits: limits(60_000) } });

    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringContaining('Sent to the approvers')]);
    expect(await events(world, asked.id)).toEqual(['waiting']);
  });

  it('is not made without the others, although the policy would allow it by now', async () => {
    const world = await createActionWorld(redis());
    const asked = ask('limit', { id: 'act_raise1', ...onAlert });
    await expect(performAction(asked, { ...world.deps, scheduleAgeRequest: dies })).rejects.toThrow('killed');

    const policyFor = () => approvalPolicyOf({ twoPersonAboveCents: 500_000 });
    await performAction(asked, { ...world.deps, policyFor });

    expect(world.writes).toEqual([]);
    expect(world.answers.at(-1)?.text).toMatch(/Waiting for approval.*Nothing changed yet/);
    expect((await world.stations()).at(-1)).toBe('waiting');
  });

  it('is not shown as failed when the limit was changed again after the approval', async () => {
    const world = await createActionWorld(redis());
    const asked = ask('limit', { id: 'act_raise1', ...onAlert });
    await expect(performAction(asked, { ...world.deps, scheduleAgeRequest: dies })).rejects.toThrow('killed');
    world.advance(MINUTE_MS);
    const askedAt = world.deps.now().toISOString();
    await performAction({ ...decide(true), askedAt }, world.deps);
    const changeRequest = { goals: [limitGoal('daily', 10_000)], term: { kind: 'permanent' } } as const;
    const lower = ask('limit', { ...byCommand, id: 'act_lower', changeRequest, askedAt });
    await performAction(lower, world.deps);

    await performAction(asked, world.deps);

    const alert = await world.deps.alerts.get('evt_0123456789abcdef');
    expect(alert?.outcomes.filter(({ verb }) => verb === 'limit')).toMatchObject([{ state: 'done' }]);
    expect(await events(world, asked.id)).not.toContain('failed');
  });

  it('is found again although somebody else has asked for the same since', async () => {
    const world = await createActionWorld(redis());
    const asked = ask('limit', { id: 'act_raise1', ...onAlert });
    await expect(performAction(asked, { ...world.deps, scheduleAgeRequest: dies })).rejects.toThrow('killed');
    await performAction(decide(false), world.deps);
    await performAction(ask('limit', { id: 'act_two', ...onAlert }), world.deps);
    const before = world.answers.length;

    await performAction(asked, world.deps);

    const texts = world.answers.slice(before).map(({ text }) => text);
    expect(texts.join()).not.toMatch(/the request is open/);
  });
});
