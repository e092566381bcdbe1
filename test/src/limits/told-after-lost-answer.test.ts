import { describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type PerformWorld,
  performAction,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();

const failing = (outcome: 'unknown' | 'not_sent') => async (): Promise<never> => {
  throw unanswered({ outcome });
};
const forAnHour: Term = { kind: 'duration', ms: 3_600_000 };
const raise = ask('limit', { ...byCommand, changeRequest: { goals: [limitGoal('daily', 45_000)], term: forAnHour } });

describe('a sent change that is no longer possible when its job runs again', () => {
  it('leaves no scheduled end behind if it was certainly not made', async () => {
    const world = await createActionWorld(redis());
    const card = { ...world.deps.card, putSpendRules: failing('not_sent') };
    await expect(performAction(raise, { ...world.deps, card })).rejects.toThrow(CardApiError);

    world.service.rules = { ...world.service.rules, WeeklySpendLimit: 410 };
    await performAction(raise, world.deps);

    expect(world.answers.at(-1)?.text).toContain('Raise the weekly limit first. Nothing changed.');
    expect(await world.deps.temporaryChanges.all()).toEqual([]);
    expect(await world.deps.recentRaises.list({ acctId }, world.deps.now().getTime())).toEqual([]);
  });

  it('does not claim “nothing changed” if its answer was lost and someone changed the card since', async () => {
    const world = await createActionWorld(redis());
    const card = answeringNothingAfter(world, async (raw) => void Object.assign(world.service, { rules: raw }));
    await expect(performAction(raise, { ...world.deps, card })).rejects.toThrow(CardApiError);

    world.service.rules = { ...world.service.rules, DailySpendLimit: 400, WeeklySpendLimit: 410 };
    await performAction(raise, world.deps);

    expect(world.answers.at(-1)?.text).not.toContain('Nothing changed');
    expect(await world.stations()).toEqual(['asked', 'sent', 'unknown']);
    expect(await world.deps.temporaryChanges.all()).toMatchObject([{ certainty: 'unconfirmed' }]);
  });

  it.each([
    ['closed', 'CLOSED', 'unblock'],
    ['blocked', 'BLOCKED', 'activate'],
  ] as const)('does not claim “nothing changed” about a card that was %s since', async (_what, status, verb) => {
    const world = await createActionWorld(redis());
    world.service.status = verb === 'activate' ? 'INACTIVE' : 'BLOCKED';
    const card = answeringNothingAfter(world, async () => void Object.assign(world.service, { status: 'ACTIVE' }));
    await expect(performAction(ask(verb, byCommand), { ...world.deps, card })).rejects.toThrow(CardApiError);

    world.service.status = status;
    await performAction(ask(verb, byCommand), world.deps);

    expect(world.answers.at(-1)?.text).toContain('It is not certain whether the card service made this change');
    expect(await world.stations()).toEqual(['asked', 'sent', 'unknown']);
  });

  it('reports “nothing changed” if it was certainly not made, whatever happened to the card since', async () => {
    const world = await createActionWorld(redis());
    world.service.status = 'INACTIVE';
    const card = { ...world.deps.card, activateCard: failing('not_sent') };
    await expect(performAction(ask('activate', byCommand), { ...world.deps, card })).rejects.toThrow(CardApiError);

    world.service.status = 'BLOCKED';
    await performAction(ask('activate', byCommand), world.deps);

    expect(world.answers.at(-1)?.text).toContain('The card is blocked, not new');
    expect(await world.stations()).toEqual(['asked', 'sent', 'failed']);
  });
});

/** The card service accepts a change and is unavailable from then on. */
function answeringNothingAfter(
  { deps: { card } }: PerformWorld,
  take: (raw: Record<string, unknown>) => Promise<void>,
): WorldDeps['card'] {
  const away = failing('unknown');
  let isAway = false;
  const took = async (raw: Record<string, unknown> = {}): Promise<never> => {
    await take(raw);
    isAway = true;
    return await away();
  };
  return {
    ...card,
    putSpendRules: async (_acctId, raw) => await took(raw),
    setCardStatus: async () => await took(),
    activateCard: async () => await took(),
    getAccount: async (acct) => (isAway ? await away() : await card.getAccount(acct)),
    getSpendRules: async (acct) => (isAway ? await away() : await card.getSpendRules(acct)),
  };
}

it('a temporary change that the card service makes late is on record once, before it is shown', async () => {
  const posted: string[][] = [];
  const world = await createActionWorld(redis(), {
    postTemporaryChange: async () => void posted.push(await world.stations()),
    timeLeft: async () => 60_000,
  });
  const { rules } = world.service;
  const made = { ...rules, DailySpendLimit: 450 };
  const card = { ...world.deps.card, putSpendRules: failing('unknown') };
  await performAction(raise, { ...world.deps, card, isLastAttempt: true });
  world.advance(150_000);
  await verifyAction(raise.id, world.deps);
  world.service.rules = made;

  await endTemporaryChange(raise.id, world.deps);
  await endTemporaryChange(raise.id, world.deps);

  expect(await world.stations()).toEqual(['asked', 'sent', 'unknown', 'unconfirmed', 'confirmed']);
  expect((await world.records()).at(-1)).toMatchObject({
    actionId: raise.id,
    actor: null,
    verb: 'limit',
    before: 'daily limit $400.00',
    after: 'daily limit $450.00',
    confirmedBy: 'read-back',
  });
  expect(posted.map((stations) => stations.at(-1))).toEqual(['confirmed']);
});

it('a temporary change that is made late is confirmed on its alert, and can be taken back there', async () => {
  const world = await createActionWorld(redis(), { timeLeft: async () => 60_000 });
  const onAlert = ask('limit', { changeRequest: { goals: [limitGoal('daily', 45_000)], term: forAnHour } });
  const card = { ...world.deps.card, putSpendRules: failing('unknown') };
  await performAction(onAlert, { ...world.deps, card, isLastAttempt: true });
  world.advance(150_000);
  await verifyAction(onAlert.id, world.deps);
  expect(world.shown.at(-1)?.confirmation).toBe('unconfirmed');
  const answered = world.answers.length;
  world.service.rules = { ...world.service.rules, DailySpendLimit: 450 };

  await endTemporaryChange(onAlert.id, world.deps);

  const alert = await world.deps.alerts.get('evt_0123456789abcdef');
  expect(alert?.outcomes).toMatchObject([
    { state: 'done', confirmation: 'confirmed', control: { kind: 'revert', id: onAlert.id } },
  ]);
  expect(world.answers).toHaveLength(answered);
});
