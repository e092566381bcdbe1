import { describe, expect, it } from 'vitest';
import { createLog } from '../../../src/core/log.ts';
import { isPermitted } from '../../../src/dispatch/verbs.ts';
import { policyOfVariables } from '../../../src/policy/policy.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';
import { createRoles } from '../../../src/policy/roles.ts';
import { createRolesForCard } from '../../../src/policy/roles-for-card.ts';
import type { Mute } from '../../../src/routing/mute-store.ts';
import { createWhyMutePasses } from '../../../src/routing/route.ts';
import { card, declineEvent } from './subjects.ts';

const common = { id: 'mute_1', acctId: 7378, card: card({}), by: 'U0ANA', reason: '', at: '', endsAt: '' };
const mute: Mute = { kind: 'mute', ...common };
const travel: Mute = { kind: 'travel', ...common, countries: ['ES'], directChannel: 'D1' };
const subject = { event: declineEvent({ code: 'decline' }), card: card({}) };

type RolesForCard = ReturnType<typeof createRolesForCard>;
type Roles = Awaited<ReturnType<RolesForCard>>;

const operator: Roles = { roles: ['operator'], isComplete: true, isGroupKnown: true };

const noRole = /no role any more/;

interface Facts {
  readonly isHolder?: boolean;
  readonly isTested?: boolean;
  readonly caseId?: string;
  readonly roles?: Roles;
  readonly rolesForCard?: RolesForCard;
  readonly person?: Parameters<typeof createWhyMutePasses>[0]['person'];
  readonly directChannel?: string;
}

function passes(facts: Facts) {
  return createWhyMutePasses({
    isHolder: async () => facts.isHolder ?? false,
    cardTesting: { join: async () => (facts.isTested === true ? { warningId: 'evt_1', isCause: false } : null) },
    rolesForCard: facts.rolesForCard ?? (async () => facts.roles ?? operator),
    person: facts.person ?? (async () => ({ isDeactivated: false })),
    directChannel: async () => facts.directChannel ?? 'D1',
    mayTravel: (roles) => isPermitted('travel', roles),
    fraudCases: { openOf: async () => facts.caseId ?? null },
  });
}

describe('a mute in force', () => {
  it('withholds an event by default', async () => {
    expect(await passes({})(mute, subject, ['C1'])).toBeNull();
    expect(
      await passes({ roles: { ...operator, roles: [] } })(mute, subject, ['C1']),
      'it remains after its author has lost the role',
    ).toBeNull();
  });

  it('withholds nothing for its author’s own card, and no card-testing alert', async () => {
    expect(await passes({ isHolder: true })(mute, subject, ['C1'])).toMatch(/holds the card/);
    expect(await passes({ isTested: true })(mute, subject, ['C1'])).toMatch(/several cards/);
  });

  it('withholds nothing while the card has an open fraud case, whose thread collects what happens to it', async () => {
    const withCase = passes({ caseId: 'evt_case' });
    for (const each of [mute, travel]) expect(await withCase(each, subject, ['C1'])).toMatch(/fraud case is open/);
  });

  it.each([
    ['no', { ...operator, roles: [] }, noRole],
    ['unknown', { roles: [], isComplete: false, isGroupKnown: true }, /Slack could not say/],
    ['unknown-group', { ...operator, isGroupKnown: false }, /the group of the card is not known/],
  ] satisfies [string, Roles, RegExp][])(
    'as a travel mute counts only while its author may read the alerts: %s',
    async (_what, roles, why) => {
      expect(await passes({ roles })(travel, subject, ['C1'])).toMatch(why);
    },
  );

  it('as a travel mute withholds nothing that its author would not certainly read', async () => {
    const away = async () => {
      throw new Error('Slack does not say');
    };
    const gone = async () => ({ isDeactivated: true });

    expect(await passes({ person: gone })(travel, subject, ['C1'])).toMatch(/account is not active/);
    expect(await passes({ person: async () => null })(travel, subject, ['C1'])).toMatch(/account is not active/);
    expect(await passes({ person: away })(travel, subject, ['C1'])).toMatch(/could not say just now whether/);
    expect(await passes({ directChannel: 'D2' })(travel, subject, ['C1'])).toMatch(/conversation .* is another one/);
    expect(await passes({ person: gone })(mute, subject, ['C1']), 'it belongs to the team').toBeNull();
  });

  it('as a travel mute withholds while its author may read the alerts', async () => {
    expect(await passes({})(travel, subject, ['C1'])).toBeNull();
  });
});

const policy = parsePolicy(
  'version: 1\noperators: []\ngroups: [{ cards: [North], operators: [U0ANA] }, { cards: [South], operators: [U0OLGA, S0SOUTH] }]',
  'policy.yaml',
  policyOfVariables({ operators: [], approvers: [], twoPersonAboveCents: 0, serviceZone: 'America/New_York' }),
);

/** Ana is an operator for cards of the group North only. */
function rolesFor(group: string | null | undefined): RolesForCard {
  const { rolesOf } = createRoles({
    policy: () => policy,
    namedDelegates: async () => [],
    slack: {
      groupMembers: async () => {
        throw new Error('Slack does not say');
      },
      people: { of: async () => null },
    },
    rolesVersion: async () => null,
    isHolder: async () => false,
    now: () => new Date(),
    log: createLog({ level: 'silent', process: 'test' }),
  });
  const links = { isHeldBy: async () => false };
  return createRolesForCard({ rolesOf, groupOfCard: async () => group, links });
}

describe('whether the author of a travel mute may read its alerts', () => {
  it.each<[string, string | null | undefined, string, RegExp | null]>([
    ['the group of the card', 'North', 'U0ANA', null],
    ['another group', 'Elsewhere', 'U0ANA', noRole],
    ['a group that a user group decides, which cannot be read', 'South', 'U0ANA', /Slack could not say/],
    ['a card that is in no group', null, 'U0ANA', noRole],
    ['a card whose group is not known', undefined, 'U0ANA', /the group of the card is not known/],
    ['a card of a group where they never had a role', 'North', 'U0OLGA', noRole],
  ])('depends on their role for %s', async (_what, group, userId, may) => {
    const why = await passes({ rolesForCard: rolesFor(group) })({ ...travel, by: userId }, subject, ['C1']);
    if (may === null) expect(why).toBeNull();
    else expect(why).toMatch(may);
  });
});
