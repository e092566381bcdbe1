import { afterEach, describe, expect, it } from 'vitest';
import { listPage } from '../../../src/app-home/home-page.ts';
import { createHome } from '../../../src/app-home/render-home.ts';
import { createHomeViewers } from '../../../src/app-home/viewer-store.ts';
import { SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { type Delegation, policyOfVariables } from '../../../src/policy/policy.ts';
import { parsePolicy } from '../../../src/policy/policy-file.ts';
import { createRoles, createRolesVersion, forDisplay } from '../../../src/policy/roles.ts';
import { createSlackAnswers, type HowOld } from '../../../src/policy/slack-answers.ts';
import { useRedis } from '../../support/on-redis.ts';
import { until } from '../../support/until.ts';
import { variables } from './variables.ts';

const log = createLog({ level: 'silent', process: 'test' });

describe('who has which role', () => {
  let policy = variables;
  afterEach(() => {
    policy = variables;
  });

  let version = '1';
  const rolesVersion = async () => version;
  let named: readonly Delegation[] = [];
  const active = async () => ({ isDeactivated: false });
  const create = (
    groupMembers: (id: string) => Promise<string[]>,
    elapsed = () => 0,
    person: (id: string) => Promise<{ isDeactivated: boolean } | null> = active,
  ) =>
    createRoles(
      {
        namedDelegates: async () => named,
        policy: () => policy,
        slack: {
          groupMembers,
          people: createSlackAnswers({ what: 'person', ask: person, version: rolesVersion, log, now: elapsed }),
        },
        rolesVersion,
        isHolder: async (id) => id === 'U7',
        now: () => new Date(elapsed()),
        log,
      },
      elapsed,
    );
  const members: Record<string, string[]> = { S1: ['U3'], S2: ['U4'] };

  it.each<[string, Role[]]>([
    ['U1', ['operator']],
    ['U2', ['approver']],
    ['U3', ['operator']],
    ['U4', ['approver']],
    ['U7', ['holder']],
    ['U9', []],
  ])('%s: %j', async (user, roles) => {
    const known = create(async (id) => members[id] ?? []);

    expect(await known.rolesOf(user)).toEqual({ roles, isComplete: true });
  });

  it("is what the policy says about the card's group, or about any group if no card is meant", async () => {
    policy = parsePolicy('version: 1\ngroups: [{ cards: [North], approvers: [U5] }]', 'policy.yaml', variables);
    const known = create(async () => []);

    expect((await known.rolesOf('U5', { group: 'North' })).roles).toEqual(['approver']);
    expect((await known.rolesOf('U5', { group: 'South' })).roles).toEqual([]);
    expect((await known.rolesOf('U5')).roles).toEqual(['approver']);
    expect((await known.rolesOf('U2', { group: 'North' })).roles).toEqual([]);
  });

  it('includes the roles of the people for whom somebody stands in, even those from a user group', async () => {
    const delegates = '[{ for: U4, to: U9, from: 1970-01-01, until: 1970-01-01 }]';
    policy = parsePolicy(`version: 1\ndelegates: ${delegates}`, 'policy.yaml', variables);
    const day = 86_400_000;

    expect(
      (
        await create(
          async (id) => members[id] ?? [],
          () => day / 2,
        ).rolesOf('U9')
      ).roles,
    ).toEqual(['approver']);
    expect(
      (
        await create(
          async (id) => members[id] ?? [],
          () => 2 * day,
        ).rolesOf('U9')
      ).roles,
    ).toEqual([]);
  });

  it('includes those of an approver who named a delegate, while the policy lists the delegate; delegates cannot pass them on', async () => {
    const day = { from: '1970-01-01', until: '1970-01-01' };
    named = [
      { for: 'U2', to: 'U8', ...day },
      { for: 'U8', to: 'U9', ...day },
    ];
    policy = parsePolicy('version: 1\nown_delegates: [U8, U9]', 'policy.yaml', variables);
    const known = create(
      async (id) => members[id] ?? [],
      () => 43_200_000,
    );

    expect((await known.rolesOf('U8')).roles).toEqual(['approver']);
    expect((await known.rolesOf('U9')).roles, 'named by a delegate').toEqual([]);
    policy = parsePolicy('version: 1\nown_delegates: [U9]', 'policy.yaml', variables);
    expect((await known.rolesOf('U8')).roles, 'no longer listed').toEqual([]);
  });

  it('includes none of a person whose account is deactivated, whoever named the delegate', async () => {
    const day = { from: '1970-01-01', until: '1970-01-01' };
    named = [{ for: 'U2', to: 'U8', ...day }];
    const delegates = '[{ for: U4, to: U9, from: 1970-01-01, until: 1970-01-01 }]';
    policy = parsePolicy(`version: 1\nown_delegates: [U8]\ndelegates: ${delegates}`, 'policy.yaml', variables);
    const deactivated = new Set(['U2', 'U4']);
    const asked: string[] = [];
    const known = create(
      async (id) => members[id] ?? [],
      () => 43_200_000,
      async (id) => {
        asked.push(id);
        return { isDeactivated: deactivated.has(id) };
      },
    );
    const nobody = { roles: [], isComplete: true };

    expect(await known.rolesOf('U8'), 'named by the approver').toEqual(nobody);
    expect(await known.rolesOf('U9'), 'named in the policy, for a member of a user group').toEqual(nobody);
    expect(asked.toSorted(), 'once each').toEqual(['U2', 'U4']);
    deactivated.clear();
    version += '1';
    expect((await known.rolesOf('U8')).roles).toEqual(['approver']);
    expect((await known.rolesOf('U9')).roles).toEqual(['approver']);
  });

  it('is uncertain for a delegate while Slack does not say whether the other account is deactivated', async () => {
    const lines = ['U1', 'U2', 'U9'].map((to) => `  - { for: U4, to: ${to}, from: 1970-01-01, until: 1970-01-01 }\n`);
    policy = parsePolicy(`version: 1\ndelegates:\n${lines.join('')}`, 'policy.yaml', variables);
    const known = create(
      async (id) => members[id] ?? [],
      () => 43_200_000,
      async () => {
        throw new SlackError('users.info', 'unknown', 'no_answer');
      },
    );

    expect(await known.rolesOf('U9')).toEqual({ roles: [], isComplete: false });
    expect(await known.rolesOf('U1'), 'their own role is certain').toEqual({
      roles: ['operator'],
      isComplete: false,
    });
    expect(await known.rolesOf('U2'), 'and needs nobody else').toEqual({ roles: ['approver'], isComplete: true });
  });

  it('changes with the policy, without a restart', async () => {
    const known = create(async () => []);
    policy = parsePolicy('version: 1\napprovers: [U6]', 'policy.yaml', variables);

    expect((await known.rolesOf('U6')).roles).toEqual(['approver']);
  });

  it('is looked up at every click', async () => {
    const groups = { S1: ['U3'], S2: [] as string[] };
    const known = create(async (id) => groups[id as 'S1']);
    await known.rolesOf('U3');

    groups.S1 = [];

    expect((await known.rolesOf('U3')).roles).toEqual([]);
  });

  it('is looked up once for concurrent calls, and again if the group changed in the meantime', async () => {
    let calls = 0;
    const answers: ((members: string[]) => void)[] = [];
    const known = createRoles({
      namedDelegates: async () => [],
      policy: () => policyOfVariables({ operators: ['S1'], approvers: [], twoPersonAboveCents: 0, serviceZone: 'UTC' }),
      slack: {
        groupMembers: async () => {
          calls += 1;
          return await new Promise<string[]>((resolve) => answers.push(resolve));
        },
        people: { of: active },
      },
      rolesVersion,
      isHolder: async () => false,
      knownForMs: 10_000,
      log,
      now: () => new Date(0),
    });
    const first = [known.rolesOf('U3'), known.rolesOf('U4')];
    await until(() => calls === 1, 'the first lookup');
    version += '1';
    const second = known.rolesOf('U3');
    await until(() => calls === 2, 'the second lookup');
    answers[1]?.([]);
    answers[0]?.(['U3']);
    await Promise.all(first);

    expect((await second).roles).toEqual([]);
    expect((await known.rolesOf('U3')).roles, 'the newer answer counts').toEqual([]);
    expect(calls).toBe(2);
  });

  it('is not guessed if Slack does not answer, but certain roles count', async () => {
    const known = create(async () => {
      throw new SlackError('usergroups.users.list', 'unknown', 'no_answer');
    });

    expect(await known.rolesOf('U3')).toEqual({ roles: [], isComplete: false });
    expect(await known.rolesOf('U1')).toEqual({ roles: ['operator'], isComplete: false });
  });

  it('may be up to a minute old only if Slack reports a rate limit', async () => {
    let at = 0;
    let failure: SlackError | null = null;
    const known = create(
      async (id) => {
        if (failure !== null) throw failure;
        return members[id] ?? [];
      },
      () => at,
    );
    await known.rolesOf('U3');
    failure = new SlackError('usergroups.users.list', 'rate_limited', 'ratelimited');

    expect((await known.rolesOf('U3')).roles).toEqual(['operator']);
    at = 60_000;
    expect((await known.rolesOf('U3')).roles).toEqual(['operator']);
    at = 60_001;
    expect(await known.rolesOf('U3')).toEqual({ roles: [], isComplete: false });
    // Within 20 seconds of Slack's answer there is no new call.
    at = 20_001;
    failure = new SlackError('usergroups.users.list', 'unknown', 'no_answer');
    expect(await known.rolesOf('U3'), 'after any other failure').toEqual({ roles: [], isComplete: false });
    failure = new SlackError('usergroups.users.list', 'rate_limited', 'ratelimited');
    version += '1';
    expect(await known.rolesOf('U3')).toEqual({ roles: [], isComplete: false });
  });

  it('ignores answers from before a change reported by Slack, in every process, except for a block', async () => {
    let isSilent = false;
    const silent = new SlackError('usergroups.users.list', 'unknown', 'no_answer');
    const processes = [0, 1].map(() =>
      create(async (id) => {
        if (isSilent) throw silent;
        return members[id] ?? [];
      }),
    );
    const rolesIn = async (howOld: HowOld) =>
      await Promise.all(processes.map(async ({ rolesOf }) => (await rolesOf('U3', howOld)).roles));
    expect(await rolesIn({ knownForMs: 5000 })).toEqual([['operator'], ['operator']]);
    isSilent = true;
    expect(await rolesIn({ knownForMs: 5000, stillGoodMs: 0 })).toEqual([['operator'], ['operator']]);

    version += '1';

    expect(await rolesIn({ knownForMs: 5000, stillGoodMs: 0 }), 'to loosen a card').toEqual([[], []]);
    const safer = { knownForMs: 5000, stillGoodMs: Number.POSITIVE_INFINITY };
    expect(await rolesIn(safer), 'to make a card safer').toEqual([['operator'], ['operator']]);
  });
});

const redis = useRedis();
const byGroup = policyOfVariables({
  operators: ['U0OTTO', 'S0APPROVERS'],
  approvers: ['S0APPROVERS'],
  twoPersonAboveCents: 100_000,
  serviceZone: 'America/New_York',
});

/** Ana is an approver through a user group. The group can change without an event from Slack. */
function world() {
  const group = { members: ['U0ANA'] as readonly string[] | null, asked: 0 };
  let elapsedMs = 0;
  const { rolesOf } = createRoles(
    {
      namedDelegates: async () => [],
      policy: () => byGroup,
      slack: {
        groupMembers: async () => {
          group.asked += 1;
          if (group.members === null) throw new Error('Slack does not say');
          return group.members;
        },
        people: { of: async () => null },
      },
      rolesVersion: async () => null,
      isHolder: async (userId) => userId === 'U0OTTO',
      log,
      now: () => new Date(0),
    },
    () => elapsedMs,
  );
  const currentRoles = (userId: string) => rolesOf(userId, forDisplay);
  const advance = (ms: number): void => {
    elapsedMs += ms;
  };
  return { group, currentRoles, advance };
}

describe('roles for display', () => {
  it('are looked up again after a minute, once for many callers', async () => {
    const { group, currentRoles, advance } = world();
    expect(await currentRoles('U0ANA')).toEqual({ roles: ['approver', 'operator'], isComplete: true });
    expect(await currentRoles('U0OTTO')).toEqual({ roles: ['operator', 'holder'], isComplete: true });
    expect(group.asked).toBe(1);

    group.members = [];
    advance(60_000);

    expect(await currentRoles('U0ANA')).toEqual({ roles: [], isComplete: true });
  });

  it('are empty and marked incomplete while Slack fails; a burst of calls retries only every half minute', async () => {
    const { group, currentRoles, advance } = world();
    group.members = null;

    await Promise.all(Array.from({ length: 20 }, () => currentRoles('U0ANA')));
    advance(29_999);
    expect(await currentRoles('U0ANA')).toEqual({ roles: [], isComplete: false });
    // One call for both roles, which name the same group.
    expect(group.asked).toBe(1);

    group.members = ['U0ANA'];
    advance(1);
    expect(await currentRoles('U0ANA')).toEqual({ roles: ['approver', 'operator'], isComplete: true });
  });

  it('use an answer from the last minute if Slack fails', async () => {
    const { group, currentRoles, advance } = world();
    await currentRoles('U0ANA');
    group.members = null;
    advance(59_999);

    expect(await currentRoles('U0ANA')).toEqual({ roles: ['approver', 'operator'], isComplete: true });
  });
});

describe('App Home', () => {
  it("rendered again hides the team's data from a person who lost the role, even without an event", async () => {
    const { group, currentRoles, advance } = world();
    const teamFor: boolean[] = [];
    const published: string[] = [];
    const none = { requests: [], claims: [], temporaryChanges: [], mutes: [], declines: [], inactive: [] };
    const home = createHome({
      viewers: createHomeViewers(redis(), () => new Date()),
      currentRoles,
      facts: {
        ownRequests: async () => [],
        preferencesOf: async () => ({ off: [], digest: null, quiet: null, delegates: [] }),
        delegateOf: async () => ({ current: null, allowed: [] }),
        ownCards: async () => listPage([], 1, 5),
        teamFacts: async ({ isApprover }) => {
          teamFor.push(isApprover);
          return { isApprover, ...none, health: { lagMs: 0 } } as never;
        },
      },
      recordOpening: async () => {},
      page: { isShown: async () => true, publish: async (_userId, view) => void published.push(JSON.stringify(view)) },
      enqueue: { renderHome: async () => {}, renderAll: async () => {} },
      now: () => new Date(),
      log,
    });
    await home.open({ id: 'home_1', userId: 'U0ANA', isOpening: true, turn: null });
    group.members = [];
    advance(60_000);

    await home.render('U0ANA');

    expect(teamFor).toEqual([]);
    expect(published.join()).toContain('Do you hold a card?');
  });
});

it('a change reported by Slack reaches every process through Redis', async () => {
  const [web, worker] = [createRolesVersion(redis()), createRolesVersion(redis())];
  const before = await worker.read();

  await web.changed();

  expect(await worker.read()).not.toBe(before);
});
