import { expect, it } from 'vitest';
import { checkWords } from '../../../bin/policy/check-policy.ts';
import { policyOfVariables } from '../../../src/policy/policy.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';

const variables = { operators: ['U0OLGA'], approvers: ['U0ANA'], twoPersonAboveCents: 100_000, serviceZone: 'UTC' };

const said = (yaml: string): string[] =>
  checkWords(parsePolicy(`version: 1\n${yaml}`, 'policy.yaml', policyOfVariables(variables)));
const impossible = (yaml: string): string[] => said(yaml).filter((line) => line.includes('nobody can'));

it.each([
  ['approvers: [U0ANA, U0BEN]', 'Approvers: 2 people. Operators: 1 person.'],
  ['approvers: [U0ANA, S0FIN]\noperators: []', 'Approvers: 1 person and 1 user group. Operators: nobody.'],
  [
    'approvers: []\ngroups: [{ cards: [North], approvers: [U0NINA, S0NORTH] }, { cards: [South], approvers: [U0NINA, S0SOUTH] }]',
    'Approvers: 1 person and 2 user groups. Operators: 1 person.',
  ],
])('names everyone who has a role for some card: %j', (yaml, line) => {
  expect(said(yaml)[0]).toBe(line);
});

it.each([
  [
    'approvers: [U0ANA, U0BEN]\namounts: [{ up_to: 500, approvals: 1 }, { approvals: 3 }]\norders: [{ approvals: 2 }]',
    ['Raises above $500.00 need 3 approvers, and only 2 are named: nobody can get them approved.'],
  ],
  [
    'orders: [{ approvals: 2 }]',
    [
      'Raises above $1,000.00 need 2 approvers, and only 1 is named: nobody can get them approved.',
      'Orders need 2 approvers, and only 1 is named: nobody can get them approved.',
    ],
  ],
  [
    'amounts: [{ approvals: 1 }]\norders: [{ approvals: 1 }]',
    ['Raises without an amount need 2 approvers, and only 1 is named: nobody can get them approved.'],
  ],
  [
    'approvers: [U0ANA, U0BEN]\ngroups: [{ cards: [Board], approvers: [] }, { cards: [North], operators: [U0NINA] }]',
    ['Cards of Board: raises need 1 approver, and nobody is named: nobody can get them approved.'],
  ],
  [
    'approvers: []\norders: [{ approvals: 1 }]\ngroups: [{ cards: [North], approvers: [U0NINA, U0NED] }]',
    [
      'Other cards: raises need 1 approver, and nobody is named: nobody can get them approved.',
      'Orders need 1 approver, and nobody is named: nobody can get them approved.',
    ],
  ],
  [
    'orders: [{ approvals: 1 }]\ngroups: [{ cards: [North], operators: [U0NINA] }]',
    [
      'Other cards: raises above $1,000.00 need 2 approvers, and only 1 is named: nobody can get them approved.',
      'Cards of North: raises above $1,000.00 need 2 approvers, and only 1 is named: nobody can get them approved.',
    ],
  ],
])('says which approvals nobody can ever get: %j', (yaml, lines) => {
  expect(impossible(yaml)).toEqual(lines);
});

it('a user group may have enough members, so nothing is said', () => {
  expect(impossible('approvers: [S0FIN]\namounts: [{ approvals: 9 }]')).toEqual([]);
});
