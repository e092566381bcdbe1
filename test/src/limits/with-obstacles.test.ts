import { expect, it } from 'vitest';
import { withObstacles } from '../../../src/limits/with-obstacles.ts';
import { limitChange, limitGoal } from '../../support/limit-goals.ts';
import { ask } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

const changeRequest = { goals: [limitGoal('daily', 45_000)], term: { kind: 'permanent' } } as const;
const made = {
  action: ask('limit', { changeRequest: { ...changeRequest, alsoNeeds: ['allow_international'] } }),
  card,
  changes: [limitChange('daily', 40_000, 45_000)],
};
const blocked = { ...card, status: 'BLOCKED' } as const;

it('says that the card is blocked, and what else the purchase needed', () => {
  expect(withObstacles('goes back', made)).toEqual({
    note: 'Goes back. Purchases abroad are not allowed either.',
    alsoNeeds: ['allow_international'],
  });
  expect(withObstacles(null, { ...made, card: blocked }).note).toMatch(/^The card is blocked.* Purchases abroad/);
});

it('leaves the note as it is if nothing else is known, or if the change restricts the card', () => {
  const alone = ask('limit', { changeRequest });

  expect(withObstacles('goes back', { ...made, action: alone })).toEqual({ note: 'goes back' });
  expect(withObstacles(null, { ...made, card: blocked, changes: [limitChange('daily', 45_000, 40_000)] })).toEqual({
    note: null,
  });
});
