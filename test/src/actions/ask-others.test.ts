import { expect, it } from 'vitest';
import { askOthers, othersAllowed } from '../../../src/actions/ask-others.ts';

const action = { actor: { userId: 'U0ANA', teamId: 'T1' } };
const rights = {
  whoMay: async (role: string, group?: string | null) => (group === 'Field' ? ['U0FAY', `S0${role}`] : ['U0ANA']),
};

it('names the people of the card’s group, and never the person who asks', async () => {
  expect(await othersAllowed(action, 'approver', 'Field', { rights })).toEqual(['U0FAY', 'S0approver']);
  expect(await othersAllowed(action, 'approver', null, { rights })).toEqual([]);
});

it('sends a person to others with the role that it takes, and to nobody if nobody may', async () => {
  expect(await askOthers(action, 'approver', 'Field', { rights })).toEqual({
    text: 'Ask another approver.',
    userIds: ['U0FAY', 'S0approver'],
  });
  expect((await askOthers(action, 'operator', 'Field', { rights })).text).toBe('Ask another operator or an approver.');
  expect(await askOthers(action, null, 'Field', { rights })).toEqual({ text: '', userIds: [] });
});
