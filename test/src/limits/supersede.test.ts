import { expect, it } from 'vitest';
import type { Outcome } from '../../../src/actions/action-state.ts';
import type { RuleGoal } from '../../../src/card-api/rule-change.ts';
import { createSupersede, keptWords } from '../../../src/limits/supersede.ts';
import type { TemporaryChange } from '../../../src/limits/temporary-change-store.ts';
import { unanswered } from '../../support/card-api-errors.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const at = '2026-11-20T15:00:00.000Z';
const none = { daily: null, weekly: null, monthly: null, yearly: null, lifetime: null };
const dailyAndWeekly = temporaryChangeOf({
  changes: [limitChange('daily', 40_000, 70_000), limitChange('weekly', 60_000, 70_000)],
  endsAt: at,
});

/** The rest of the temporary change after later goals superseded some of its rules, and the notes about it. */
async function superseded(
  goals: readonly RuleGoal[],
  isForGood: boolean,
  {
    isCardAway = false,
    changes = dailyAndWeekly.changes,
    over = {},
  }: { isCardAway?: boolean; changes?: TemporaryChange['changes']; over?: Partial<TemporaryChange> } = {},
) {
  const saved: TemporaryChange[] = [];
  const shown: TemporaryChange[] = [];
  const onAlert: Outcome[] = [];
  const supersede = createSupersede({
    temporaryChanges: { save: async (temporaryChange) => void saved.push(temporaryChange) },
    card: {
      getSpendRules: async () => {
        if (isCardAway) throw unanswered();
        const limits = { ...none, daily: 70_000, weekly: 70_000 };
        const allowed = {
          isEveryCategoryAllowed: true,
          isInternationalAllowed: null,
          isCardNotPresentAllowed: null,
          usesBusinessBalance: null,
        };
        return { rules: { limits, categories: [], apartCents: 0, ...allowed }, raw: {} };
      },
    },
    outcomes: { show: async (_alertId, _id, outcome) => void onAlert.push(outcome) },
    notifyEnd: { show: async (temporaryChange) => void shown.push(temporaryChange) },
    now: () => new Date(at),
  });
  const later = { id: 'act_2', by: 'U0BEN' };
  const notes = await supersede({ ...dailyAndWeekly, changes, ...over }, goals, later, isForGood);
  expect(shown, 'its messages show what is stored').toEqual(saved);
  return { notes, saved: saved.at(-1), onAlert };
}

it('ends a temporary change whose rules were all changed again', async () => {
  const { saved, onAlert } = await superseded([limitGoal('daily', 80_000), limitGoal('weekly', 90_000)], false);

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
    onAlert: { text: 'Only the daily limit. This still goes back: weekly limit $650.00.' },
  },
])('says on its alert what a later change replaced: $onAlert.text', async ({ goals, onAlert: shown }) => {
  const { onAlert } = await superseded(goals, true, { over: { alertId: 'evt_1' } });

  expect(onAlert).toEqual([{ verb: 'supersede', by: 'U0BEN', at, state: 'done', ...shown }]);
});

it('lets the other rules go back to their old values', async () => {
  const { saved, notes } = await superseded([limitGoal('daily', 80_000)], false);

  expect(saved).toMatchObject({ state: 'open', changes: [limitChange('weekly', 60_000, 70_000)] });
  expect(notes).toEqual([]);
});

it('lets the others go back to no less than the permanent value, and says so', async () => {
  const { saved, notes } = await superseded([limitGoal('daily', 65_000)], true);

  expect(saved?.changes).toEqual([limitChange('weekly', 65_000, 70_000)]);
  expect(notes).toEqual(['The weekly limit goes back to $650.00, not to $600.00: that would be below what stays.']);
});

it('lets a rule without a limit go back to none, and a high enough one to its old value', async () => {
  const changes = [
    limitChange('daily', 40_000, 70_000),
    limitChange('weekly', null, 70_000),
    limitChange('monthly', 90_000, 120_000),
  ];
  const { saved, notes } = await superseded([limitGoal('daily', 75_000)], true, { changes });

  expect(saved?.changes).toEqual(changes.slice(1));
  expect(notes).toEqual([]);
});

it('keeps what was found about the other rules of one that waits for a decision', async () => {
  const meanwhile = [limitChange('daily', 70_000, 70_100), limitChange('weekly', 70_000, 70_000)];
  const { saved } = await superseded([limitGoal('daily', 80_000)], false, { over: { state: 'asking', meanwhile } });

  expect(saved).toMatchObject({ state: 'asking', changes: [limitChange('weekly', 60_000, 70_000)] });
  expect(saved?.meanwhile).toEqual([limitChange('weekly', 70_000, 70_000)]);
});

it('ends a question of which the other rules are back already', async () => {
  const meanwhile = [limitChange('daily', 70_000, 70_100), limitChange('weekly', 70_000, 60_000)];
  const { saved } = await superseded([limitGoal('daily', 80_000)], true, { over: { state: 'asking', meanwhile } });

  expect(saved).toMatchObject({ state: 'superseded', closedBy: 'U0BEN' });
});

it('ends the temporary value even while the card is unreadable', async () => {
  const { saved } = await superseded([limitGoal('daily', 65_000)], true, { isCardAway: true });

  expect(saved?.changes).toEqual([limitChange('weekly', 60_000, 70_000)]);
});

it('does nothing if no rule was changed again', async () => {
  expect(await superseded([], true)).toEqual({ notes: [], saved: undefined, onAlert: [] });
});

it('says which of the requested rules were temporary', () => {
  expect(keptWords([], 1)).toBeNull();
  expect(keptWords([limitGoal('daily', 1)], 1)).toBe('It was temporary; now it is permanent.');
  expect(keptWords([limitGoal('daily', 1)], 2)).toBe('The daily limit was temporary; now it is permanent.');
  expect(keptWords([limitGoal('daily', 1), limitGoal('weekly', 1)], 2)).toContain('were temporary');
});
