import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../../src/core/errors.ts';
import { approvalsFor } from '../../../src/policy/approval-policy.ts';
import { type PolicySection, policyOfVariables, sectionOf } from '../../../src/policy/policy.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';

const variables = policyOfVariables({
  operators: ['U0OLGA'],
  approvers: ['U0ANA'],
  twoPersonAboveCents: 100_000,
  serviceZone: 'America/New_York',
});
const parse = (text: string) => parsePolicy(text, 'policy.yaml', variables);

function problemsOf(text: string): readonly string[] {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  return [];
}

it.each(['1.000', '2.500', '1.0000'])(
  'an amount written as %s, perhaps a thousand, is not taken as a few dollars',
  (amount) => {
    const expected = 'expected an amount of dollars such as 1000 or 1250.50';

    expect(problemsOf(`version: 1\ncaps: { person: { 24h: ${amount} } }`)).toEqual([
      `policy.yaml:2: caps.person.24h: ${expected}`,
    ]);
    expect(problemsOf(`{"version": 1, "amounts": [{"up_to": ${amount}, "approvals": 1}, {"approvals": 2}]}`)).toEqual([
      `policy.yaml:1: amounts[0].up_to: ${expected}`,
    ]);
    expect(problemsOf('version: 1\ncaps: { person: { 24h: 1000.00, 30d: 1250.5 } }')).toEqual([]);
  },
);

describe('a policy file', () => {
  it('says who may, alone or with whom, for how long, and up to which total', () => {
    const policy = parse(`
version: 1
approvers: { mentioned: [U0ANA], permitted: [S0FIN] }
amounts: [{ up_to: 250.50, approvals: 1 }, { approvals: 3 }]
orders: [{ approvals: 2 }]
caps: { person: { 24h: 500, 30d: 2000 } }
durations: { longest: 2 days, permanent: false }
approvals_channel: C0APPROVE
delegates: [{ for: U0ANA, to: U0BEN, from: 2026-12-24, until: 2026-12-31 }]
`);

    expect(policy.standard).toEqual({
      cardGroups: [],
      approvers: { mentioned: ['U0ANA'], permitted: ['U0ANA', 'S0FIN'] },
      operators: { mentioned: ['U0OLGA'], permitted: ['U0OLGA'] },
      approval: {
        bands: [
          { upToCents: 25_050, approvals: 1 },
          { upToCents: null, approvals: 3 },
        ],
        orderBands: [{ upToCents: null, approvals: 2 }],
        caps: {
          person: { dayCents: 50_000, monthCents: 200_000 },
          card: { dayCents: null, monthCents: null },
          program: { dayCents: null, monthCents: null },
        },
        durations: { longestMs: 2 * 24 * 3_600_000, mayStay: false },
      },
      approvalsChannel: 'C0APPROVE',
    });
    expect(policy.ownDelegates).toEqual([]);
    expect(policy.delegations).toEqual([{ for: 'U0ANA', to: 'U0BEN', from: '2026-12-24', until: '2026-12-31' }]);
  });

  it('can be JSON', () => {
    expect(parse('{"version": 1, "approvers": ["U0ZOE"]}').standard.approvers.permitted).toEqual(['U0ZOE']);
  });

  it('falls back to the environment variables, and a group to the rest of the file', () => {
    const policy = parse('version: 1\napprovers: [U0ZOE]\ngroups: [{ cards: [" North "], operators: [U0GUS] }]');

    expect(policy.standard.approval).toEqual(variables.standard.approval);
    expect(sectionOf(policy, 'north ')).toMatchObject({
      approvers: { permitted: ['U0ZOE'] },
      operators: { permitted: ['U0GUS'] },
      approval: variables.standard.approval,
    });
  });

  it('reads all three caps, each for a day and for 30 days', () => {
    const policy = parse(`
version: 1
caps:
  person: { 24h: 100, 30d: 200 }
  card: { 24h: 300.50, 30d: 400 }
  program: { 24h: 500, 30d: 600 }
`);

    expect(policy.standard.approval.caps).toEqual({
      person: { dayCents: 10_000, monthCents: 20_000 },
      card: { dayCents: 30_050, monthCents: 40_000 },
      program: { dayCents: 50_000, monthCents: 60_000 },
    });
  });

  it('takes nothing from amounts for orders: without orders they follow TWO_PERSON_ABOVE', () => {
    const { approval } = parse('version: 1\namounts: [{ up_to: 250, approvals: 1 }, { approvals: 3 }]').standard;

    expect(approval.orderBands).toEqual([
      { upToCents: 100_000, approvals: 1 },
      { upToCents: null, approvals: 2 },
    ]);
  });

  it('has the hash that sha256sum prints', () => {
    expect(parse('version: 1\n').hash).toBe(hash('sha256', 'version: 1\n'));
  });

  it.each<[string, string, string]>([
    ['an invalid person', 'version: 1\napprovers:\n  - ana', 'policy.yaml:3: approvers'],
    ['an unknown word', 'version: 1\n\naprovers: [U0ANA]', 'does not know aprovers'],
    [
      'an invalid amount',
      'version: 1\namounts:\n  - up_to: lots\n    approvals: 1\n  - approvals: 2',
      'policy.yaml:3: amounts[0].up_to: expected an amount',
    ],
    [
      'an amount with a fraction of a cent',
      'version: 1\ncaps:\n  person:\n    24h: 99.999',
      'policy.yaml:4: caps.person.24h: expected whole cents',
    ],
    [
      'an amount too small to be one',
      'version: 1\ncaps:\n  person:\n    24h: 1e-7',
      'policy.yaml:4: caps.person.24h: expected whole cents',
    ],
    [
      'falling amounts',
      'version: 1\namounts:\n  - up_to: 9\n    approvals: 1\n  - up_to: 8\n    approvals: 1\n  - approvals: 2',
      'policy.yaml:5: amounts[1].up_to: expected a larger amount',
    ],
    [
      'fewer approvals for a larger amount',
      'version: 1\namounts:\n  - up_to: 9\n    approvals: 2\n  - approvals: 1',
      'policy.yaml:5: amounts[1].approvals: expected at least as many approvals',
    ],
    [
      'no open-ended amount',
      'version: 1\namounts:\n  - up_to: 9\n    approvals: 1',
      'policy.yaml:3: amounts[0]: expected the last one without up_to',
    ],
    ['no approvals', 'version: 1\namounts:\n  - approvals: 0', 'policy.yaml:3: amounts[0].approvals'],
    [
      'an invalid duration',
      'version: 1\ndurations:\n  longest: a while',
      'policy.yaml:3: durations.longest: expected a duration',
    ],
    [
      'a number for a duration',
      'version: 1\ndurations:\n  longest: 7',
      'policy.yaml:3: durations.longest: expected a duration such as 7 days',
    ],
    [
      'a card group listed twice',
      'version: 1\ngroups:\n  - cards: [North]\n  - cards:\n      - north',
      'policy.yaml:5: groups[1].cards[0]: expected each card group once',
    ],
    [
      'a card group named with spaces',
      'version: 1\ngroups:\n  - cards: ["  "]\n    approvers: [U0GUS]',
      'policy.yaml:3: groups[0].cards[0]: expected the name of a card group',
    ],
    [
      'a delegate for oneself',
      'version: 1\ndelegates:\n  - { for: U0ANA, to: U0ANA, from: 2026-12-24, until: 2026-12-31 }',
      'policy.yaml:3: delegates[0].to: expected somebody else',
    ],
    [
      'days in the wrong order',
      'version: 1\ndelegates:\n  - { for: U0ANA, to: U0BEN, from: 2026-12-24, until: 2026-12-01 }',
      'policy.yaml:3: delegates[0].until',
    ],
    ['no version', 'approvers: [U0ANA]', 'version: expected version: 1'],
    ['a duplicate key', 'version: 1\nversion: 1', 'policy.yaml:2: '],
    ['invalid YAML', 'version: 1\napprovers: [U0ANA', 'policy.yaml:2'],
    ['no content', '', 'version: expected version: 1'],
    [
      'a misspelled key',
      'version: 1\n\naprovers: [U0ANA]',
      'policy.yaml:3: does not know aprovers; did you mean approvers?',
    ],
  ])('with %s is rejected with the line and the reason', (_what, text, problem) => {
    expect(problemsOf(text).join('\n')).toContain(problem);
  });

  it('with several problems reports all of them', () => {
    expect(problemsOf('version: 2\napprovers: [x]\ndurations: { permanent: maybe }')).toHaveLength(3);
  });
});

describe('a group that sets one key inherits all others from a file that sets everything', () => {
  const everything = `
version: 1
approvers: [U0ZOE]
operators: [U0OTTO]
amounts: [{ up_to: 250, approvals: 2 }, { approvals: 3 }]
orders: [{ approvals: 4 }]
caps:
  person: { 24h: 100, 30d: 200 }
  card: { 24h: 300, 30d: 400 }
  program: { 24h: 500, 30d: 600 }
durations: { longest: 2 days, permanent: false }
approvals_channel: C0MAIN
`;
  const caps = {
    person: { dayCents: 10_000, monthCents: 20_000 },
    card: { dayCents: 30_000, monthCents: 40_000 },
    program: { dayCents: 50_000, monthCents: 60_000 },
  };
  const durations = { longestMs: 172_800_000, mayStay: false };
  const approval = {
    bands: [
      { upToCents: 25_000, approvals: 2 },
      { upToCents: null, approvals: 3 },
    ],
    orderBands: [{ upToCents: null, approvals: 4 }],
    caps,
    durations,
  };
  const inherited: PolicySection = {
    cardGroups: ['North'],
    approvers: { mentioned: ['U0ZOE'], permitted: ['U0ZOE'] },
    operators: { mentioned: ['U0OTTO'], permitted: ['U0OTTO'] },
    approval,
    approvalsChannel: 'C0MAIN',
  };

  it.each<[string, Partial<PolicySection>]>([
    ['approvers: [U0GUS]', { approvers: { mentioned: ['U0GUS'], permitted: ['U0GUS'] } }],
    ['operators: [U0GUS]', { operators: { mentioned: ['U0GUS'], permitted: ['U0GUS'] } }],
    ['amounts: [{ approvals: 5 }]', { approval: { ...approval, bands: [{ upToCents: null, approvals: 5 }] } }],
    [
      'caps: { person: { 24h: 7 } }',
      { approval: { ...approval, caps: { ...caps, person: { ...caps.person, dayCents: 700 } } } },
    ],
    [
      'caps: { card: { 24h: 7 } }',
      { approval: { ...approval, caps: { ...caps, card: { ...caps.card, dayCents: 700 } } } },
    ],
    [
      'caps: { program: { 30d: 7 } }',
      { approval: { ...approval, caps: { ...caps, program: { ...caps.program, monthCents: 700 } } } },
    ],
    ['caps: { person: {} }', {}],
    ['durations: { longest: 4h }', { approval: { ...approval, durations: { longestMs: 14_400_000, mayStay: false } } }],
    [
      'durations: { permanent: true }',
      { approval: { ...approval, durations: { longestMs: 172_800_000, mayStay: true } } },
    ],
    ['approvals_channel: C0NORTH', { approvalsChannel: 'C0NORTH' }],
  ])('%s', (key, own) => {
    const policy = parse(`${everything}groups: [{ cards: [North], ${key} }]`);

    expect(policy.groups).toEqual([{ ...inherited, ...own }]);
  });
});

it.each([
  ['durations: { longest: 4h }', false],
  ['durations: { longest: 4h, permanent: true }', true],
  ['durations: { permanent: true }\ngroups: [{ cards: [North], durations: { longest: 4h } }]', false],
  ['durations: { permanent: true }\ngroups: [{ cards: [North], durations: {} }]', true],
])('a longest duration allows nothing permanent unless its section says so: %s', (text, mayStay) => {
  const { standard, groups } = parse(`version: 1\n${text}`);

  expect((groups[0] ?? standard).approval.durations.mayStay).toBe(mayStay);
});

const examples = readdirSync('docs/policy').filter((name) => name.endsWith('.yaml'));

it.each(examples)('the example docs/policy/%s is a valid policy', (name) => {
  const policy = parsePolicy(readFileSync(`docs/policy/${name}`, 'utf8'), name, variables);

  expect(policy.standard.approvers.permitted.length).toBeGreaterThan(0);
});

it('in the example of the shop, each order needs both owners, also one without money', () => {
  const shop = parsePolicy(readFileSync('docs/policy/shop.yaml', 'utf8'), 'shop.yaml', variables);

  expect(readFileSync('docs/policy.md', 'utf8')).toContain('two owners, orders that always need both');
  expect(shop.standard.approvers.permitted).toHaveLength(2);
  expect(approvalsFor({ bands: shop.standard.approval.orderBands }, 0)).toBe(2);
});

it('there are three examples', () => {
  expect(examples).toHaveLength(3);
});
