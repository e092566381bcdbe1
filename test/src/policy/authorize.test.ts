import { describe, expect, it } from 'vitest';
import { permissionOf } from '../../../src/dispatch/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { createAuthorization } from '../../../src/policy/authorize.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { createRolesForCard, type KnownRoles } from '../../../src/policy/permissions.ts';
import type { HowOld } from '../../../src/policy/slack-answers.ts';

const now = new Date('2026-11-20T15:00:00.000Z');
const OLGA = { userId: 'U0OLGA' };

/** What Slack says now of everybody; at the click they had other roles. */
function world(
  known: KnownRoles,
  { holder = null as string | null, former = null as string | null, isGroupKnown = true, isDeactivated = false } = {},
) {
  const asked: HowOld[] = [];
  const remembered: object[] = [];
  const rolesOf = async (_userId: string, howOld: HowOld = {}) => {
    asked.push(howOld);
    return known;
  };
  const authorization = createAuthorization({
    rolesOf,
    person: async () => ({ isDeactivated }),
    rolesForCard: createRolesForCard({
      rolesOf,
      groupOfCard: async () => (isGroupKnown ? null : undefined),
      links: { isHeldBy: async (userId) => userId === holder },
    }),
    isOwnCard: async (userId) => userId === holder || userId === former,
    policyOfCard: async () => approvalPolicyOf({ twoPersonAboveCents: 100_000 }),
    permissionOf,
    remember: async (decision, acctId) => void remembered.push({ ...decision, acctId }),
    now: () => now,
  });
  const click = (verb: string, roles: Role[] = ['approver']) => ({
    id: 'act_1',
    verb,
    actor: OLGA,
    roles,
    askedAt: now.toISOString(),
  });
  return { ...authorization, click, asked, remembered };
}

describe('may somebody do that now?', () => {
  it('the roles of the click count for nothing', async () => {
    const { authorize, click } = world({ roles: [], isComplete: true });

    expect(await authorize(click('unblock'), { acctId: 1 })).toMatchObject({ kind: 'refused', who: 'approver' });
    expect(await authorize(click('block'), { acctId: 1 })).toMatchObject({ kind: 'refused', who: 'operator' });
  });

  it('while Slack is silent, those of the click do for a block, and nobody is let through to anything looser', async () => {
    const { authorize, click, asked } = world({ roles: [], isComplete: false });

    expect(await authorize(click('block'), { acctId: 1 })).toEqual({ kind: 'allowed' });
    await expect(authorize(click('unblock'), { acctId: 1 })).rejects.toThrow('does not say who');
    await expect(authorize(click('limit'), { acctId: 1, raiseCents: 1 })).rejects.toThrow('does not say who');
    expect(asked.map(({ stillGoodMs }) => stillGoodMs)).toEqual([Number.POSITIVE_INFINITY, 0, 0]);
  });

  it('a role that is certain is enough, whatever else Slack does not say', async () => {
    const { authorize, click } = world({ roles: ['approver'], isComplete: false });

    expect(await authorize(click('unblock', []), { acctId: 1 })).toEqual({ kind: 'allowed' });
  });

  it('a card is the own one while it is linked, for a while after that, and where it was when it counted', async () => {
    const known: KnownRoles = { roles: ['approver'], isComplete: true };
    const unblock = async (of: Parameters<typeof world>[1], heldBy: string | null = null) => {
      const { authorize, click } = world(known, of);
      return (await authorize(click('unblock'), { acctId: 1, isOwn: async (userId) => userId === heldBy })).kind;
    };

    expect(await unblock({ holder: 'U0OLGA' })).toBe('refused');
    expect(await unblock({ former: 'U0OLGA' })).toBe('refused');
    expect(await unblock({ holder: 'U0HUGO' }, 'U0OLGA')).toBe('refused');
    expect(await unblock({ holder: 'U0HUGO' })).toBe('allowed');
  });

  it('a card whose group nobody knows can be made safer, and not looser', async () => {
    const { authorize, click } = world({ roles: ['approver'], isComplete: true }, { isGroupKnown: false });

    expect(await authorize(click('block'), { acctId: 1 })).toEqual({ kind: 'allowed' });
    await expect(authorize(click('unblock'), { acctId: 1 })).rejects.toThrow('did not return the group of a card');
    await expect(authorize(click('limit'), { acctId: 1, raiseCents: 1 })).rejects.toThrow(
      'did not return the group of a card',
    );
  });

  it('whoever approved before their account was deactivated counts no more', async () => {
    const known: KnownRoles = { roles: ['approver'], isComplete: true };

    expect(await world(known).approvesFor('U0BEN', 1, [])).toEqual(['U0BEN']);
    expect(await world(known, { isDeactivated: true }).approvesFor('U0BEN', 1, [])).toBeNull();
  });

  it('whoever asked for something looser before their account was deactivated does not get it; a block is done', async () => {
    const { authorize, click } = world({ roles: ['approver'], isComplete: true }, { isDeactivated: true });

    expect(await authorize(click('unblock'), { acctId: 1 })).toMatchObject({ kind: 'refused', who: 'approver' });
    expect(await authorize(click('block'), { acctId: 1 })).toEqual({ kind: 'allowed' });
  });

  it('what was decided, and on which facts, is kept', async () => {
    const { authorize, click, remembered } = world({ roles: ['approver'], isComplete: true }, { holder: 'U0HUGO' });
    const raise = { raiseCents: Number.POSITIVE_INFINITY, lastsMs: Number.POSITIVE_INFINITY, isOverCap: true };

    await authorize(click('limit'), { acctId: 1, ...raise });

    expect(remembered).toEqual([
      {
        actionId: 'act_1',
        acctId: 1,
        verb: 'limit',
        userId: 'U0OLGA',
        roles: ['approver'],
        isOwnCard: false,
        isHolder: false,
        isOwnAction: null,
        ageMs: null,
        raiseCents: 'no amount',
        isOverCap: true,
        lastsMs: 'stays',
        kind: 'request',
        others: 1,
      },
    ]);
  });

  it('what loosens a card and waited for eleven minutes is late', async () => {
    const { authorize, click } = world({ roles: ['approver'], isComplete: true });
    const askedAt = new Date(now.getTime() - 11 * 60_000).toISOString();

    expect(await authorize({ ...click('unblock'), askedAt }, { acctId: 1 })).toEqual({ kind: 'late' });
    expect(await authorize({ ...click('block'), askedAt }, { acctId: 1 })).toEqual({ kind: 'allowed' });
  });

  it('who approved a while ago is an approver now, is none, or nobody knows', async () => {
    const approvesFor = (known: KnownRoles) => world(known).approvesFor('U0BEN', 1, []);

    expect(await approvesFor({ roles: ['approver'], isComplete: true })).toEqual(['U0BEN']);
    expect(await approvesFor({ roles: ['approver'], isComplete: true, inPlaceOf: ['U0ANA'] })).toEqual(['U0ANA']);
    expect(await approvesFor({ roles: ['operator'], isComplete: true })).toBeNull();
    await expect(approvesFor({ roles: [], isComplete: false })).rejects.toThrow('does not say who');
  });
});
