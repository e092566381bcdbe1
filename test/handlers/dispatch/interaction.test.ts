import { expect, it } from 'vitest';
import { whoActs } from '../../../handlers/dispatch/interaction.ts';

it.each([
  ['a colleague', { id: 'U1', team_id: 'T1' }, { id: 'T1' }, 'T1', false],
  ['a colleague in an organization-wide installation', { id: 'U1', team_id: 'T1' }, null, 'T1', false],
  ['a colleague whose team Slack does not name', { id: 'U1' }, { id: 'T1' }, 'T1', false],
  ['someone from another company', { id: 'U1', team_id: 'T2' }, { id: 'T1' }, 'T1', true],
])('recognizes %s', (_who, user, team, teamId, isExternal) => {
  expect(whoActs(user, team)).toEqual({ actor: { userId: 'U1', teamId }, isExternal });
});
