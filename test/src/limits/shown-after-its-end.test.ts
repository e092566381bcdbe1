import { describe, expect, it } from 'vitest';
import { temporaryChangeIdOf } from '../../../src/approvals/request.ts';
import type { RuleGoal } from '../../../src/card-api/rule-change.ts';
import { renderAlert } from '../../../templates/alerts/alert.ts';
import { approvalRequest } from '../../../templates/approvals/approval-request.ts';
import { temporaryChange } from '../../../templates/limits/temporary-change.ts';
import { approvalClick, askedToPay } from '../../support/asked-for-more.ts';
import { limitGoal } from '../../support/limit-goals.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  ask,
  byCommand,
  createActionWorld,
  endTemporaryChange,
  type Over,
  type PerformWorld,
  performAction,
} from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';
import { buttonIds, shown } from '../../templates/shown.ts';

const redis = useRedis();
const alertId = 'evt_0123456789abcdef';
const HOUR_MS = 3_600_000;
const daily = (dollars: number): RuleGoal => limitGoal('daily', dollars * 100);

/** Changes limits for some hours, on the alert unless another place is given; 0: permanently. */
const raise = (id: string, hours: number, goals: readonly RuleGoal[], over: Over = {}) =>
  ask('limit', {
    id,
    changeRequest: {
      goals: [...goals],
      term: hours === 0 ? { kind: 'permanent' } : { kind: 'duration', ms: hours * HOUR_MS },
    },
    ...over,
  });
const later = (hours: number, goals: readonly RuleGoal[]) =>
  raise('act_later', hours, goals, { ...byCommand, actor: { userId: 'U0BEN', teamId: 'T1' } });
const about = (verb: 'revert' | 'complete-temporary-change', over: Over = {}) =>
  ask(verb, {
    ...byCommand,
    id: 'act_click',
    target: { kind: 'temporary-change', temporaryChangeId: 'act_raise' },
    actor: { userId: 'U0BEN', teamId: 'T1' },
    ...over,
  });

async function world() {
  const updated: string[] = [];
  const made = await createActionWorld(redis(), {
    updateRequest: async (id) => void updated.push(id),
    updateTemporaryChange: async (id) => void updated.push(id),
  });
  made.service.rules = { IsActive: true, DailySpendLimit: 400, WeeklySpendLimit: 2000 };
  return Object.assign(made, { updated });
}

async function onAlert({ deps }: PerformWorld) {
  const alert = await deps.alerts.get(alertId);
  if (alert === null) throw new Error('no alert');
  const { blocks } = renderAlert(alert, { place: 'private', channel: 'C1', isLong: true });
  return { says: shown(blocks), hasButton: buttonIds(blocks).includes('revert_now') };
}

describe('the alert of a temporary change', () => {
  it.each([
    ['for good', 0],
    ['for a time', 4],
  ])('says who replaced it %s, and loses its button', async (_how, hours) => {
    const given = await world();
    await performAction(raise('act_raise', 1, [daily(450)]), given.deps);
    expect((await onAlert(given)).hasButton).toBe(true);

    await performAction(later(hours, [daily(500)]), given.deps);

    const { says, hasButton } = await onAlert(given);
    expect(says).toMatch(/\*Replaced by a later change\* by <@U0BEN> at .*\. Its own end no longer applies\./);
    expect(says).not.toContain('Put back');
    expect(says, 'it is raised still').not.toContain('Raise daily limit…');
    expect(hasButton).toBe(false);
  });

  it('keeps its button while some of its limits still go back, and says which', async () => {
    const given = await world();
    await performAction(raise('act_raise', 1, [daily(450), limitGoal('weekly', 220_000)]), given.deps);

    await performAction(later(0, [daily(500)]), given.deps);

    const { says, hasButton } = await onAlert(given);
    expect(says).toContain('Only the daily limit. This still goes back: weekly limit $2,000.00.');
    expect(hasButton).toBe(true);
  });

  it('says that it goes back with the later change if it is taken back under that one', async () => {
    const given = await world();
    await performAction(raise('act_raise', 4, [daily(600)]), given.deps);
    await performAction(later(1, [daily(800)]), given.deps);
    expect((await onAlert(given)).hasButton, 'the longer one runs').toBe(true);

    await performAction(about('revert'), given.deps);

    expect(await given.deps.temporaryChanges.get('act_later')).toMatchObject({ changes: [{ from: 40_000 }] });
    const { says, hasButton } = await onAlert(given);
    expect(says).toMatch(
      /\*Put back\* by <@U0BEN> at .*\. Daily limit \$600\.00 → \$400\.00 when the other temporary change ends\./,
    );
    expect(hasButton).toBe(false);
  });

  it('says what it goes back to now if the change below it is over', async () => {
    const given = await world();
    await performAction(raise('act_below', 4, [daily(600)], byCommand), given.deps);
    await performAction(raise('act_raise', 1, [daily(800)]), given.deps);
    expect((await onAlert(given)).says).toMatch(/Goes back to \$600\.00 <!date/);

    const target = { kind: 'temporary-change', temporaryChangeId: 'act_below' } as const;
    await performAction(about('revert', { target }), given.deps);

    const { says, hasButton } = await onAlert(given);
    expect(says).toMatch(
      /\*Goes back to another value\* at .*\. Daily limit \$400\.00: the change that it was made on top of is over\./,
    );
    expect(hasButton).toBe(true);
  });

  it('has no button once its time is over, whatever became of it', async () => {
    const given = await world();
    await performAction(raise('act_raise', 1, [daily(450)]), given.deps);
    given.service.rules = { ...given.service.rules, DailySpendLimit: 700 };

    await endTemporaryChange('act_raise', given.deps);
    expect(await onAlert(given), 'asking').toMatchObject({ hasButton: false });
    await performAction(about('complete-temporary-change', { restore: false }), given.deps);

    expect(await onAlert(given), 'kept').toMatchObject({
      hasButton: false,
      says: expect.stringMatching(/\*Left as it is\* by <@U0BEN> at .*\. Daily limit \$700\.00\./),
    });
  });

  it('keeps the button of another one that still runs', async () => {
    const given = await world();
    await performAction(raise('act_weekly', 4, [limitGoal('weekly', 220_000)]), given.deps);
    given.advance(1000);
    await performAction(raise('act_raise', 1, [daily(450)]), given.deps);
    given.advance(1000);

    await performAction(about('revert'), given.deps);

    expect(await onAlert(given)).toMatchObject({ hasButton: true, says: expect.stringContaining('*Put back* by') });
  });
});

it('the request whose approval made it says who replaced it, and loses its button', async () => {
  const given = await world();
  const { deps } = await askedToPay(given, 50_000);
  await performAction(
    Object.assign(approvalClick('act_yes', 'U0BEN'), {
      changeRequest: { goals: [daily(900)], term: { kind: 'duration', ms: HOUR_MS } },
    }),
    deps,
  );
  const message = async () => {
    const request = await deps.requests.get('req_ask1');
    if (request === null) throw new Error('no request');
    const id = temporaryChangeIdOf(request);
    return approvalRequest(request, id === null ? null : await deps.temporaryChanges.get(id));
  };
  expect(buttonIds((await message()).blocks)).toContain('revert_now');
  given.updated.length = 0;

  await performAction({ ...later(0, [daily(950)]), askedAt: '2026-11-20T15:17:00.000Z' }, deps);

  const { blocks } = await message();
  expect(given.updated).toContain('req_ask1');
  expect(shown(blocks)).toMatch(/Replaced by a later change by <@U0BEN>.*Its own end no longer applies\./);
  expect(buttonIds(blocks)).not.toContain('revert_now');
});

it('its own message says who replaced it', async () => {
  const given = await world();
  await performAction(raise('act_raise', 1, [daily(450)], byCommand), given.deps);

  await performAction(later(4, [daily(500)]), given.deps);

  const change = await given.deps.temporaryChanges.get('act_raise');
  if (change === null) throw new Error('no temporary change');
  const { blocks } = temporaryChange(change, card);
  expect(given.updated).toContain('act_raise');
  expect(shown(blocks)).toMatch(/^Replaced: daily limit of .*Replaced by a later change by <@U0BEN>/s);
  expect(shown(blocks)).not.toContain('Nothing goes back');
});
