import { describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { approvalClick, askedToPay, override, toPay } from '../../support/asked-for-more.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { crashAtStep, Killed } from '../../support/crash-at.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { memoryRedis } from '../../support/memory-redis.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type PerformWorld,
  performAction,
  verbsOf,
  verifyAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const permanent: Term = { kind: 'permanent' };
const forAnHour: Term = { kind: 'duration', ms: 3_600_000 };
const MINUTE = 60_000;

const away = (): never => {
  throw unanswered();
};

/** Olga sets the daily limit. */
const set = (cents: number, id: string, term: Term = permanent, askedAt = '2026-11-20T15:00:00.000Z'): VerbAction =>
  ask('limit', { ...byCommand, id, changeRequest: { goals: [limitGoal('daily', cents)], term }, askedAt });

/** Minutes pass, in which changes are looked at as workers do. */
async function pass({ advance }: PerformWorld, minutes: number, deps: WorldDeps): Promise<void> {
  for (let halves = 0; halves < minutes * 2; halves++) {
    advance(MINUTE / 2);
    for (const { action } of await deps.progress.awaited()) await verifyAction(action.id, deps);
    for (const { id, certainty } of await deps.temporaryChanges.all())
      if (certainty === 'unconfirmed') await verbsOf(deps).endTemporaryChange(id);
  }
}

/** The call of an action never arrives, and gets no answer. */
async function lose(action: VerbAction, deps: WorldDeps): Promise<void> {
  await performAction(action, { ...deps, isLastAttempt: true, card: { ...deps.card, putSpendRules: away } });
}

/** Temporary changes end when their time is over. */
async function worldOf(over: Partial<WorldDeps> = {}): Promise<PerformWorld> {
  const world: PerformWorld = await createActionWorld(redis(), {
    timeLeft: async (moment) => Date.parse(moment) - world.deps.now().getTime(),
    ...over,
  });
  return world;
}

const raisesIn = async (world: PerformWorld) =>
  (await world.deps.recentRaises.list({ acctId }, world.deps.now().getTime())).map(({ actionId }) => actionId);
const askedAt = ({ deps }: PerformWorld): string => deps.now().toISOString();

describe.each([
  ['permanent', permanent],
  ['temporary', forAnHour],
])('a %s raise whose call was lost', (_kind, term) => {
  it.each([12, 23 * 60])('does not stop the same person from trying again after %s minutes', async (minutes) => {
    const world = await worldOf();
    await lose(set(130_000, 'act_lost', term), world.deps);
    await pass(world, 12, world.deps);
    world.advance((minutes - 12) * MINUTE);

    await performAction(set(130_000, 'act_again', term, askedAt(world)), world.deps);

    expect(world.writes).toEqual(['limit 1300']);
    expect(new Set(await raisesIn(world))).toEqual(new Set(['act_again']));
  });

  it.each([1, 3])('is added to another try after %s minutes as one that may have been made', async (minutes) => {
    const world = await worldOf();
    await lose(set(130_000, 'act_lost', term), world.deps);
    await pass(world, minutes, world.deps);

    await performAction(set(130_000, 'act_again', term, askedAt(world)), world.deps);

    expect((await world.deps.requests.get('req_again'))?.counted?.earlier).toEqual([
      { by: 'U0OLGA', at: '2026-11-20T15:00:00.000Z', cents: 90_000, isUnsure: true },
    ]);
  });

  it('counts no more once another try has set the same limit', async () => {
    const world = await worldOf();
    await lose(set(80_000, 'act_lost', term), world.deps);
    await pass(world, 1, world.deps);
    await performAction(set(80_000, 'act_again', term, askedAt(world)), world.deps);
    expect(world.writes).toEqual(['limit 800']);

    await pass(world, 12, world.deps);

    expect(new Set(await raisesIn(world))).toEqual(new Set(['act_again']));
    expect(await world.deps.progress.awaited()).toEqual([]);
  });

  it('is no longer among the raises once it can no longer be made, and until then it is', async () => {
    const world = await worldOf();
    await lose(set(130_000, 'act_lost', term), world.deps);

    await pass(world, 9, world.deps);
    expect(new Set(await raisesIn(world))).toEqual(new Set(['act_lost']));
    await pass(world, 3, world.deps);

    expect(await raisesIn(world)).toEqual([]);
    expect(await world.deps.progress.awaited()).toEqual([]);
    expect(await world.stations()).toEqual(['asked', 'sent', 'unknown', 'unconfirmed']);
  });

  it('counts if the card service makes it in minute 3, and people are told', async () => {
    const world = await worldOf();
    await lose(set(130_000, 'act_lost', term), world.deps);
    await pass(world, 3, world.deps);
    expect(world.direct.map(({ text }) => text)).toEqual([
      expect.stringContaining('Still not confirmed after 2 minutes.'),
    ]);

    world.service.rules = { ...world.service.rules, DailySpendLimit: 1300 };
    await pass(world, 12, world.deps);

    expect(new Set(await raisesIn(world))).toEqual(new Set(['act_lost']));
    expect(world.direct.map(({ text }) => text).slice(1)).toEqual([expect.stringContaining('It was made after all.')]);
    expect((await world.records()).at(-1)).toMatchObject({
      event: 'confirmed',
      actor: null,
      detail: 'made late: found in effect after nothing had shown it',
      confirmedBy: 'read-back',
    });
    await performAction(set(150_000, 'act_more', permanent, askedAt(world)), world.deps);
    expect((await world.deps.requests.get('req_more'))?.counted?.earlier).toMatchObject([
      { by: 'U0OLGA', cents: 90_000 },
    ]);
  });
});

it('a raise that was made, but that nothing could show, counts with the next one from its value', async () => {
  const world = await worldOf();
  let isAway = true;
  const { card } = world.deps;
  const deps: WorldDeps = {
    ...world.deps,
    card: {
      ...card,
      async putSpendRules(...args) {
        await card.putSpendRules(...args);
        away();
      },
      getSpendRules: async (...args) =>
        isAway && world.writes.length > 0 ? away() : await card.getSpendRules(...args),
    },
  };
  await performAction(set(130_000, 'act_lost'), { ...deps, isLastAttempt: true });
  await pass(world, 3, deps);
  isAway = false;

  await performAction(set(195_000, 'act_more', permanent, askedAt(world)), deps);

  const request = await world.deps.requests.get('req_more');
  expect(request).toMatchObject({ state: 'open', counted: { ownCents: 65_000, earlier: [{ cents: 90_000 }] } });
  expect(request?.counted?.earlier[0]).not.toHaveProperty('isUnsure');
});

it.each([
  ['permanent', permanent],
  ['temporary', forAnHour],
])('a %s raise that may have been made counts as one, if somebody has changed the limit since', async (_kind, term) => {
  const world = await worldOf();
  await lose(set(130_000, 'act_lost', term), world.deps);
  await pass(world, 3, world.deps);
  world.service.rules = { ...world.service.rules, DailySpendLimit: 500 };

  await performAction(set(140_000, 'act_more', permanent, askedAt(world)), world.deps);

  expect((await world.deps.requests.get('req_more'))?.counted?.earlier).toMatchObject([
    { by: 'U0OLGA', cents: 90_000, isUnsure: true },
  ]);
  await pass(world, 12, world.deps);
  expect(await raisesIn(world), 'it may have been made before somebody changed it').toContain('act_lost');
});

it.each([
  ['permanent', permanent],
  ['temporary', forAnHour],
])('a lost %s raise of a card that follows a ruleset still counts, because nobody can tell', async (_kind, term) => {
  const world = await worldOf();
  const ruleset = { id: 7, name: null, mayOverrule: true };
  const toFacts: WorldDeps['toFacts'] = (...args) => ({ ...world.deps.toFacts(...args), ruleset });
  await lose(set(130_000, 'act_lost', term), { ...world.deps, toFacts });

  await pass(world, 15, world.deps);

  expect(new Set(await raisesIn(world))).toEqual(new Set(['act_lost']));
  expect(await world.deps.progress.awaited()).toEqual([]);
});

it('a lost raise that is made after the change that followed it still counts', async () => {
  const world = await worldOf();
  await lose(set(130_000, 'act_lost'), world.deps);
  await pass(world, 3, world.deps);
  await performAction(set(50_000, 'act_less', permanent, askedAt(world)), world.deps);
  world.service.rules = { ...world.service.rules, DailySpendLimit: 1300 };

  await pass(world, 12, world.deps);

  expect(await raisesIn(world)).toEqual(expect.arrayContaining(['act_lost', 'act_less']));
});

it('a raise is not forgotten while the card cannot be read', async () => {
  const world = await worldOf();
  await lose(set(130_000, 'act_lost'), world.deps);
  const blind = { ...world.deps, card: { ...world.deps.card, getSpendRules: async () => away() } };

  await pass(world, 20, blind);
  expect(new Set(await raisesIn(world))).toEqual(new Set(['act_lost']));
  await pass(world, 1, world.deps);

  expect(await raisesIn(world)).toEqual([]);
});

describe('a request whose approval was lost', () => {
  it.each([1, 3, 12])('is approved by the same approver again, after %s minutes', async (minutes) => {
    const world = await worldOf();
    const { deps } = await askedToPay(world, 60_000);
    world.advance(REQUEST_OVERDUE_MS);
    await lose(approvalClick('act_ben', 'U0BEN'), deps);
    await pass(world, minutes, deps);

    await performAction({ ...approvalClick('act_ben2', 'U0BEN'), askedAt: askedAt(world) }, deps);

    expect(await world.deps.requests.get('req_ask1')).toMatchObject({ state: 'approved', needed: 1 });
    await pass(world, 12, deps);
    expect(new Set(await raisesIn(world))).toEqual(new Set(['act_ben2']));
    expect(world.writes).toEqual(['limit 1000']);
  });

  it('is approved again by the same approver under a cap that the amount twice would exceed', async () => {
    const none = { dayCents: null, monthCents: null };
    const policy = approvalPolicyOf({ twoPersonAboveCents: 100_000 });
    const caps = { person: { ...none, dayCents: 100_000 }, card: none, program: none };
    const world = await worldOf({ policyFor: () => ({ ...policy, caps }) });
    const { deps } = await askedToPay(world, 60_000);
    world.advance(REQUEST_OVERDUE_MS);
    await lose(approvalClick('act_ben', 'U0BEN'), deps);
    await pass(world, 3, deps);

    await performAction({ ...approvalClick('act_ben2', 'U0BEN'), askedAt: askedAt(world) }, deps);

    expect(await world.deps.requests.get('req_ask1')).toMatchObject({ state: 'approved', needed: 1 });
  });

  it('counts once with the holder’s next request', async () => {
    const world = await worldOf();
    const { deps } = await askedToPay(world, 60_000);
    world.advance(REQUEST_OVERDUE_MS);
    await lose(approvalClick('act_ben', 'U0BEN'), deps);
    await pass(world, 1, deps);
    await performAction({ ...approvalClick('act_ben2', 'U0BEN'), askedAt: askedAt(world) }, deps);
    await pass(world, 12, deps);

    await performAction({ ...toPay(60_000), id: 'act_ask2', askedAt: askedAt(world) }, deps);

    expect((await world.deps.requests.get('req_ask2'))?.counted?.earlier).toMatchObject([{ cents: 60_000 }]);
  });

  it('is decided when its change is found in minute 3, and its holder is told', async () => {
    const world = await worldOf();
    const asked = ask('ask', { ...toPay(60_000), ask: { amountCents: 60_000, term: permanent } });
    const hugo = await askedToPay(world, 1);
    await performAction({ ...asked, id: 'act_ask2' }, hugo.deps);
    world.advance(REQUEST_OVERDUE_MS);
    const click = ask('decide', {
      id: 'act_ben',
      target: { kind: 'request', requestId: 'req_ask2' },
      approve: true,
      actor: { userId: 'U0BEN', teamId: 'T1' },
      askedAt: askedAt(world),
    });
    await lose(click, hugo.deps);
    await pass(world, 3, hugo.deps);
    expect(hugo.told().at(-1)).toContain('has not confirmed it');

    world.service.rules = { ...world.service.rules, DailySpendLimit: 1000 };
    await pass(world, 1, hugo.deps);

    expect(await world.deps.requests.get('req_ask2')).toMatchObject({ state: 'approved', decision: { by: 'U0BEN' } });
    expect(hugo.told().at(-1)).toContain('Approved by <@U0BEN>: you can pay $600.00 now');
  });
});

describe('an emergency override that was lost', () => {
  async function lost(minutes: number) {
    const world = await worldOf();
    const { deps } = await askedToPay(world, 60_000);
    world.advance(REQUEST_OVERDUE_MS + MINUTE);
    await lose(override, deps);
    await pass(world, minutes, deps);
    await performAction({ ...override, id: 'act_glass2', askedAt: askedAt(world) }, deps);
    return world;
  }

  it('may be used again once it can no longer be made', async () => {
    const world = await lost(12);

    expect((await world.deps.requests.get('req_ask1'))?.state).toBe('overridden');
    expect(world.writes).toEqual(['limit 1000']);
  });

  it('may not be used twice while it may still be made, and says until when', async () => {
    const world = await lost(3);

    expect(world.writes).toEqual([]);
    expect(world.answers.at(-1)?.text).toContain(
      'The emergency override was already used for this card in the last 24 hours. If it was certainly not made, it can be used again ten minutes later.',
    );
  });
});

it('is forgotten once, whenever the worker that forgets it is killed', async () => {
  const begin = async (killAt: number) => {
    const world = await createActionWorld(memoryRedis(() => new Date()));
    await lose(set(130_000, 'act_lost'), world.deps);
    await pass(world, 3, world.deps);
    world.advance(10 * MINUTE);
    return { world, ...crashAtStep(world.deps, killAt) };
  };
  const survey = await begin(Number.POSITIVE_INFINITY);
  await verifyAction('act_lost', survey.deps);

  for (const killAt of survey.life.distinct()) {
    const { world, deps, life } = await begin(killAt);
    await expect(verifyAction('act_lost', deps)).rejects.toThrow(Killed);
    expect(await verifyAction('act_lost', world.deps), String(life.diedAt())).toBeNull();
    expect(await raisesIn(world), String(life.diedAt())).toEqual([]);
    expect(await world.deps.progress.awaited(), String(life.diedAt())).toEqual([]);
  }
  expect(survey.life.points()).toBeGreaterThan(5);
});
