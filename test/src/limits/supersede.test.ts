import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { RuleGoal } from '../../../src/card-api/rule-change.ts';
import { createSupersede, keptWords } from '../../../src/limits/supersede.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const at = '2026-11-20T15:00:00.000Z';
const dailyAndWeekly = temporaryChangeOf({
  changes: [limitChange('daily', 40_000, 70_000), limitChange('weekly', 60_000, 70_000)],
  endsAt: at,
});

/** The rest of the temporary change after later goals superseded some of its rules. */
async function superseded(goals: readonly RuleGoal[], over: Partial<TemporaryChange> = {}) {
  const saved: TemporaryChange[] = [];
  const shown: TemporaryChange[] = [];
  const onAlert: Outcome[] = [];
  const supersede = createSupersede({
    temporaryChanges: { save: async (temporaryChange) => void saved.push(temporaryChange) },
    outcomes: { show: async (_alertId, _id, outcome) => void onAlert.push(outcome) },
    notifyEnd: { show: async (temporaryChange) => void shown.push(temporaryChange) },
    now: () => new Date(at),
  });
  const later = { id: 'act_2', by: 'U0BEN' };
  await supersede({ ...dailyAndWeekly, ...over }, goals, later);
  expect(shown, 'its messages show what is stored').toEqual(saved);
  return { saved: saved.at(-1), onAlert };
}

it('ends a temporary change whose rules were all changed again', async () => {
  const { saved, onAlert } = await superseded([limitGoal('daily', 80_000), limitGoal('weekly', 90_000)]);

  expect(saved).toMatchObject({ state: 'superseded', closedAt: at, closedBy: 'U0BEN' });
  expect(onAlert, 'no alert shows it').toEqual([]);
});

it.each([
  {
    goals: [limitGoal('daily', 80_000), limitGoal('weekly', 90_000)],
    onAlert: { text: 'Its own end no longer applies.', ends: 'act_1' },
  },
  {
    goals: [limitGoal('daily', 65_000)],
    onAlert: { text: 'Only the daily limit. This still goes back: weekly limit $600.00.' },
  },
])('says on its alert what a later change replaced: $onAlert.text', async ({ goals, onAlert: shown }) => {
  const { onAlert } = await superseded(goals, { alertId: 'evt_1' });

  expect(onAlert).toEqual([{ verb: 'supersede', by: 'U0BEN', at, state: 'done', ...shown }]);
});

it('lets the other rules go back to their old values', async () => {
  const { saved } = await superseded([limitGoal('daily', 80_000)]);

  expect(saved).toMatchObject({ state: 'open', changes: [limitChange('weekly', 60_000, 70_000)] });
});

it('keeps what was found about the other rules of one that waits for a decision', async () => {
  const meanwhile = [limitChange('daily', 70_000, 70_100), limitChange('weekly', 70_000, 70_000)];
  const { saved } = await superseded([limitGoal('daily', 80_000)], { state: 'asking', meanwhile });

  expect(saved).toMatchObject({ state: 'asking', changes: [limitChange('weekly', 60_000, 70_000)] });
  expect(saved?.meanwhile).toEqual([limitChange('weekly', 70_000, 70_000)]);
});

it('ends a question of which the other rules are back already', async () => {
  const meanwhile = [limitChange('daily', 70_000, 70_100), limitChange('weekly', 70_000, 60_000)];
  const { saved } = await superseded([limitGoal('daily', 80_000)], { state: 'asking', meanwhile });

  expect(saved).toMatchObject({ state: 'superseded', closedBy: 'U0BEN' });
});

it('does nothing if no rule was changed again', async () => {
  expect(await superseded([])).toEqual({ saved: undefined, onAlert: [] });
});

it('says which of the requested rules were temporary', () => {
  expect(keptWords([], 1)).toBeNull();
  expect(keptWords([limitGoal('daily', 1)], 1)).toBe('It was temporary; now it is permanent.');
  expect(keptWords([limitGoal('daily', 1)], 2)).toBe('The daily limit was temporary; now it is permanent.');
  expect(keptWords([limitGoal('daily', 1), limitGoal('weekly', 1)], 2)).toContain('were temporary');
});
