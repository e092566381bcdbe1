import { afterEach, describe, expect, it, vi } from 'vitest';
import type { RuleChange, Term } from '../../../src/card-api/rule-change.ts';
import type { CardStatus } from '../../../src/core/event.ts';
import { createPlanChange } from '../../../src/limits/plan-change.ts';
import type { RaiseAmounts } from '../../../src/limits/raise-amount.ts';
import { directoryOf } from '../../support/directories.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { acctId, ask } from '../../support/perform-world.ts';
import { rulesOf } from '../../support/temporary-changes.ts';
import { card } from '../../templates/fixtures.ts';

afterEach(() => void vi.restoreAllMocks());

const permanent: Term = { kind: 'permanent' };
const now = (): Date => new Date('2026-11-20T15:00:00.000Z');
type Raises = Pick<RaiseAmounts, 'changesFromBase' | 'changesFromReturn'>;
const asTheyAre = async (changes: readonly RuleChange[]) => [...changes];
const nothingTemporary: Raises = { changesFromBase: asTheyAre, changesFromReturn: asTheyAre };
/** These limits are temporary, and go back to these amounts. */
const goingBack = (cents: Partial<Record<string, number>>) => async (changes: readonly RuleChange[]) =>
  changes.map((change) =>
    change.rule.kind === 'limit' ? { ...change, from: cents[change.rule.period] ?? change.from } : change,
  );
const forDays: Term = { kind: 'duration', ms: 3 * 86_400_000 };

describe('planning a change', () => {
  const plan = async (
    goals: readonly ReturnType<typeof limitGoal>[],
    term: Term = permanent,
    at = now(),
    raises = nothingTemporary,
    shown?: readonly ReturnType<typeof limitGoal>[],
    facts = card,
  ) =>
    await createPlanChange({
      raises,
      directory: directoryOf(),
      factsOf: async () => facts,
      card: { getSpendRules: async () => ({ rules: rulesOf({ daily: 40_000, weekly: 50_000 }), raw: { a: 1 } }) },
      zone: 'America/New_York',
      now: () => at,
    })(ask('limit', { changeRequest: { goals, term, ...(shown && { shown }) } }), acctId, false);

  it('dates the rules by when they arrived, however long the card service took', async () => {
    let elapsedMs = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => elapsedMs);
    const plan = createPlanChange({
      raises: nothingTemporary,
      directory: directoryOf(),
      factsOf: async () => card,
      card: {
        async getSpendRules() {
          elapsedMs = 30_000;
          return { rules: rulesOf({ daily: 40_000 }), raw: {} };
        },
      },
      zone: 'America/New_York',
      now,
    });

    expect(await plan(ask('limit'), acctId, false)).toMatchObject({ readAt: 30_000 });
  });

  it.each([
    ['before it is sent', false, ['account', 'facts']],
    ['not after that: the change may have taken the card off its ruleset', true, ['facts']],
  ])('reads the account, for its ruleset, %s', async (_when, wasSending, expected) => {
    const read: string[] = [];
    const plan = createPlanChange({
      raises: nothingTemporary,
      directory: directoryOf({
        async current() {
          read.push('account');
          return null;
        },
      }),
      async factsOf() {
        read.push('facts');
        return card;
      },
      card: { getSpendRules: async () => ({ rules: rulesOf({ daily: 40_000 }), raw: {} }) },
      zone: 'America/New_York',
      now,
    });

    await plan(ask('limit'), acctId, wasSending);

    expect(read).toEqual(expected);
  });

  it.each([30_000, 40_000, 45_000])('gives a closed card no other limit: %s instead of 40000 cents', async (to) => {
    const of = (status: CardStatus) =>
      plan([limitGoal('daily', to)], permanent, undefined, undefined, undefined, { ...card, status });

    expect((await of('CLOSED')).against).toBe('The card is closed. That is final: order a new one.');
    for (const status of ['ACTIVE', 'BLOCKED', 'INACTIVE'] as const) expect((await of(status)).against).toBeNull();
  });

  it('accepts the day that begins now as the earliest end', async () => {
    const midnight = new Date('2026-11-20T05:00:00.000Z');

    expect(await plan([limitGoal('daily', 45_000)], { kind: 'day', day: '2026-11-19' }, midnight)).toMatchObject({
      against:
        'It was to last to the end of Nov 19, 2026, Eastern time, and that has passed. Ask again with a later end.',
    });
    expect(await plan([limitGoal('daily', 45_000)], { kind: 'day', day: '2026-11-20' }, midnight)).toMatchObject({
      against: null,
    });
  });

  it('never lowers a limit for a form that raises what stopped a purchase', async () => {
    const restaurants = { id: 9, name: 'Restaurants' };
    const { limits } = rulesOf({ daily: 8_000 });
    const categories = [{ ...restaurants, transactionLimitCents: null, limits }];
    const planned = (goals: readonly ReturnType<typeof limitGoal>[], asked: ReturnType<typeof ask<'limit'>>) =>
      createPlanChange({
        raises: nothingTemporary,
        directory: directoryOf(),
        factsOf: async () => card,
        card: { getSpendRules: async () => ({ rules: { ...rulesOf({ daily: 40_000 }), categories }, raw: {} }) },
        zone: 'America/New_York',
        now,
      })({ ...asked, changeRequest: { goals, term: permanent } }, acctId, false);
    const { origin } = ask('limit');
    const byForm = ask('limit', { target: { kind: 'alert', alertId: 'evt_1' }, origin: { ...origin, kind: 'form' } });

    const against =
      'That would lower what the card may spend. By now: daily limit $400.00. To lower a limit use /card limit.';
    expect(await planned([limitGoal('daily', 8_500)], byForm)).toMatchObject({ against });
    expect(await planned([limitGoal('weekly', 8_500)], byForm)).toMatchObject({
      against: expect.stringContaining('By now: no weekly limit.'),
    });
    expect(await planned([limitGoal('daily', 40_000)], byForm)).toMatchObject({ against: null });
    expect(await planned([limitGoal('daily', 6_000, restaurants)], byForm)).toMatchObject({
      against: expect.stringContaining('To lower a limit use the card program’s portal.'),
    });
    const byCommand = ask('limit', { target: { kind: 'card', acctId, cardId: null, alertId: null } });
    expect(await planned([limitGoal('daily', 8_500)], byCommand)).toMatchObject({ against: null });
  });

  it.each<[string, readonly ReturnType<typeof limitGoal>[], string | null]>([
    ['is lower by now', [limitGoal('daily', 50_000)], 'daily limit $400.00'],
    ['was none', [limitGoal('daily', null)], 'daily limit $400.00'],
    ['is the same', [limitGoal('daily', 40_000)], null],
    ['is higher by now', [limitGoal('daily', 30_000)], null],
    ['was another one', [limitGoal('monthly', 900_000)], null],
  ])('raises no limit from less than the form showed: one that %s', async (_what, shown, now) => {
    const goals = [limitGoal('daily', 45_000)];

    const { against } = await plan(goals, permanent, undefined, undefined, shown);

    expect(against).toBe(now && `It is lower than the form showed. By now: ${now}. Open the form again.`);
  });

  it('lowers a limit whatever a form showed, and keeps one that has its value already', async () => {
    const shown = [limitGoal('daily', 50_000)];

    for (const to of [30_000, 40_000])
      expect((await plan([limitGoal('daily', to)], permanent, undefined, undefined, shown)).against).toBeNull();
  });

  it('starts from the current rules', async () => {
    expect(await plan([limitGoal('daily', 45_000)])).toMatchObject({
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
      await plan(goals, permanent, now(), { ...nothingTemporary, changesFromReturn });

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

  it.each<[string, number, Term, Partial<Record<string, number>>, string | null]>([
    ['above what it goes back to, for longer', 45_000, forDays, { weekly: 42_000 }, '$450.00'],
    ['above what it goes back to, for good', 45_000, permanent, { weekly: 42_000 }, '$450.00'],
    ['no higher than what it goes back to', 42_000, permanent, { weekly: 42_000 }, null],
    ['as it is, but only for a time', 40_000, permanent, { weekly: 35_000, daily: 30_000 }, '$400.00'],
    ['lower, but still above it', 38_000, permanent, { weekly: 35_000, daily: 30_000 }, '$380.00'],
    ['as it is for good', 40_000, permanent, { weekly: 35_000 }, null],
    ['lower than it is for good', 38_000, permanent, { weekly: 35_000 }, null],
  ])('keeps no raise of a longer limit from ending: a shorter one %s', async (_what, cents, term, back, refused) => {
    const raises = { ...nothingTemporary, changesFromBase: goingBack(back) };
    const weekly = back['weekly'] === 42_000 ? '$420.00' : '$350.00';
    const why = `A temporary change ends before this one would. The daily limit of ${refused} would be above the weekly limit, ${weekly}. Change one of the two.`;

    expect(await plan([limitGoal('daily', cents)], term, now(), raises)).toMatchObject({
      against: refused === null ? null : why,
    });
  });

  it('lowers a limit for a time only if another one can go back before that', async () => {
    const raises = { ...nothingTemporary, changesFromReturn: goingBack({ daily: 48_000 }) };
    const against = (term: Term) => plan([limitGoal('weekly', 45_000)], term, now(), raises);

    expect(await against(forDays)).toMatchObject({
      against:
        'A temporary change ends before this one would. The weekly limit of $450.00 would be below the daily limit, $480.00. Change one of the two.',
    });
    expect(await against(permanent), 'it goes back to no more').toMatchObject({ against: null });
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
