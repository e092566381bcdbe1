import { expect, it } from 'vitest';
import {
  backAlready,
  isMadeBy,
  isUndecided,
  notBackYet,
  raisesKept,
  stillSet,
  undecided,
} from '../../../src/limits/temporary-change.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';

const [daily, weekly, monthly] = [
  limitChange('daily', 40_000, 45_000),
  limitChange('weekly', 150_000, 160_000),
  limitChange('monthly', 600_000, 500_000),
];
const changes = [daily, weekly, monthly];

it('is about all of its rules while its time is not over', () => {
  const running = temporaryChangeOf({ changes });

  expect([undecided(running), stillSet(running), backAlready(running)]).toEqual([changes, changes, []]);
});

it('leaves to people what somebody changed, and keeps only raises that still have their value', () => {
  const meanwhile = [limitChange('daily', 45_000, 45_000), limitChange('weekly', 160_000, 150_000)];
  const asking = temporaryChangeOf({ changes, meanwhile: [...meanwhile, limitChange('monthly', 500_000, 500_000)] });

  expect(undecided(asking)).toEqual([daily, monthly]);
  expect(backAlready(asking)).toEqual([weekly]);
  expect(stillSet(asking)).toEqual([daily, monthly]);
  expect(raisesKept(asking)).toEqual([daily]);
});

it('has not put back what goes back to its earlier value later', () => {
  const later = [limitGoal('daily', 40_000), limitGoal('weekly', 155_000)];

  expect(notBackYet(temporaryChangeOf({ changes, later }))).toEqual([daily]);
});

it('may still go back while it is open or people are asked', () => {
  const states = ['open', 'asking', 'ended', 'kept', 'refused', 'superseded'] as const;

  expect(states.filter((state) => isUndecided(temporaryChangeOf({ state })))).toEqual(['open', 'asking']);
});

it('is a person’s own if it takes back nothing of others', () => {
  expect(isMadeBy(temporaryChangeOf(), 'U0ANA')).toBe(true);
  expect(isMadeBy(temporaryChangeOf(), 'U0BEN')).toBe(false);
  expect(isMadeBy(temporaryChangeOf({ isOverOthers: true }), 'U0ANA')).toBe(false);
});
