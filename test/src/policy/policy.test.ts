import { describe, expect, it } from 'vitest';
import {
  delegateInForce,
  delegatesOf,
  mentionedAs,
  permittedTo,
  policyOfVariables,
  sectionOf,
  standsInFor,
} from '../../../src/policy/policy.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';

const variables = policyOfVariables({
  operators: ['U0OLGA', 'U0ANA'],
  approvers: ['U0ANA', 'S0FIN'],
  twoPersonAboveCents: 100_000,
  serviceZone: 'America/New_York',
});
const policy = parsePolicy(
  `
version: 1
groups:
  - cards: [North]
    approvers: { mentioned: [U0NINA], permitted: [S0NORTH] }
delegates:
  - { for: U0ANA, to: U0BEN, from: 2026-12-24, until: 2026-12-31 }
`,
  'policy.yaml',
  variables,
);

describe('who may', () => {
  it('is defined by the environment variables if there is no file', () => {
    expect(permittedTo(variables, 'approver', 'North')).toEqual(['U0ANA', 'S0FIN']);
    expect(mentionedAs(variables, 'operator', new Date(0), null)).toEqual(['U0OLGA', 'U0ANA', 'S0FIN']);
    expect(permittedTo(variables, 'holder')).toEqual([]);
  });

  it("is defined by the card's group", () => {
    expect(permittedTo(policy, 'approver', 'North')).toEqual(['U0NINA', 'S0NORTH']);
    expect(permittedTo(policy, 'approver', 'South')).toEqual(['U0ANA', 'S0FIN']);
    expect(permittedTo(policy, 'operator', 'North'), 'whatever the group does not define').toEqual(['U0OLGA', 'U0ANA']);
  });

  it('includes everyone if no card is meant', () => {
    expect(permittedTo(policy, 'approver')).toEqual(['U0ANA', 'S0FIN', 'U0NINA', 'S0NORTH']);
  });

  it('does not always include a mention', () => {
    expect(mentionedAs(policy, 'approver', new Date(0), 'North')).toEqual(['U0NINA']);
  });
});

it('mentions the delegates of a mentioned person on the days of the delegation', () => {
  const away = parsePolicy(
    'version: 1\napprovers: { mentioned: [U0ANA], permitted: [U0ZOE] }\ndelegates:\n' +
      '  - { for: U0ANA, to: U0BEN, from: 2026-12-24, until: 2026-12-26 }\n' +
      '  - { for: U0ZOE, to: U0CAL, from: 2026-12-24, until: 2026-12-26 }',
    'policy.yaml',
    variables,
  );
  const mentionedOn = (day: string) => mentionedAs(away, 'approver', new Date(`${day}T15:00:00Z`), null);

  expect(mentionedOn('2026-12-23')).toEqual(['U0ANA']);
  expect(mentionedOn('2026-12-24')).toEqual(['U0ANA', 'U0BEN']);
  expect(mentionedOn('2026-12-26')).toEqual(['U0ANA', 'U0BEN']);
  expect(mentionedOn('2026-12-27')).toEqual(['U0ANA']);
});

it('shows a delegate until the last day, and one that somebody has named only while the policy lists that person', () => {
  const of = (listed: string) =>
    parsePolicy(
      `version: 1\nown_delegates: [${listed}]\ndelegates:\n  - { for: U0ANA, to: U0CAL, from: 2026-12-24, until: 2026-12-26 }`,
      'policy.yaml',
      variables,
    );
  const named = { for: 'U0ANA', to: 'U0BEN', from: '2026-12-24', until: '2026-12-26' };
  const on = (day: string) => new Date(`${day}T15:00:00Z`);

  expect(delegatesOf(of('U0BEN'), 'U0ANA', on('2026-12-20')), 'also before the first day').toHaveLength(1);
  expect(delegatesOf(of('U0BEN'), 'U0ANA', on('2026-12-26'))).toMatchObject([{ to: 'U0CAL' }]);
  expect(delegatesOf(of('U0BEN'), 'U0ANA', on('2026-12-27'))).toEqual([]);
  expect(delegatesOf(of('U0BEN'), 'U0ZOE', on('2026-12-26'))).toEqual([]);

  expect(delegateInForce(of('U0BEN'), named, on('2026-12-26'))).toEqual(named);
  expect(delegateInForce(of('U0BEN'), named, on('2026-12-27'))).toBeNull();
  expect(delegateInForce(of('U0CAL'), named, on('2026-12-26'))).toBeNull();
});

it('finds the section of a card by its group, ignoring case', () => {
  expect(sectionOf(policy, ' NORTH').cardGroups).toEqual(['North']);
  expect(sectionOf(policy, null).cardGroups).toEqual([]);
});

it.each([
  ['2026-12-24T04:59:00Z', []],
  ['2026-12-24T05:00:00Z', ['U0ANA']],
  ['2027-01-01T04:59:00Z', ['U0ANA']],
  ['2027-01-01T05:00:00Z', []],
])('at %s the delegate stands in for %j, in full days of the card service', (at, expected) => {
  expect(standsInFor(policy, 'U0BEN', new Date(at))).toEqual(expected);
});

it('changes its hash if someone else may', () => {
  const other = { operators: [], approvers: ['U0ANA'], twoPersonAboveCents: 100_000, serviceZone: 'UTC' };

  expect(policyOfVariables(other).hash).not.toBe(variables.hash);
});
