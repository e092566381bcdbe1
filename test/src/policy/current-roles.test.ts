import { describe, expect, it } from 'vitest';
import { createHome } from '../../../src/app-home/render-home.ts';
import { createHomeViewers } from '../../../src/app-home/viewer-store.ts';
import { createLog } from '../../../src/core/log.ts';
import { createCurrentRoles } from '../../../src/policy/current-roles.ts';
import { policyOfVariables } from '../../../src/policy/policy.ts';
import { useRedis } from '../../support/on-redis.ts';

const redis = useRedis();
const policy = policyOfVariables({
  operators: ['U0OTTO', 'S0APPROVERS'],
  approvers: ['S0APPROVERS'],
  twoPersonAboveCents: 100_000,
  serviceZone: 'America/New_York',
});
const log = createLog({ level: 'silent', process: 'test' });

/** Ana is an approver by a group that Slack is asked for; what the group is can change without a word. */
function world() {
  const group = { members: ['U0ANA'] as readonly string[] | null, asked: 0 };
  let nowMs = 0;
  const currentRoles = createCurrentRoles({
    policy: () => policy,
    groupMembers: async () => {
      group.asked += 1;
      if (group.members === null) throw new Error('Slack does not say');
      return group.members;
    },
    isHolder: async (userId) => userId === 'U0OTTO',
    log,
    now: () => nowMs,
  });
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { group, currentRoles, advance };
}

describe('roles by now', () => {
  it('are asked for again after a minute, once for many', async () => {
    const { group, currentRoles, advance } = world();
    expect(await currentRoles('U0ANA')).toEqual({ roles: ['approver', 'operator'], isComplete: true });
    expect(await currentRoles('U0OTTO')).toEqual({ roles: ['operator', 'holder'], isComplete: true });
    expect(group.asked).toBe(1);

    group.members = [];
    advance(60_000);

    expect(await currentRoles('U0ANA')).toEqual({ roles: [], isComplete: true });
  });

  it('are none while Slack does not say, and that is said; a storm asks it once in half a minute', async () => {
    const { group, currentRoles, advance } = world();
    group.members = null;

    await Promise.all(Array.from({ length: 20 }, () => currentRoles('U0ANA')));
    advance(29_999);
    expect(await currentRoles('U0ANA')).toEqual({ roles: [], isComplete: false });
    // For both roles, which name the same group.
    expect(group.asked).toBe(1);

    group.members = ['U0ANA'];
    advance(1);
    expect(await currentRoles('U0ANA')).toEqual({ roles: ['approver', 'operator'], isComplete: true });
  });

  it('what Slack said within a minute counts, though it falls silent', async () => {
    const { group, currentRoles, advance } = world();
    await currentRoles('U0ANA');
    group.members = null;
    advance(59_999);

    expect(await currentRoles('U0ANA')).toEqual({ roles: ['approver', 'operator'], isComplete: true });
  });
});

describe('App Home', () => {
  it('drawn again shows nothing of the team to who lost the role since it was opened, though nobody said so', async () => {
    const { group, currentRoles, advance } = world();
    const teamFor: boolean[] = [];
    const published: string[] = [];
    const none = { requests: [], claims: [], recentRaises: [], mutes: [], declines: [], inactive: [] };
    const home = createHome({
      viewers: createHomeViewers(redis()),
      currentRoles,
      ownRequests: async () => [],
      recordOpening: async () => {},
      ownCards: async () => [],
      teamFacts: async ({ isApprover }) => {
        teamFor.push(isApprover);
        return { isApprover, ...none, health: { lagMs: 0 } } as never;
      },
      publish: async (_userId, view) => void published.push(JSON.stringify(view)),
      enqueue: { renderHome: async () => {}, renderAll: async () => {} },
      now: () => new Date(),
      log,
    });
    await home.open({ id: 'home_1', userId: 'U0ANA', roles: ['approver', 'operator'], isOpening: true });
    group.members = [];
    advance(60_000);

    await home.render('U0ANA');

    expect(teamFor).toEqual([]);
    expect(published.join()).toContain('Do you hold a card?');
  });
});
