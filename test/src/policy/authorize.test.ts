import { describe, expect, it } from 'vitest';
import { RolesUnreadError, SlackError } from '../../../src/core/errors.ts';
import { createLog } from '../../../src/core/log.ts';
import { permissionOf } from '../../../src/dispatch/verbs.ts';
import { approvalPolicyOf } from '../../../src/policy/approval-policy.ts';
import { createAuthorization } from '../../../src/policy/authorize.ts';
import type { Role } from '../../../src/policy/decide-action.ts';
import { policyOfVariables } from '../../../src/policy/policy.ts';
import { createRoles, type KnownRoles, type Roles } from '../../../src/policy/roles.ts';
import { createRolesForCard } from '../../../src/policy/roles-for-card.ts';
import { createSlackAnswers, type HowOld } from '../../../src/policy/slack-answers.ts';

const now = new Date('2026-11-20T15:00:00.000Z');
const OLGA = { userId: 'U0OLGA' };

interface World {
  readonly holder?: string | null;
  readonly former?: string | null;
  readonly isGroupKnown?: boolean;
  readonly isDeactivated?: boolean;
  readonly person?: Parameters<typeof createAuthorization>[0]['person'];
  readonly isOwnCard?: (userId: string, acctId: number, isLooser: boolean) => Promise<boolean>;
  readonly groupOfCard?: (acctId: number, isLooser: boolean) => Promise<string | null | undefined>;
}

/** @param known the roles that Slack reports now. At the click they were different. */
function world(
  known: KnownRoles | Roles['rolesOf'],
  {
    holder = null,
    former = null,
    isGroupKnown = true,
    isDeactivated = false,
    person = async () => ({ isDeactivated }),
    isOwnCard = async (userId: string): Promise<boolean> => userId === holder || userId === former,
    groupOfCard = async (_acctId: number, _isLooser: boolean): Promise<string | null | undefined> =>
      isGroupKnown ? null : undefined,
  }: World = {},
) {
  const asked: HowOld[] = [];
  const remembered: object[] = [];
  const rolesOf = async (userId: string, howOld: HowOld = {}) => {
    asked.push(howOld);
    return typeof known === 'function' ? await known(userId, howOld) : known;
  };
  const authorization = createAuthorization({
    rolesOf,
    person,
    rolesForCard: createRolesForCard({
      rolesOf,
      groupOfCard,
      links: { isHeldBy: async (userId) => userId === holder },
    }),
    isOwnCard,
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

describe('authorizing an action', () => {
  it('ignores the roles of the click', async () => {
    const { authorize, click } = world({ roles: [], isComplete: true });

    expect(await authorize(click('unblock'), { acctId: 1 })).toMatchObject({ kind: 'refused', who: 'approver' });
    expect(await authorize(click('block'), { acctId: 1 })).toMatchObject({ kind: 'refused', who: 'operator' });
  });

  it('while Slack is unavailable, trusts the roles of the click for a block and allows nothing looser', async () => {
    const { authorize, click, asked } = world({ roles: [], isComplete: false });

    expect(await authorize(click('block'), { acctId: 1 })).toEqual({ kind: 'allowed' });
    await expect(authorize(click('unblock'), { acctId: 1 })).rejects.toThrow('does not say who');
    await expect(authorize(click('limit'), { acctId: 1, raiseCents: 1 })).rejects.toThrow('does not say who');
    expect(asked.map(({ stillGoodMs }) => stillGoodMs)).toEqual([Number.POSITIVE_INFINITY, 0, 0]);
  });

  it('needs only a certain role, whatever else Slack cannot tell', async () => {
    const { authorize, click } = world({ roles: ['approver'], isComplete: false });

    expect(await authorize(click('unblock', []), { acctId: 1 })).toEqual({ kind: 'allowed' });
  });

  it("treats a card as the person's own while it is linked, for a while after, and if it was theirs at the time that counts", async () => {
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

  it.each(['link', 'unlink', 'decide-claim', 'show', 'declines', 'resend-virtual'])(
    'waits for the group of a card before a %s, except by its holder where that is enough',
    async (verb) => {
      const of = { isGroupKnown: false, isOwnCard: async () => false };
      const known: KnownRoles = { roles: ['approver'], isComplete: true };
      const { authorize, click } = world(known, of);
      await expect(authorize(click(verb), { acctId: 1 })).rejects.toThrow('did not return the group of a card');

      const byHolder = world(known, { ...of, holder: 'U0OLGA' });
      const decided = byHolder.authorize(byHolder.click(verb), { acctId: 1 });
      if (permissionOf(verb).holderMay === true) expect(await decided).toEqual({ kind: 'allowed' });
      else await expect(decided).rejects.toThrow(RolesUnreadError);
    },
  );

  it.each(['show', 'declines', 'why', 'mutes', 'unblock', 'decide', 'decide-claim'])(
    'does not say whether a person may %s while the group of the card is not known, except a holder where that is enough',
    async (verb) => {
      const known: KnownRoles = { roles: ['approver'], isComplete: true };
      const { mayAct, click } = world(known, { isGroupKnown: false });
      expect(await mayAct(click(verb), 1)).toBeNull();
      expect(await mayAct(click('block'), 1)).toBe(true);
      expect(await mayAct(click(verb), null), 'about no card').toBe(true);

      const byHolder = world(known, { isGroupKnown: false, holder: 'U0OLGA' });
      expect(await byHolder.mayAct(byHolder.click(verb), 1)).toBe(permissionOf(verb).holderMay === true ? true : null);
    },
  );

  it('allows making a card of an unknown group safer, but not looser', async () => {
    const { authorize, click } = world({ roles: ['approver'], isComplete: true }, { isGroupKnown: false });

    for (const verb of ['block', 'acknowledge', 'mute', 'unmute', 'travel', 'limit', 'revert'])
      expect(await authorize(click(verb), { acctId: 1 }), verb).toEqual({ kind: 'allowed' });
    await expect(authorize(click('unblock'), { acctId: 1 })).rejects.toThrow('did not return the group of a card');
    await expect(authorize(click('limit'), { acctId: 1, raiseCents: 1 })).rejects.toThrow(
      'did not return the group of a card',
    );
  });

  it.each([
    ['unblock', 0, ['group', 'owner']],
    ['limit', 1, ['group', 'owner']],
    ['limit', 0, []],
    ['mute', 0, []],
    ['block', 0, []],
  ])('before a %s of %i cents more it has read again: %o', async (verb, raiseCents, expected) => {
    const again: string[] = [];
    const { authorize, click } = world(
      { roles: ['approver'], isComplete: true },
      {
        async groupOfCard(_acctId, isLooser) {
          if (isLooser) again.push('group');
          return null;
        },
        async isOwnCard(_userId, _acctId, isLooser) {
          if (isLooser) again.push('owner');
          return false;
        },
      },
    );

    await authorize(click(verb), { acctId: 1, raiseCents });

    expect(again).toEqual(expected);
  });

  it.each<[verb: string, raiseCents: number, isAsked: boolean]>([
    ['limit', 100, true],
    ['limit', 0, false],
    ['mute', 0, true],
    ['block', 0, false],
  ])(
    'asks whose card it is before a %s of %i cents more only if that matters: %s',
    async (verb, raiseCents, isAsked) => {
      const unread = async () =>
        Promise.reject(new RolesUnreadError('the card service did not return whose card it is'));
      const { authorize, click } = world({ roles: ['approver'], isComplete: true }, { isOwnCard: unread });

      const decided = await authorize(click(verb), { acctId: 1, raiseCents }).catch((error: unknown) => error);

      expect(decided instanceof RolesUnreadError).toBe(isAsked);
    },
  );

  it('refuses somebody who left the user group 6 seconds ago, even if Slack sent no event', async () => {
    let members = ['U0OLGA'];
    let elapsedMs = 0;
    const { rolesOf } = createRoles(
      {
        namedDelegates: async () => [],
        policy: () =>
          policyOfVariables({ operators: [], approvers: ['S0FIN'], twoPersonAboveCents: 0, serviceZone: 'UTC' }),
        slack: { groupMembers: async () => members, people: { of: async () => null } },
        rolesVersion: async () => null,
        isHolder: async () => false,
        now: () => now,
        log: createLog({ level: 'silent', process: 'test' }),
      },
      () => elapsedMs,
    );
    const { authorize, click } = world(rolesOf);
    const unblock = async () => (await authorize(click('unblock'), { acctId: 1 })).kind;

    expect(await unblock()).toBe('allowed');
    members = [];
    elapsedMs += 6000;
    expect(await unblock()).toBe('refused');
  });

  it('ignores the approval of a person whose account has been deactivated', async () => {
    const known: KnownRoles = { roles: ['approver'], isComplete: true };

    expect(await world(known).approvesFor('U0BEN', 1, true, {})).toEqual(['U0BEN']);
    expect(await world(known, { isDeactivated: true }).approvesFor('U0BEN', 1, true, {})).toEqual([]);
  });

  it('refuses to loosen a card for a person whose account has been deactivated, but still makes it safer', async () => {
    const { authorize, click } = world({ roles: ['approver'], isComplete: true }, { isDeactivated: true });

    expect(await authorize(click('unblock'), { acctId: 1 })).toMatchObject({ kind: 'refused', who: 'approver' });
    for (const verb of ['block', 'limit', 'allow', 'revert'])
      expect(await authorize(click(verb), { acctId: 1 }), verb).toEqual({ kind: 'allowed' });
  });

  it.each(['link', 'decide', 'resend-virtual', 'subscribe', 'show', 'mute', 'unmute', 'travel', 'acknowledge'])(
    'refuses a %s of a person whose account has been deactivated since the click, though it loosens no card',
    async (verb) => {
      const { authorize, click } = world({ roles: ['approver'], isComplete: true }, { isDeactivated: true });

      expect(await authorize(click(verb), { acctId: 1 })).toMatchObject({ kind: 'refused' });
    },
  );

  it.each([
    ['link', 1],
    ['show', 1],
    ['unblock', 2],
  ])(
    'calls Slack about the person of two clicks on %s, while Slack does not answer, %i time(s)',
    async (verb, calls) => {
      let asked = 0;
      const slack = async (): Promise<never> => {
        asked += 1;
        throw new SlackError('users.info', 'unknown', 'timeout');
      };
      const log = createLog({ level: 'silent', process: 'test' });
      const people = createSlackAnswers({ what: 'person', ask: slack, version: async () => null, log });
      const person = async (userId: string, howOld?: HowOld) => await people.of(userId, howOld);
      const { authorize, click } = world({ roles: ['approver'], isComplete: true }, { person });

      for (let clicks = 0; clicks < 2; clicks += 1) await authorize(click(verb), { acctId: 1 }).catch(() => {});

      expect(asked).toBe(calls);
    },
  );

  it('lets a deactivated person withdraw what they asked for', async () => {
    const { authorize, click } = world({ roles: [], isComplete: true }, { isDeactivated: true });

    expect(await authorize(click('withdraw'), { isOwnAction: true })).toEqual({ kind: 'allowed' });
  });

  it('stores the decision and its facts', async () => {
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

  it('returns late for a loosening action that waited eleven minutes', async () => {
    const { authorize, click } = world({ roles: ['approver'], isComplete: true });
    const askedAt = new Date(now.getTime() - 11 * 60_000).toISOString();

    expect(await authorize({ ...click('unblock'), askedAt }, { acctId: 1 })).toEqual({ kind: 'late' });
    expect(await authorize({ ...click('block'), askedAt }, { acctId: 1 })).toEqual({ kind: 'allowed' });
  });

  it('checks whether an earlier approver still is one, and throws if that is unknown', async () => {
    const approvesFor = (known: KnownRoles) => world(known).approvesFor('U0BEN', 1, true, {});

    expect(await approvesFor({ roles: ['approver'], isComplete: true })).toEqual(['U0BEN']);
    expect(await approvesFor({ roles: ['approver'], isComplete: true, inPlaceOf: ['U0ANA'] })).toEqual(['U0ANA']);
    expect(await approvesFor({ roles: ['operator'], isComplete: true })).toEqual([]);
    await expect(approvesFor({ roles: [], isComplete: false })).rejects.toThrow('does not say who');
  });

  it('counts the approval of a block until Slack says that its approver is none', async () => {
    const approvesFor = (known: KnownRoles) => world(known).approvesFor('U0BEN', null, false, {});

    expect(await approvesFor({ roles: [], isComplete: false })).toEqual(['U0BEN']);
    expect(await approvesFor({ roles: [], isComplete: true })).toEqual([]);
  });
});
