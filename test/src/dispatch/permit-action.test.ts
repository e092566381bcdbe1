import { describe, expect, it } from 'vitest';
import { RolesUnreadError, SlackError } from '../../../src/core/errors.ts';
import { toCardFacts } from '../../../src/directory/account.ts';
import { entryOf, permissionOf, type Verb, verbNames } from '../../../src/dispatch/verbs.ts';
import { claimTarget, claimValue } from '../../../src/holders/claim-store.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { loosenedBy } from '../../support/loosened-by.ts';
import { useRedis } from '../../support/on-redis.ts';
import {
  acctId,
  ask,
  byCommand,
  createActionWorld,
  type Over,
  performAction,
  virtualOrder,
  type WorldDeps,
} from '../../support/perform-world.ts';
import { refusedOf } from '../../support/refused.ts';

const redis = useRedis();
const ANA = { userId: 'U0ANA', teamId: 'T1' };

const targets: Partial<Record<Verb, Over>> = {
  'undo-block': { target: { kind: 'action', actionId: 'act_1' } },
  'order-virtual': { target: virtualOrder },
  decide: { target: { kind: 'request', requestId: 'req_1' }, approve: true },
  'emergency-override': { target: { kind: 'request', requestId: 'req_1' } },
  revert: { target: { kind: 'temporary-change', temporaryChangeId: 'act_1' } },
  'complete-temporary-change': { target: { kind: 'temporary-change', temporaryChangeId: 'act_1' }, restore: true },
};
const of = (verb: Verb): Over => targets[verb] ?? byCommand;
const loosening = ['unblock', 'activate', 'limit', 'allow', 'order-virtual', 'emergency-override'] as const;
const nobody = { rolesOf: async () => ({ roles: [], isComplete: true }), whoMay: async () => ['U0ANA', 'S0APPROVERS'] };

/** Verbs that change a card or its money. */
const changing = verbNames.filter((verb) => Object.hasOwn(targets, verb) || verb === 'block').concat([...loosening]);

const ASKS_AGAIN = /You asked 11 minutes ago to .*Do you still want it/;
const SAYS_WHY = /waited longer than 10 minutes(?:, so it does not count|\. Order it again)|one minute only/;

/** Verbs that write to the card service when they run without delay. */
const writing = new Set<Verb>([
  ...loosening,
  ...(['block', 'resend-virtual', 'undo-block', 'decide', 'revert', 'complete-temporary-change'] as const),
]);
/** Neither lets a card spend more. */
const atAnyTime = new Set<Verb>(['block', 'resend-virtual']);
/**
 * Asked again, a decision would be about an older request, and the minute for an undo would be over. The question about an
 * order would keep its form.
 */
const refusedAsLate = new Set<Verb>(['decide', 'undo-block', 'order-virtual']);
const askedAgain = new Set<Verb>([...writing].filter((verb) => !atAnyTime.has(verb) && !refusedAsLate.has(verb)));

const onAnything: readonly Over[] = [
  byCommand,
  Object.assign({ reason: '' }, { seen: 'details' }),
  Object.assign({ reason: '' }, { form: { viewId: 'V1', hash: 'h', pendingId: 'p_1' } }),
  Object.assign({ target: { kind: 'channel', text: '' } } as const, { isLong: true }),
  Object.assign({ ...byCommand }, { asked: 'block' }),
  { target: { kind: 'channel', text: '' }, kinds: ['low-balance'], isOn: true },
  { target: { kind: 'channel', text: '' }, preference: { kind: 'messages', what: 'shipping', isOn: false } },
  { target: { kind: 'channel', text: '' }, delegate: null },
  { target: { kind: 'channel', text: '' }, delegate: { to: 'U0BEN', from: '2026-12-24', until: '2027-01-02' } },
  Object.assign({ reason: '' }, { acctIds: [acctId], names: ['Jane Doe'] }),
  { target: { kind: 'since', since: { agoMs: 3_600_000 } } },
  { target: { kind: 'claim', claimId: 'clm_1', confirms: true } },
  { target: { kind: 'request', requestId: 'req_ask1' } },
];

/** The first input that the verb accepts, so that new verbs are covered too. */
function anyInputOf(verb: Verb): Over {
  const fits = (over: Over): boolean => {
    try {
      return ask(verb, over).verb === verb;
    } catch {
      return false;
    }
  };
  const over = [of(verb), ...onAnything].find(fits);
  if (over === undefined) throw new Error(`no input fits the verb ${verb}. Add one here`);
  return over;
}

/** What a verb wrote after waiting this long, and the last answer to the person. */
async function afterWaiting(verb: Verb, waitedMs: number) {
  await redis().flushdb();
  const world = await createActionWorld(redis(), { openDirect: async () => 'D1' });
  world.service.rules = { IsActive: true, DailySpendLimit: 400 };
  const over = (await loosenedBy[verb]?.(world)) ?? anyInputOf(verb);
  const earlier = world.writes.length;
  const askedAt = world.deps.now().toISOString();
  world.advance(waitedMs);
  await performAction(ask(verb, { ...over, id: 'act_waited1', askedAt }), world.deps);
  const told = world.answers.at(-1)?.text ?? '';
  return { writes: world.writes.length - earlier, told, isAskedAgain: ASKS_AGAIN.test(told) };
}

describe('a queue entry', () => {
  it.each([...new Set(changing)])(
    '%s: does nothing for a person without a role, whatever roles the entry carries',
    async (verb) => {
      const world = await createActionWorld(redis(), nobody);
      for (const roles of [[], ['operator' as const, 'approver' as const]]) {
        await performAction(ask(verb, { ...of(verb), id: `act_${roles.length}`, roles }), world.deps);

        expect(world.writes).toEqual([]);
        expect((await refusedOf(world)).at(-1)).toMatchObject({ verb, actor: { userId: 'U0OLGA' }, roles: [] });
        const answer = world.answers.at(-1);
        expect(answer?.text).toMatch(/^Not done: Only .* Nothing changed\./);
        expect(JSON.stringify(answer?.blocks)).toContain('Ask <@U0ANA> or <!subteam^S0APPROVERS>.');
      }
    },
  );

  it.each(verbNames)('%s: does not loosen a card after waiting longer than ten minutes', async (verb) => {
    const [fresh, late] = [await afterWaiting(verb, 0), await afterWaiting(verb, 11 * 60_000)];

    expect(fresh.writes > 0, 'writes when it runs without delay').toBe(writing.has(verb));
    expect(late.writes, 'writes after eleven minutes').toBe(atAnyTime.has(verb) ? fresh.writes : 0);
    if (writing.has(verb) && !atAnyTime.has(verb)) expect(late.told).toMatch(late.isAskedAgain ? ASKS_AGAIN : SAYS_WHY);
    expect(late.isAskedAgain).toBe(askedAgain.has(verb));
  });

  it.each(verbNames.filter((verb) => permissionOf(verb).ofAllCards === true))(
    '%s: is not limited to one card, so nothing happens for an approver of some groups, who is told why and who may',
    async (verb) => {
      const world = await createActionWorld(redis(), {
        rolesOf: async (_userId, { group } = {}) => ({
          roles: group === undefined || group === 'North' ? ['approver'] : [],
          isComplete: true,
        }),
        whoMay: async (_role, group) => (group === null ? ['U0ANA'] : ['U0ANA', 'U0NINA']),
      });

      await performAction(ask(verb, { ...anyInputOf(verb), roles: ['approver'] }), world.deps);

      expect(world.writes).toEqual([]);
      expect(await refusedOf(world)).toMatchObject([{ verb, roles: [] }]);
      const answer = world.answers.at(-1);
      expect(answer?.text).toMatch(
        /one for some groups of cards only, and this is not about those cards alone\. Ask <@U0ANA>\. Nothing/,
      );
      expect(JSON.stringify(answer?.blocks)).toContain('Ask <@U0ANA>.');
    },
  );

  it('runs a late action once the person confirms it', async () => {
    const world = await createActionWorld(redis());
    world.service.status = 'BLOCKED';
    world.advance(11 * 60_000);
    await performAction(ask('unblock', byCommand), world.deps);
    const value = /"value":"(p_[^"]+)"/.exec(JSON.stringify(world.answers.at(-1)?.blocks))?.[1] ?? '';

    expect(await refusedOf(world)).toMatchObject([{ detail: expect.stringContaining('longer than 10 minutes') }]);
    expect(await world.deps.pending.get(value)).toMatchObject({ kind: 'choice', choice: { verb: 'unblock' } });
    const askedAt = world.deps.now().toISOString();
    await performAction(ask('unblock', { ...byCommand, id: 'act_again1', askedAt }), world.deps);
    expect(world.writes).toEqual(['status ACTIVE']);
  });

  it('asks again about a raise that waited longer than ten minutes, but still lowers a limit', async () => {
    const world = await createActionWorld(redis());
    world.advance(11 * 60_000);

    await performAction(ask('limit', byCommand), world.deps);
    expect(world.answers.at(-1)?.text).toMatch(
      /You asked 11 minutes ago to change a limit of Jane Doe · .*: daily limit \$/,
    );
    expect(world.writes).toEqual([]);
    const goals = [{ rule: { kind: 'limit', period: 'daily', category: null }, to: 1000 }] as const;
    const lower = { changeRequest: { goals, term: { kind: 'permanent' } } } as const;
    await performAction(ask('limit', { ...byCommand, ...lower, id: 'act_lower1' }), world.deps);
    expect(world.writes).toEqual(['limit 10']);
  });

  it('asks again and nothing else when the job of such a raise runs again after somebody else changed the limit', async () => {
    const world = await createActionWorld(redis());
    const late = ask('limit', byCommand);
    world.advance(11 * 60_000);
    await performAction(late, world.deps);
    const goals = [{ rule: { kind: 'limit', period: 'daily', category: null }, to: 1000 }] as const;
    const changeRequest = { goals, term: { kind: 'permanent' } } as const;
    const askedAt = world.deps.now().toISOString();
    await performAction(ask('limit', { ...byCommand, changeRequest, askedAt, id: 'act_lower1' }), world.deps);

    await performAction(late, world.deps);

    expect(world.answers.at(-1)?.text).toMatch(ASKS_AGAIN);
    const events: string[] = [];
    for await (const { record } of world.deps.audit.read()) if (record?.actionId === late.id) events.push(record.event);
    expect(events).toEqual(['asked', 'refused']);
  });

  it('blocks a card however long the action waited, even while Slack cannot list a user group', async () => {
    const silent: Partial<WorldDeps> = { rolesOf: async () => ({ roles: [], isComplete: false }) };
    const world = await createActionWorld(redis(), silent);
    world.advance(24 * 3_600_000);

    await performAction(ask('block', byCommand), world.deps);

    expect(world.writes).toEqual(['status BLOCKED']);
  });

  it('retries loosening actions while Slack cannot list a user group', async () => {
    const world = await createActionWorld(redis(), { rolesOf: async () => ({ roles: [], isComplete: false }) });
    world.service.status = 'BLOCKED';

    await expect(performAction(ask('unblock', byCommand), world.deps)).rejects.not.toBeInstanceOf(SlackError);

    expect(world.writes).toEqual([]);
    expect(await world.stations()).toEqual([]);
  });

  it('notices a role that is removed between the first check and the write', async () => {
    let looks = 0;
    const rolesOf: WorldDeps['rolesOf'] = async () => {
      looks += 1;
      return { roles: looks <= 4 ? ['approver'] : [], isComplete: true };
    };
    const world = await createActionWorld(redis(), { rolesOf });
    world.service.status = 'BLOCKED';

    await performAction(ask('unblock', byCommand), world.deps);

    expect(world.writes).toEqual([]);
    expect(await world.stations()).toEqual(['asked', 'refused']);
  });
});

describe('a card whose group has its own operators and approvers', () => {
  const link = (deps: WorldDeps, userId: string) =>
    deps.links.link({ acctId, userId, provedBy: 'email', by: userId, at: deps.now().toISOString() });
  const south = accountOf({ group: 'South' });
  /** A webhook has named the card. */
  const unread = accountOf({ detailsAt: null });
  /** Everyone is operator and approver of the other cards. */
  const ofOthers: Partial<WorldDeps> = {
    hasCardGroups: () => true,
    directory: directoryOf({
      account: async () => south,
      async find(_words, isPermitted) {
        const match = { ...south, holder: null, matchedBy: 'last4' } as const;
        return (await isPermitted?.(match)) === false ? [] : [match];
      },
    }),
    toFacts: (id, _account, which) => toCardFacts(id, null, which),
    rolesOf: async (_userId, { group } = {}) => ({
      roles: group === 'South' ? [] : ['operator', 'approver', 'holder'],
      isComplete: true,
    }),
    whoMay: async (_role, group) => (group === 'South' ? ['U0SUE'] : ['U0ANA']),
  };
  const ofChannel = (text: string) => ({ kind: 'channel', text }) as const;
  const aboutOneCard = verbNames.filter(
    (verb) => entryOf(verb).isOfCard === true && verb !== 'recognize' && verb !== 'ask' && verb !== 'remedy',
  );

  it.each(aboutOneCard)(
    '%s: is refused to the people of other cards, who learn nothing about the card',
    async (verb) => {
      const world = await createActionWorld(redis(), ofOthers);

      await performAction(ask(verb, { ...byCommand, details: '2h' }), world.deps);

      expect(world.writes).toEqual([]);
      expect(world.answers.map(({ text }) => text)).toEqual([
        expect.stringMatching(/^Not done: Only .* Nothing changed/),
      ]);
      expect(JSON.stringify(world.answers)).toContain('Ask <@U0SUE>.');
      expect(await refusedOf(world)).toMatchObject([{ verb, acctId }]);
    },
  );

  it('is not shown in the form of a decline', async () => {
    const checked: unknown[] = [];
    const checkPurchase: WorldDeps['checkPurchase'] = async (event) => {
      checked.push(event);
      return { state: 'passes' };
    };
    const world = await createActionWorld(redis(), { ...ofOthers, checkPurchase });

    await performAction(ask('remedy', { form: { viewId: 'V1', hash: 'h', pendingId: 'p_1' } } as object), world.deps);

    expect(checked).toEqual([]);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/^Not done: Only /)]);
    expect(await refusedOf(world)).toMatchObject([{ verb: 'remedy', acctId }]);
  });

  it.each([
    ['is read first if only a webhook has named the card', south, /^Not done: Only .* Nothing changed/],
    [
      'is waited for while the card service does not answer',
      null,
      /^Still trying to unblock cards\. The card service did not return the group/,
    ],
  ])('its group %s', async (_what, read, answer) => {
    const directory = directoryOf({ ...ofOthers.directory, account: async () => unread, current: async () => read });
    const world = await createActionWorld(redis(), { ...ofOthers, directory });
    world.service.status = 'BLOCKED';

    const done = performAction(ask('unblock', byCommand), world.deps);

    if (read === null) await expect(done).rejects.toBeInstanceOf(RolesUnreadError);
    else await done;
    expect(world.writes).toEqual([]);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(answer)]);
  });

  it('is not loosened by those who decided about it before it came into the group', async () => {
    const north = accountOf({ group: 'North' });
    const directory = directoryOf({ account: async () => north, current: async () => south });
    const world = await createActionWorld(redis(), { ...ofOthers, directory });

    await performAction(ask('block', byCommand), world.deps);
    await performAction(ask('unblock', byCommand), world.deps);

    expect(world.writes).toEqual(['status BLOCKED']);
    expect(world.answers.at(-1)?.text).toMatch(/^Not done\. Only approvers may unblock .*Nothing changed/);
  });

  it('is not found in their searches either', async () => {
    const world = await createActionWorld(redis(), ofOthers);

    await performAction(ask('show', { ...byCommand, target: { kind: 'words', words: ['1212'] } }), world.deps);

    expect(world.answers[0]?.text).toContain('No card matches “1212”');
  });

  it('is neither found nor explained while its group is not known', async () => {
    const account = async () => unread;
    const directory = directoryOf({ ...ofOthers.directory, account, current: async () => null });
    const world = await createActionWorld(redis(), { ...ofOthers, directory });

    await performAction(ask('show', { ...byCommand, target: { kind: 'words', words: ['1212'] } }), world.deps);
    await performAction(
      ask('why', { ...byCommand, id: 'act_why', target: ofChannel('evt_0123456789abcdef') }),
      world.deps,
    );

    expect(world.answers.map(({ text }) => text)).toEqual([
      expect.stringContaining('No card matches “1212”'),
      expect.stringContaining('I know no such alert'),
    ]);
  });

  it.each(['show', 'declines', 'track'] as const)(
    '%s: works for a holder, and only with their own card',
    async (verb) => {
      const world = await createActionWorld(redis(), {
        ...ofOthers,
        rolesOf: async () => ({ roles: ['holder'], isComplete: true }),
      });
      await performAction(ask(verb, { ...byCommand, roles: ['holder'] }), world.deps);
      expect(world.answers.at(-1)?.text).toContain('This card is not linked to you');

      await link(world.deps, 'U0OLGA');
      await performAction(ask(verb, { ...byCommand, id: 'act_own', roles: ['holder'] }), world.deps);

      expect(world.answers).toHaveLength(2);
      expect(world.answers.at(-1)?.text).not.toContain('Not done');
    },
  );
});

describe('a cardholder', () => {
  it.each(['unblock', 'link', 'mute', 'travel'] as const)('%s: is refused, even to an approver', async (verb) => {
    const world = await createActionWorld(redis());
    world.service.status = 'BLOCKED';
    await world.deps.links.link({
      acctId,
      userId: 'U0OLGA',
      provedBy: 'email',
      by: 'U0OLGA',
      at: world.deps.now().toISOString(),
    });

    await performAction(ask(verb, { ...byCommand, details: '2h' }), world.deps);

    expect(world.writes).toEqual([]);
    expect(world.answers.map(({ text }) => text)).toEqual([expect.stringMatching(/your own card.*Ask another/)]);
    expect(await world.deps.links.ofAccount(acctId)).toMatchObject({ userId: 'U0OLGA' });
  });

  it('cannot unlink their card alone, and cannot bypass the rule by unlinking it first', async () => {
    const world = await createActionWorld(redis());
    world.service.status = 'BLOCKED';
    const at = world.deps.now().toISOString();
    await world.deps.links.link({ acctId, userId: 'U0OLGA', provedBy: 'email', by: 'U0OLGA', at });

    await performAction(ask('unlink', byCommand), world.deps);
    expect(world.answers.at(-1)?.text).toContain('Somebody else has to confirm');
    expect(await world.deps.links.ofAccount(acctId)).toMatchObject({ userId: 'U0OLGA' });
    await performAction(
      ask('decide-claim', { target: claimTarget(claimValue('clm_unlink1', 'U0OLGA'), true), actor: ANA }),
      world.deps,
    );
    expect(await world.deps.links.ofAccount(acctId)).toBeNull();

    await performAction(ask('unblock', byCommand), world.deps);
    expect(world.answers.at(-1)?.text).toContain('your own card');
  });
});
