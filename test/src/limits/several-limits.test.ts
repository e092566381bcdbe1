import { describe, expect, it } from 'vitest';
import type { LimitPeriod } from '../../../src/card-api/rule.ts';
import type { LimitGoal, Term } from '../../../src/card-api/rule-change.ts';
import { CardApiError } from '../../../src/core/errors.ts';
import { approvedChanges } from '../../../src/digests/approved-changes.ts';
import type { VerbAction } from '../../../src/dispatch/verbs.ts';
import { REQUEST_OVERDUE_MS } from '../../../src/policy/decide-action.ts';
import { refusal, unanswered } from '../../support/card-api-errors.ts';
import { crashAtStep, Killed } from '../../support/crash-at.ts';
import { killEverywhere } from '../../support/kill-everywhere.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { memoryRedis } from '../../support/memory-redis.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type Over,
  type PerformWorld,
  performAction,
  type WorldDeps,
} from '../../support/perform-world.ts';

const redis = useRedis();
const HOUR = 3_600_000;
const forHours = (hours: number): Term => ({ kind: 'duration', ms: hours * HOUR });
const permanent: Term = { kind: 'permanent' };

/** Overall limits in dollars. The card of these tests has 400 a day and 2,000 a month. */
function limits(dollars: Partial<Record<LimitPeriod, number>>): LimitGoal[] {
  return Object.entries(dollars).map(([period, amount]) => limitGoal(period as LimitPeriod, amount * 100));
}

const raise = (dollars: Partial<Record<LimitPeriod, number>>, term: Term, over: Over = {}) =>
  ask('limit', { changeRequest: { goals: limits(dollars), term }, ...over });
const both = raise({ daily: 450, monthly: 2100 }, forHours(1));
const revert = ask('revert', {
  ...byCommand,
  id: 'act_back1',
  target: { kind: 'temporary-change', temporaryChangeId: both.id },
  actor: { userId: 'U0BEN', teamId: 'T1' },
});

const limitsOf = ({ service }: PerformWorld) => [service.rules['DailySpendLimit'], service.rules['MonthlySpendLimit']];
const openTemporaryChanges = async ({ deps }: PerformWorld) =>
  (await deps.temporaryChanges.all()).filter(({ state }) => state === 'open');
const added = async ({ deps }: PerformWorld) =>
  await Promise.all(
    ['limit:daily:', 'limit:monthly:'].map(async (rule) =>
      (await deps.recentRaises.list({ acctId }, deps.now().getTime()))
        .filter((kept) => kept.rule === rule)
        .reduce((total, { cents }) => total + (cents ?? 0), 0),
    ),
  );

it.each<[string, Term, RegExp]>([
  ['for an hour', forHours(1), /\$450\.00; monthly limit .*\$2,100\.00, for 1 hour, <!date\^\d+\^until /],
  ['for one purchase', { kind: 'purchase' }, /, for one purchase only, at most 15 minutes, <!date\^\d+\^until /],
  ['until the end of a day', { kind: 'day', day: '2026-11-20' }, /, to the end of Nov 20, 2026, Eastern time\./],
  ['for good', permanent, /, permanently\./],
])('the audit channel reads how long a change lasts that was made %s', async (_how, term, words) => {
  const lines: string[] = [];
  const world = await createActionWorld(redis(), {
    postAuditLine: async (_id, { text }) => void lines.push(text),
  });

  await performAction(raise({ daily: 450, monthly: 2100 }, term), world.deps);

  expect(lines).toEqual([expect.stringMatching(words)]);
});

describe.each([
  ['by a button', {}],
  ['by a command', byCommand],
])('two limits raised for an hour %s, with the worker killed at any step', (_how, over) => {
  const action = { ...both, ...over } as VerbAction;

  it('are one write and one temporary change, each counted once and reported together', async () => {
    const steps = await killEverywhere(
      action,
      ({ deps }) => deps,
      async (world, diedAt) => {
        expect(world.writes, diedAt).toEqual(['limit 450']);
        expect(limitsOf(world), diedAt).toEqual([450, 2100]);
        expect((await world.stations()).slice(0, 3), diedAt).toEqual(['asked', 'sent', 'done']);
        expect(await openTemporaryChanges(world), diedAt).toMatchObject([
          { id: action.id, changes: [{ from: 40_000 }, { from: 200_000 }] },
        ]);
        expect(await added(world), diedAt).toEqual([5000, 10_000]);
        expect(world.auditLines, diedAt).toEqual([`audit-${action.id}-done`]);
        expect(await world.deps.progress.awaited(), diedAt).toEqual([]);
        expect(world.opsIssues, diedAt).toEqual([]);
      },
    );

    expect(steps).toBeGreaterThan(30);
  });
});

it('a lost answer, with the worker killed at any step: the change is read back and never sent twice', async () => {
  const lost = ({ deps }: PerformWorld): WorldDeps => ({
    ...deps,
    card: {
      ...deps.card,
      putSpendRules: async (...args) => {
        await deps.card.putSpendRules(...args);
        throw unanswered();
      },
    },
  });

  await killEverywhere(both, lost, async (world, diedAt) => {
    expect(world.writes, diedAt).toEqual(['limit 450']);
    expect(await world.stations(), diedAt).toEqual(['asked', 'sent', 'done']);
    expect(await openTemporaryChanges(world), diedAt).toHaveLength(1);
  });
});

describe('two limits that go back, with the worker killed at any step', () => {
  const raised = async ({ deps }: PerformWorld): Promise<WorldDeps> => {
    await performAction(both, deps);
    return deps;
  };

  it('restores both with one write when reverted early', async () => {
    const steps = await killEverywhere(revert, raised, async (world, diedAt) => {
      expect(world.writes, diedAt).toEqual(['limit 450', 'limit 400']);
      expect(limitsOf(world), diedAt).toEqual([400, 2000]);
      expect((await world.deps.temporaryChanges.get(both.id))?.state, diedAt).toBe('ended');
      expect(await world.stations(), diedAt).toEqual(['asked', 'sent', 'done', 'asked', 'ended']);
      expect(world.auditLines, diedAt).toEqual([`audit-${both.id}-done`, `audit-${both.id}-ended`]);
      expect(world.answers, diedAt).toEqual([]);
    });

    expect(steps).toBeGreaterThan(15);
  });

  it('restores both with one write when due', async () => {
    for (let killAt = 1; ; killAt += 1) {
      const world = await createActionWorld(memoryRedis(() => new Date()));
      await raised(world);
      const { deps, life } = crashAtStep(world.deps, killAt);
      const finished = await endTemporaryChange(both.id, deps).catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
        return 'killed' as const;
      });
      if (finished === null) {
        expect(life.points()).toBeGreaterThan(15);
        return;
      }
      await endTemporaryChange(both.id, world.deps);

      expect(world.writes, life.diedAt() ?? '').toEqual(['limit 450', 'limit 400']);
      expect(limitsOf(world), life.diedAt() ?? '').toEqual([400, 2000]);
      expect(await world.stations(), life.diedAt() ?? '').toEqual(['asked', 'sent', 'done', 'ended']);
      expect(world.auditLines, life.diedAt() ?? '').toContain(`audit-${both.id}-ended`);
    }
  });
});

describe('limits that someone changed in the meantime', () => {
  it.each([
    ['one of them: the other goes back at once', { MonthlySpendLimit: 3000 }, 'asking', [400, 3000]],
    [
      'one of them, above what the other would go back to: nothing changes without an approver',
      { DailySpendLimit: 2050 },
      'asking',
      [2050, 2100],
    ],
    ['both', { DailySpendLimit: 100, MonthlySpendLimit: 3000 }, 'asking', [100, 3000]],
    ['one of them back to its old value: overwrites nothing of theirs', { DailySpendLimit: 400 }, 'ended', [400, 2000]],
    ['both back to their old values', { DailySpendLimit: 400, MonthlySpendLimit: 2000 }, 'ended', [400, 2000]],
    ['something else', { WeeklySpendLimit: 1000 }, 'ended', [400, 2000]],
  ])('%s', async (_what, rules, state, left) => {
    const world = await createActionWorld(redis());
    await performAction(both, world.deps);
    Object.assign(world.service.rules, rules);

    await endTemporaryChange(both.id, world.deps);

    expect((await world.deps.temporaryChanges.get(both.id))?.state).toBe(state);
    expect(limitsOf(world)).toEqual(left);
  });

  it('are restored on request, but Cardbell asks again if they changed once more before that', async () => {
    const world = await createActionWorld(redis());
    await performAction(both, world.deps);
    Object.assign(world.service.rules, { MonthlySpendLimit: 3000 });
    await endTemporaryChange(both.id, world.deps);
    const decide = (id: string) =>
      ask('complete-temporary-change', { ...revert, id, verb: 'complete-temporary-change', restore: true });

    Object.assign(world.service.rules, { MonthlySpendLimit: 3500 });
    await performAction(decide('act_yes1'), world.deps);
    expect(limitsOf(world)).toEqual([400, 3500]);
    await performAction(decide('act_yes2'), world.deps);

    expect(limitsOf(world)).toEqual([400, 2000]);
  });

  it('*Take back now* takes back the others and says so', async () => {
    const world = await createActionWorld(redis());
    await performAction(both, world.deps);
    Object.assign(world.service.rules, { MonthlySpendLimit: 3000 });

    await performAction(revert, world.deps);

    expect(limitsOf(world)).toEqual([400, 3000]);
    expect((await world.records()).find(({ event }) => event === 'waiting')?.detail).toContain(
      'Back already: daily limit $400.00.',
    );
    expect(JSON.stringify(world.answers)).toContain(
      'Back already: daily limit $400.00. Somebody changed the monthly limit or the card’s ruleset meanwhile',
    );
    expect(JSON.stringify([world.answers, world.auditLines])).not.toMatch(/nothing changed/i);
  });

  it.each([true, false])(
    '*Take back now* does not claim that nothing changed if the answer is lost (made: %s)',
    async (isMade) => {
      const world = await createActionWorld(redis());
      await performAction(both, world.deps);
      Object.assign(world.service.rules, { MonthlySpendLimit: 3000 });
      const { getSpendRules } = world.deps.card;
      let isAway = false;
      const card: WorldDeps['card'] = {
        ...world.deps.card,
        putSpendRules: async (...args) => {
          if (isMade) await world.deps.card.putSpendRules(...args);
          isAway = true;
          throw unanswered({ outcome: 'unknown', code: 'timeout' });
        },
        getSpendRules: async (...args) => {
          if (isAway) throw unanswered();
          return await getSpendRules(...args);
        },
      };

      await performAction(revert, { ...world.deps, card, isLastAttempt: true });

      expect(limitsOf(world)).toEqual([isMade ? 400 : 450, 3000]);
      expect(world.answers.at(-1)?.text).toContain('Not certain');
      expect(world.answers.at(-1)?.text).not.toContain('Nothing changed');
      expect((await world.stations()).at(-1)).toBe('unknown');
    },
  );

  it('the others wait, too, if the card service keeps refusing to put them back alone', async () => {
    const world = await createActionWorld(redis());
    await performAction(both, world.deps);
    Object.assign(world.service.rules, { MonthlySpendLimit: 3000 });
    const putSpendRules = async (): Promise<never> => {
      throw refusal();
    };

    const deps = { ...world.deps, card: { ...world.deps.card, putSpendRules } };
    for (const refusals of [1, 2, 3, 4]) {
      expect(await endTemporaryChange(both.id, deps)).toBe(60_000);
      expect(await deps.temporaryChanges.get(both.id)).toMatchObject({ state: 'open', refusals });
    }
    expect(await endTemporaryChange(both.id, deps)).toBeNull();

    expect(await world.deps.temporaryChanges.get(both.id)).toMatchObject({
      state: 'asking',
      meanwhile: [{ to: 45_000 }, { to: 300_000 }],
    });
  });

  it('the others go back at the next attempt if the card service refuses them once', async () => {
    const world = await createActionWorld(redis());
    await performAction(both, world.deps);
    world.service.rules = { ...world.service.rules, MonthlySpendLimit: 3000 };
    const putSpendRules = async (): Promise<never> => {
      throw refusal('Conflict', { status: 409 });
    };
    await endTemporaryChange(both.id, { ...world.deps, card: { ...world.deps.card, putSpendRules } });
    await endTemporaryChange(both.id, world.deps);

    expect(limitsOf(world)).toEqual([400, 3000]);
    expect(await world.deps.temporaryChanges.get(both.id)).toMatchObject({
      state: 'asking',
      meanwhile: [{ to: 40_000 }, { to: 300_000 }],
    });
  });
});

describe('a later change of some of the same limits', () => {
  /** The card's limits after each temporary change ended, in order of the ends. */
  async function after(...actions: readonly VerbAction[]) {
    const world = await createActionWorld(redis());
    for (const action of actions) await performAction(action, world.deps);
    const seen = [limitsOf(world)];
    const byEnd = (await openTemporaryChanges(world)).toSorted((one, other) => one.endsAt.localeCompare(other.endsAt));
    for (const { id } of byEnd) {
      await endTemporaryChange(id, world.deps);
      seen.push(limitsOf(world));
    }
    expect(await openTemporaryChanges(world)).toEqual([]);
    expect(await world.deps.temporaryChanges.all()).toEqual([]);
    return seen;
  }
  const later = { id: 'act_limit2' };

  it.each<[string, VerbAction[], (number | null)[][]]>([
    [
      'longer than both: it goes back to the value before both, they to the rest',
      [both, raise({ daily: 500 }, forHours(4), later)],
      [
        [500, 2100],
        [500, 2000],
        [400, 2000],
      ],
    ],
    [
      'shorter than both: each goes back to its own previous value',
      [raise({ daily: 450, monthly: 2100 }, forHours(4)), raise({ daily: 500 }, forHours(1), later)],
      [
        [500, 2100],
        [450, 2100],
        [400, 2000],
      ],
    ],
    [
      'both, after one of them alone, for longer',
      [raise({ daily: 450 }, forHours(1)), raise({ daily: 500, monthly: 2100 }, forHours(4), later)],
      [
        [500, 2100],
        [400, 2000],
      ],
    ],
    [
      'both again, for longer',
      [both, raise({ daily: 500, monthly: 2200 }, forHours(4), later)],
      [
        [500, 2200],
        [400, 2000],
      ],
    ],
    [
      'permanent: only the other one goes back',
      [both, raise({ daily: 450 }, permanent, later)],
      [
        [450, 2100],
        [450, 2000],
      ],
    ],
    [
      'both permanent: nothing goes back',
      [both, raise({ daily: 450, monthly: 2100 }, permanent, later)],
      [[450, 2100]],
    ],
    [
      'the same amounts for longer: they last longer and go back together',
      [both, raise({ daily: 450, monthly: 2100 }, forHours(4), later)],
      [
        [450, 2100],
        [400, 2000],
      ],
    ],
    [
      'one unchanged, the other higher, for longer',
      [both, raise({ daily: 450, monthly: 2300 }, forHours(4), later)],
      [
        [450, 2300],
        [400, 2000],
      ],
    ],
  ])('%s', async (_what, actions, seen) => {
    expect(await after(...actions)).toEqual(seen);
  });
});

describe('one of several temporary limits made permanent', () => {
  /**
   * $400 a day and $600 a week, more for an hour, the week $700. Then the given limits are permanent, and the hour is over.
   */
  async function keeping(daily: number, dollars: Partial<Record<LimitPeriod, number>>) {
    const world = await createActionWorld(redis());
    Object.assign(world.service.rules, { WeeklySpendLimit: 600 });
    await performAction(raise({ daily, weekly: 700 }, forHours(1)), world.deps);
    await performAction(raise(dollars, permanent, { id: 'act_limit2' }), world.deps);
    await endTemporaryChange(both.id, world.deps);
    const { DailySpendLimit, WeeklySpendLimit } = world.service.rules;
    const alert = await world.deps.alerts.get('evt_0123456789abcdef');
    const temporaryChange = await world.deps.temporaryChanges.get(both.id);
    return {
      left: [DailySpendLimit, WeeklySpendLimit],
      state: temporaryChange?.state,
      said: JSON.stringify(alert?.outcomes),
      world,
    };
  }

  it.each<[string, number, Partial<Record<LimitPeriod, number>>, number[], string]>([
    [
      'higher than the other was: that would stay raised as well, so nothing changes',
      700,
      { daily: 650 },
      [400, 600],
      'The daily limit of $650.00 would be above the weekly limit, $600.00.',
    ],
    [
      'unchanged: the same',
      700,
      { daily: 700 },
      [400, 600],
      'The daily limit of $700.00 would be above the weekly limit, $600.00.',
    ],
    ['lower than the other was: that goes back to its old value', 700, { daily: 500 }, [500, 600], ''],
    [
      'with another that was not temporary: mentions only the one',
      550,
      { daily: 550, monthly: 2100 },
      [550, 600],
      'The daily limit was temporary; now it is permanent.',
    ],
    [
      'both: mentions both',
      700,
      { daily: 700, weekly: 700 },
      [700, 700],
      'The daily limit and weekly limit were temporary; now they stay until they are changed.',
    ],
  ])('%s', async (_what, daily, dollars, left, said) => {
    const kept = await keeping(daily, dollars);

    expect(kept.left).toEqual(left);
    expect(['ended', 'superseded']).toContain(kept.state);
    expect(kept.said).toContain(said);
  });

  it('is a raise from what it would have gone back to: on the alert, on record and in a digest', async () => {
    const { world, said } = await keeping(550, { daily: 550, monthly: 2100 });

    const moved = {
      before: 'daily limit $400.00; monthly limit $2,000.00',
      after: 'daily limit $550.00; monthly limit $2,100.00',
    };
    expect(said).toContain('Daily limit $400.00 → $550.00; monthly limit $2,000.00 → $2,100.00');
    const ofSecond = (await world.records()).filter(({ actionId }) => actionId === 'act_limit2');
    expect(ofSecond.find(({ event }) => event === 'done')).toMatchObject(moved);
    const raises = await approvedChanges(world.deps.audit, 0, Number.MAX_SAFE_INTEGER);
    expect(raises.map(({ cents, duration }) => [cents, duration])).toEqual([
      [15_000, 'for 1 hour'],
      [15_000, null],
    ]);
  });
});

describe('a longer limit that two approvers raised for a day', () => {
  const holder = { userId: 'U0HUGO', teamId: 'T1' };
  const at = (dollars: Partial<Record<LimitPeriod, number | null>>) => ({
    DailySpendLimit: null,
    WeeklySpendLimit: null,
    ...Object.fromEntries(
      Object.entries(dollars).map(([period, amount]) => [
        `${period[0]?.toUpperCase()}${period.slice(1)}SpendLimit`,
        amount,
      ]),
    ),
  });

  /** $2,000 a month, $20,000 or no limit for a day. Meanwhile the holder, who is an approver, types these, one after another. */
  async function raised(
    monthly: number | null,
    typed: readonly (readonly [period: LimitPeriod, dollars: number, term: Term])[],
  ) {
    const world = await createActionWorld(redis());
    Object.assign(world.service.rules, at({}));
    await world.deps.links.link({
      acctId,
      userId: holder.userId,
      provedBy: 'approver',
      by: 'U0ANA',
      at: world.deps.now().toISOString(),
    });
    const goals = [limitGoal('monthly', monthly === null ? null : monthly * 100)];
    await performAction(ask('limit', { ...byCommand, changeRequest: { goals, term: forHours(24) } }), world.deps);
    const target = { kind: 'request', requestId: 'req_limit1' } as const;
    const actor = { userId: 'U0BEN', teamId: 'T1' };
    await performAction(ask('decide', { ...byCommand, id: 'act_yes', actor, approve: true, target }), world.deps);
    expect(world.service.rules).toMatchObject(at({ monthly }));
    for (const [index, [period, dollars, term]] of typed.entries()) {
      const changeRequest = { goals: [limitGoal(period, dollars * 100)], term };
      const over = {
        ...byCommand,
        id: `act_typed${index}`,
        actor: holder,
        askedAt: world.deps.now().toISOString(),
        changeRequest,
      };
      await performAction(ask('limit', over), world.deps);
      world.advance(HOUR / 2);
    }
    const during = { ...world.service.rules };
    for (;;) {
      const [next] = await openTemporaryChanges(world);
      if (next === undefined) return { during, rules: world.service.rules, world };
      world.advance(Math.max(0, Date.parse(next.endsAt) - world.deps.now().getTime()));
      await endTemporaryChange(next.id, world.deps);
    }
  }

  it.each<[string, number | null, readonly (readonly [LimitPeriod, number, Term])[]]>([
    ['for good', 20_000, [['daily', 15_000, permanent]]],
    ['for longer than that', 20_000, [['weekly', 15_000, forHours(48)]]],
    [
      'first for an hour, then for longer',
      20_000,
      [
        ['daily', 15_000, forHours(1)],
        ['daily', 15_000, forHours(48)],
      ],
    ],
    [
      'first for an hour, then for good',
      20_000,
      [
        ['daily', 15_000, forHours(1)],
        ['daily', 15_000, permanent],
      ],
    ],
    [
      'for good, and others for a time',
      20_000,
      [
        ['weekly', 15_000, forHours(1)],
        ['daily', 14_000, permanent],
      ],
    ],
    ['for good, while the longer one is none', null, [['daily', 15_000, permanent]]],
  ])('goes back although somebody alone sets a shorter one that was none %s', async (_what, monthly, typed) => {
    const { rules } = await raised(monthly, typed);

    expect(rules).toMatchObject(at({ monthly: 2000 }));
  });

  it('lets a shorter one be set for good, no higher than what it goes back to', async () => {
    const lower = await raised(20_000, [['daily', 2000, permanent]]);

    expect(lower.rules).toMatchObject(at({ daily: 2000, monthly: 2000 }));
  });

  it('lets a shorter one be set higher for less time', async () => {
    const shorter = await raised(20_000, [['daily', 15_000, forHours(1)]]);

    expect(shorter.during).toMatchObject(at({ daily: 15_000, monthly: 20_000 }));
    expect(shorter.rules).toMatchObject(at({ monthly: 2000 }));
  });

  it('is such a raise also if nothing else changes, whether it stays or only lasts longer', async () => {
    const world = await createActionWorld(redis());
    await performAction(raise({ daily: 700 }, forHours(1)), world.deps);
    await performAction(raise({ daily: 700 }, forHours(4), { id: 'act_longer' }), world.deps);
    await performAction(raise({ daily: 700 }, permanent, { id: 'act_stays' }), world.deps);
    await performAction(raise({ daily: 700 }, permanent, { id: 'act_again' }), world.deps);

    const raises = await approvedChanges(world.deps.audit, 0, Number.MAX_SAFE_INTEGER);
    expect(raises.map(({ before, after, duration }) => [before, after, duration])).toEqual([
      ['daily limit $400.00', 'daily limit $700.00', 'for 1 hour'],
      ['daily limit $400.00', 'daily limit $700.00', 'for 4 hours'],
      ['daily limit $400.00', 'daily limit $700.00', null],
    ]);
  });
});

describe('the raise amount for one person', () => {
  const states = async (...actions: readonly VerbAction[]): Promise<string[]> => {
    const world = await createActionWorld(redis());
    const seen: string[] = [];
    for (const [index, action] of actions.entries()) {
      await performAction({ ...action, id: `act_limit${index}` }, world.deps);
      const open = await world.deps.requests.open();
      seen.push(open.some(({ id }) => id === `req_limit${index}`) ? 'waits' : 'done');
    }
    return seen;
  };

  it.each<[string, VerbAction[], string[]]>([
    ['each by the full amount, together', [raise({ daily: 1400, monthly: 3000 }, permanent)], ['done']],
    ['one by more, together with a small one', [raise({ daily: 401, monthly: 3000.01 }, permanent)], ['waits']],
    [
      'joined twice',
      [raise({ daily: 1300, monthly: 2900 }, permanent), raise({ daily: 1301, monthly: 3001 }, permanent)],
      ['done', 'waits'],
    ],
    [
      'alone first, then together',
      [raise({ daily: 1300 }, permanent), raise({ daily: 1401, monthly: 2010 }, permanent)],
      ['done', 'waits'],
    ],
    [
      'together first, then alone',
      [raise({ daily: 1300, monthly: 2900 }, permanent), raise({ monthly: 3001 }, permanent)],
      ['done', 'waits'],
    ],
    [
      'each to its full amount, separately and together',
      [raise({ daily: 900 }, permanent), raise({ daily: 1400, monthly: 3000 }, permanent)],
      ['done', 'done'],
    ],
    [
      'a temporary one made permanent, together with another',
      [raise({ daily: 1300 }, forHours(1)), raise({ daily: 1401, monthly: 2010 }, permanent)],
      ['done', 'waits'],
    ],
    [
      'one limit removed, together with another',
      [
        ask('limit', {
          changeRequest: {
            goals: [limitGoal('daily', 41_000), limitGoal('monthly', null)],
            term: permanent,
          },
        }),
      ],
      ['waits'],
    ],
  ])('%s', async (_what, actions, seen) => {
    expect(await states(...actions)).toEqual(seen);
  });
});

describe('a request for several limits', () => {
  const much = raise({ daily: 1500, monthly: 3500 }, forHours(4));
  const approveAction = (over: Over = {}): VerbAction =>
    ask('decide', {
      target: { kind: 'request', requestId: 'req_limit1' },
      approve: true,
      actor: { userId: 'U0BEN', teamId: 'T1' },
      ...over,
    });

  it('is the same request if repeated, but a separate one for other limits', async () => {
    const world = await createActionWorld(redis());
    await performAction(much, world.deps);
    await performAction({ ...much, id: 'act_limit2' }, world.deps);
    await performAction(raise({ daily: 1500 }, forHours(4), { id: 'act_limit3' }), world.deps);

    expect((await world.deps.requests.open()).map(({ id }) => id)).toEqual(['req_limit1', 'req_limit3']);
  });

  it('is carried out as lowered by the approver, as one temporary change', async () => {
    const world = await createActionWorld(redis());
    await performAction(much, world.deps);
    const changeRequest = { goals: limits({ daily: 1400, monthly: 3500 }), term: forHours(4) };

    await performAction(approveAction({ changeRequest }), world.deps);

    expect(limitsOf(world)).toEqual([1400, 3500]);
    expect(await openTemporaryChanges(world)).toMatchObject([
      { changes: [{ from: 40_000 }, { from: 200_000 }], requestId: 'req_limit1' },
    ]);
  });

  it('needs another approval if the approver raises one of them', async () => {
    const world = await createActionWorld(redis());
    await performAction(much, world.deps);
    const changeRequest = { goals: limits({ daily: 1400, monthly: 3600 }), term: forHours(4) };

    await performAction(approveAction({ changeRequest }), world.deps);

    expect(world.writes).toEqual([]);
    expect(await world.deps.requests.get('req_limit1')).toMatchObject({ state: 'open', needed: 2 });
  });

  it('raises each limit by no more than one person may allow in an emergency override', async () => {
    const world = await createActionWorld(redis());
    await performAction(raise({ daily: 1500, monthly: 2500 }, forHours(4)), world.deps);
    world.advance(REQUEST_OVERDUE_MS);
    const override = ask('emergency-override', {
      id: 'act_glass1',
      askedAt: world.deps.now().toISOString(),
      target: { kind: 'request', requestId: 'req_limit1' },
      actor: { userId: 'U0OTTO', teamId: 'T1' },
      roles: ['operator'],
    });

    await performAction(override, world.deps);

    expect(limitsOf(world)).toEqual([1400, 2500]);
  });
});

it('does not retry two limits over one that someone changed after the failed first attempt', async () => {
  const world = await createActionWorld(redis());
  const lost = async (): Promise<never> => {
    throw unanswered();
  };
  await expect(
    performAction(both, { ...world.deps, card: { ...world.deps.card, putSpendRules: lost } }),
  ).rejects.toThrow(CardApiError);

  await performAction(raise({ monthly: 2050 }, permanent, { ...byCommand, id: 'act_newer' }), world.deps);
  await performAction(both, world.deps);

  expect(limitsOf(world)).toEqual([400, 2050]);
  expect((await world.stations()).at(-1)).toBe('unknown');
  // The first attempt may still be made.
  expect(await openTemporaryChanges(world)).toMatchObject([{ certainty: 'unconfirmed' }]);
});

it('reverts the other of two limits whose answer was lost, although one was changed since', async () => {
  const world = await createActionWorld(redis());
  const unheard: WorldDeps['card']['putSpendRules'] = async (...args) => {
    await world.deps.card.putSpendRules(...args);
    throw unanswered();
  };
  const away = { ...world.deps.card, putSpendRules: unheard };
  const { getSpendRules } = world.deps.card;
  let reads = 0;
  const card: WorldDeps['card'] = {
    ...away,
    getSpendRules: async (...args) => (reads++ === 0 ? await getSpendRules(...args) : Promise.reject(unanswered())),
  };
  await expect(performAction(both, { ...world.deps, card })).rejects.toThrow(CardApiError);

  await performAction(raise({ monthly: 2050 }, permanent, { ...byCommand, id: 'act_newer' }), world.deps);
  await performAction(both, world.deps);
  expect(limitsOf(world)).toEqual([450, 2050]);
  await endTemporaryChange(both.id, world.deps);

  expect(limitsOf(world)).toEqual([400, 2050]);
});
