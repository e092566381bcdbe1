import { describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import type { RemainingLimits } from '../../../src/card-api/schema.ts';
import { toCardFacts } from '../../../src/directory/account.ts';
import { fromInForce } from '../../../src/limits/limits-in-force.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import { ask, byCommand, createActionWorld, performAction, type WorldDeps } from '../../support/perform-world.ts';

const redis = useRedis();
const permanent: Term = { kind: 'permanent' };
const anHour: Term = { kind: 'duration', ms: 3_600_000 };
const fiveHundredADay: RemainingLimits = {
  overall: [{ period: 'daily', limitCents: 50_000, remainingCents: 20_000 }],
  categories: [],
};

/** A card without limits of its own, whose ruleset allows $500 a day. */
async function setUp(
  getRemainingLimits: WorldDeps['card']['getRemainingLimits'] = async () => fiveHundredADay,
  { mayOverrule = true, rulesetId = 2 as number | null, isRead = true } = {},
) {
  const base = await createActionWorld(redis());
  base.service.rules = { IsActive: true, DailySpendLimit: null };
  const account = accountOf({ rulesetId });
  const deps: WorldDeps = {
    ...base.deps,
    card: { ...base.deps.card, getRemainingLimits },
    directory: directoryOf({ account: async () => account, current: async () => (isRead ? account : null) }),
    toFacts: (id, stored, which) => toCardFacts(id, stored, which),
    nameRuleset: async (card) =>
      card.ruleset == null ? card : { ...card, ruleset: { ...card.ruleset, name: 'Field crew', mayOverrule } },
  };
  const raise = async (toCents: number, { term = permanent, userId = 'U0OLGA', id = 'act_limit1' } = {}) => {
    const changeRequest = { goals: [limitGoal('daily', toCents)], term };
    await performAction(ask('limit', { ...byCommand, id, actor: { userId, teamId: 'T1' }, changeRequest }), deps);
  };
  const approve = async () => {
    const target = { kind: 'request', requestId: 'req_limit1', revision: 0 } as const;
    const actor = { userId: 'U0BEN', teamId: 'T1' };
    await performAction(ask('decide', { id: 'act_ben', target, actor, approve: true }), deps);
  };
  return { deps, raise, approve, writes: base.writes, answers: base.answers };
}

describe('a raise of a limit that the ruleset of the card has lower', () => {
  it('counts from the limit in force, so one approver alone cannot raise it by more than one may', async () => {
    const { deps, raise, writes } = await setUp();

    await raise(2_000_000);

    expect(writes).toEqual([]);
    const counted = { ownCents: 1_950_000 };
    expect(await deps.requests.open()).toMatchObject([{ needed: 2, counted, changes: [{ from: 50_000 }] }]);
  });

  it('is made once a second approver agrees', async () => {
    const { raise, approve, writes } = await setUp();

    await raise(2_000_000);
    await approve();

    expect(writes).toEqual(['limit 20000']);
  });

  it('is made at once if it is small, and counts with the next one', async () => {
    const { deps, raise, writes } = await setUp();

    await raise(140_000);

    expect(writes).toEqual(['limit 1400']);
    // Today, and from now on.
    expect(await deps.recentRaises.list('program', deps.now().getTime())).toMatchObject([
      { cents: 90_000 },
      { cents: 90_000 },
    ]);
  });

  it('counts from the limit in force also while a temporary change has raised the card’s own limit', async () => {
    const { deps, raise, writes } = await setUp();

    await raise(140_000, { term: anHour });
    await raise(200_000, { id: 'act_limit2', userId: 'U0ANA' });

    expect(writes).toEqual(['limit 1400']);
    expect(await deps.requests.open()).toMatchObject([{ needed: 2, counted: { ownCents: 150_000 } }]);
  });

  it.each([
    ['its ruleset is assumed not to overrule it', { mayOverrule: false }],
    ['it follows no ruleset', { rulesetId: null }],
  ])('counts from the card’s own limit if %s', async (_what, over) => {
    const { raise, writes } = await setUp(undefined, over);

    await raise(2_000_000);

    expect(writes).toEqual(['limit 20000']);
  });

  it('counts in full if the card service does not name the limits in force', async () => {
    const { deps, raise, writes } = await setUp(() => Promise.reject(refusal()));

    await raise(2_000_000);

    expect(writes).toEqual([]);
    expect(await deps.requests.open()).toMatchObject([{ needed: 2, counted: { ownCents: 2_000_000 } }]);
  });

  it('is tried again later if the card service does not answer', async () => {
    const { raise, writes } = await setUp(() => Promise.reject(unanswered()));

    await expect(raise(2_000_000)).rejects.toThrow('unavailable');

    expect(writes).toEqual([]);
  });

  it('is not made while the card service does not say which ruleset the card follows', async () => {
    const { raise, writes } = await setUp(undefined, { rulesetId: null, isRead: false });

    await expect(raise(2_000_000)).rejects.toThrow('the card service did not return whose card it is');

    expect(writes).toEqual([]);
  });
});

describe('the change from what is in force', () => {
  const travel = { id: 3, name: 'Travel & Lodging' };
  const ofCategory = { ...fiveHundredADay.overall[0], period: 'daily' as const, limitCents: 10_000, remainingCents: 0 };

  it.each([
    ['the limit in force if it is lower', limitChange('daily', 90_000, 95_000), fiveHundredADay, 50_000],
    ['the own limit if that is lower', limitChange('daily', 40_000, 95_000), fiveHundredADay, 40_000],
    ['the own limit if nothing else is in force', limitChange('weekly', 40_000, 95_000), fiveHundredADay, 40_000],
    ['no limit if there is none', limitChange('weekly', null, 95_000), fiveHundredADay, null],
    ['the own limit if nothing changes', limitChange('daily', 90_000, 90_000), fiveHundredADay, 90_000],
    ['the own limit of a card without a ruleset', limitChange('daily', 90_000, 95_000), null, 90_000],
    ['$0 if what is in force is not known', limitChange('daily', null, 95_000), 'unread' as const, 0],
    [
      '$0 if the service names only what remains',
      limitChange('daily', null, 95_000),
      { ...fiveHundredADay, overall: [{ period: 'daily' as const, limitCents: null, remainingCents: 700 }] },
      0,
    ],
    [
      'the limit of the same merchant category',
      limitChange('daily', null, 95_000, travel),
      { ...fiveHundredADay, categories: [{ ...ofCategory, id: null, name: 'travel &  lodging' }] },
      10_000,
    ],
    [
      'not that of another one',
      limitChange('daily', null, 95_000, travel),
      { ...fiveHundredADay, categories: [{ ...ofCategory, id: 4, name: 'Fuel' }] },
      null,
    ],
  ])('is relative to %s', (_what, change, enforced, from) => {
    expect(fromInForce(change, enforced)).toEqual({ ...change, from });
  });
});
