import { describe, expect, it } from 'vitest';
import type { Term } from '../../../src/card-api/rule-change.ts';
import { createPlanChange } from '../../../src/limits/plan-change.ts';
import type { RaiseAmounts } from '../../../src/limits/raise-amount.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { rulesOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

const permanent: Term = { kind: 'permanent' };
const now = (): Date => new Date('2026-11-20T15:00:00.000Z');

describe('planning a change', () => {
  const plan = async (
    goals: readonly ReturnType<typeof limitGoal>[],
    term: Term = permanent,
    at = now(),
    changesFromReturn: RaiseAmounts['changesFromReturn'] = async (changes) => [...changes],
  ) =>
    await createPlanChange({
      changesFromReturn,
      factsOf: async () => card,
      card: { getSpendRules: async () => ({ rules: rulesOf({ daily: 40_000, weekly: 50_000 }), raw: { a: 1 } }) },
      nameCategory: async () => ({ goals, term }),
      zone: 'America/New_York',
      now: () => at,
    })(ask('limit'), acctId);

  it('is impossible if the category is ambiguous', async () => {
    const plan = createPlanChange({
      changesFromReturn: async (changes) => [...changes],
      factsOf: async () => card,
      card: { getSpendRules: async () => ({ rules: rulesOf({}), raw: {} }) },
      nameCategory: async () => 'Which category?',
      zone: 'America/New_York',
      now,
    });

    expect(await plan(ask('limit'), acctId)).toEqual({ kind: 'impossible', card, changes: [], why: 'Which category?' });
  });

  it('accepts the day that begins now as the earliest end', async () => {
    const midnight = new Date('2026-11-20T05:00:00.000Z');

    expect(await plan([limitGoal('daily', 45_000)], { kind: 'day', day: '2026-11-19' }, midnight)).toMatchObject({
      isOver: true,
      against:
        'It was to last to the end of Nov 19, 2026, Eastern time, and that has passed. Ask again with a later end.',
    });
    expect(await plan([limitGoal('daily', 45_000)], { kind: 'day', day: '2026-11-20' }, midnight)).toMatchObject({
      isOver: false,
      against: null,
    });
  });

  it('never lowers a limit for a form that raises what stopped a purchase', async () => {
    const planned = (goals: readonly ReturnType<typeof limitGoal>[], asked: ReturnType<typeof ask>) =>
      createPlanChange({
        changesFromReturn: async (changes) => [...changes],
        factsOf: async () => card,
        card: { getSpendRules: async () => ({ rules: rulesOf({ daily: 40_000 }), raw: {} }) },
        nameCategory: async () => ({ goals, term: permanent }),
        zone: 'America/New_York',
        now,
      })(asked as ReturnType<typeof ask<'limit'>>, acctId);
    const { origin } = ask('limit');
    const byForm = ask('limit', { target: { kind: 'alert', alertId: 'evt_1' }, origin: { ...origin, kind: 'form' } });

    const against =
      'That would lower what the card may spend. By now: daily limit $400.00. To lower a limit use /card limit.';
    expect(await planned([limitGoal('daily', 8_500)], byForm)).toMatchObject({ against });
    expect(await planned([limitGoal('weekly', 8_500)], byForm)).toMatchObject({
      against: expect.stringContaining('By now: weekly limit none.'),
    });
    expect(await planned([limitGoal('daily', 40_000)], byForm)).toMatchObject({ against: null });
    const byCommand = ask('limit', { target: { kind: 'card', acctId, cardId: null, alertId: null } });
    expect(await planned([limitGoal('daily', 8_500)], byCommand)).toMatchObject({ against: null });
  });

  it('starts from the current rules', async () => {
    expect(await plan([limitGoal('daily', 45_000)])).toMatchObject({
      kind: 'planned',
      changes: [limitChange('daily', 40_000, 45_000)],
      raw: { a: 1 },
      against: null,
    });
  });

  it('keeps a temporary value as a change from the value that it would go back to', async () => {
    // The daily limit of $400.00 is temporary, and so is the weekly one of $500.00.
    const back = { daily: 15_000, weekly: 30_000 } as const;
    const changesFromReturn: RaiseAmounts['changesFromReturn'] = async (changes) =>
      changes.map((change) =>
        'period' in change.rule && change.rule.period in back
          ? { ...change, from: back[change.rule.period as keyof typeof back] }
          : change,
      );
    const sides = async (...goals: ReturnType<typeof limitGoal>[]) =>
      await plan(goals, permanent, now(), changesFromReturn);

    expect(await sides(limitGoal('daily', 40_000))).toMatchObject({
      changes: [limitChange('daily', 40_000, 40_000)],
      sides: { before: 'daily limit $150.00', after: 'daily limit $400.00' },
    });
    expect(await sides(limitGoal('daily', 40_000), limitGoal('weekly', 60_000))).toMatchObject({
      sides: {
        before: 'daily limit $150.00; weekly limit $500.00',
        after: 'daily limit $400.00; weekly limit $600.00',
      },
    });
  });

  it('refuses to keep a temporary change from ending: it could not go back to a limit below this one', async () => {
    // The weekly limit of $500.00 is temporary. It goes back to $420.00 first.
    const changesFromReturn: RaiseAmounts['changesFromReturn'] = async (changes) =>
      changes.map((change) =>
        'period' in change.rule && change.rule.period === 'weekly' ? { ...change, from: 42_000 } : change,
      );
    const forDays: Term = { kind: 'duration', ms: 3 * 86_400_000 };
    const against = (cents: number, term: Term) => plan([limitGoal('daily', cents)], term, now(), changesFromReturn);

    expect(await against(45_000, forDays)).toMatchObject({
      against:
        'A temporary change ends before this one would. The daily limit of $450.00 would be above the weekly limit, $420.00. Change one of the two.',
    });
    expect(await against(42_000, forDays)).toMatchObject({ against: null });
    expect(await against(45_000, permanent), 'beside what stays, it goes back to no less').toMatchObject({
      against: null,
    });
  });

  it.each<[string, ReturnType<typeof limitGoal>, Term, RegExp]>([
    ['a day that is over', limitGoal('daily', 45_000), { kind: 'day', day: '2026-11-19' }, /that has passed/],
    [
      'a limit per purchase for the card itself',
      limitGoal('transaction', 100),
      permanent,
      /only a merchant category does/,
    ],
    ['a day above its week', limitGoal('daily', 60_000), permanent, /above the weekly limit/],
  ])('predicts why the card service would refuse %s', async (_what, goal, term, why) => {
    expect(await plan([goal], term)).toMatchObject({ against: expect.stringMatching(why) });
  });
});
