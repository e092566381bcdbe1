import { expect, it } from 'vitest';
import { createCheckApprovers } from '../../../src/policy/check-approvers.ts';
import { policyOfVariables } from '../../../src/policy/policy.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';

const people = { operators: ['U0OLGA'], twoPersonAboveCents: 100_000, serviceZone: 'America/New_York' };

/** What ops read. In Slack, `U0GONE…` are deactivated, `S0EMPTY` is empty, and nobody answers about `…UNREAD`. */
async function checked(approvers: readonly string[], file = 'version: 1\n'): Promise<string[]> {
  const policy = parsePolicy(file, 'policy.yaml', policyOfVariables({ ...people, approvers }));
  const said: string[] = [];
  const answer = <Answer>(id: string, said: Answer): Answer => {
    if (id.endsWith('UNREAD')) throw new Error('no answer');
    return said;
  };
  await createCheckApprovers({
    policy: () => policy,
    person: async (id) => answer(id, { isDeactivated: id.startsWith('U0GONE') }),
    groupMembers: async (id) => answer(id, id === 'S0EMPTY' ? [] : ['U0ANA']),
    notifyOps: async ({ what }) => void said.push(what),
    notifyResolved: async ({ cause }) => void said.push(`not: ${cause}`),
  })();
  return said;
}

const nobody = 'All approvers are deactivated in Slack, or their user groups are empty.';

it.each([
  [['U0GONE'], nobody],
  [['U0GONE', 'U0GONE2', 'S0EMPTY'], nobody],
  [['U0GONE', 'U0ANA'], 'not: no-approver:'],
  [['U0GONE', 'S0FIN'], 'not: no-approver:'],
  [['U0GONE', 'U0UNREAD'], 'not: no-approver:'],
  [['U0GONE', 'S0UNREAD'], 'not: no-approver:'],
  [[], 'not: no-approver:'],
])('if the approvers are %j, ops read %j', async (approvers, said) => {
  expect(await checked(approvers)).toEqual([said]);
});

it('judges the cards that have approvers of their own by themselves', async () => {
  const file = `version: 1
groups:
  - cards: [North, Crew]
    approvers: [U0GONE]
  - cards: [South]
    operators: [U0ZOE]
`;

  expect(await checked(['U0ANA'], file)).toEqual([
    'not: no-approver:',
    'All approvers of the cards in North, Crew are deactivated in Slack, or their user groups are empty.',
  ]);
});
