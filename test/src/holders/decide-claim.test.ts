import { describe, expect, it } from 'vitest';
import type { RecordEntry } from '../../../src/actions/record.ts';
import { TooLateError } from '../../../src/core/errors.ts';
import { claimTarget, claimValue, createClaims, type OpenClaim } from '../../../src/holders/claim-store.ts';
import { createClaimDecisions, createConfirmClaim, createJudgeClaim } from '../../../src/holders/decide-claim.ts';
import type { NewHolder } from '../../../src/holders/link-card.ts';
import { createIsOwnCard, createLinks, type Link } from '../../../src/holders/link-store.ts';
import type { Person } from '../../../src/slack/client.ts';
import { authorizationOf } from '../../support/authorization.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { withoutLock } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, createActionWorld, type Over, performAction } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';
import { card } from '../../templates/fixtures.ts';

const redis = useRedis();

const open: OpenClaim = {
  id: 'clm_1',
  action: ask('claim', { actor: { userId: 'U0HUGO', teamId: 'T1' } }),
  card: { acctId, isSameName: false, isSameEmail: false },
  state: 'open',
  expiresAt: '2026-11-21T15:00:00.000Z',
};

const hugo: Person = {
  name: null,
  email: null,
  isBot: false,
  isDeactivated: false,
  isGuest: false,
  isExternal: false,
};

type Parts = Parameters<typeof createJudgeClaim>[0] &
  Parameters<typeof createConfirmClaim>[0] &
  Omit<Parameters<typeof createClaimDecisions>[0], 'judgeClaim' | 'confirmClaim'>;

const decisionsOf = (parts: Parts) =>
  createClaimDecisions({
    ...parts,
    judgeClaim: createJudgeClaim(parts),
    confirmClaim: createConfirmClaim(parts),
  });

async function setUp(
  now = '2026-11-20T15:00:00.000Z',
  {
    claim = open,
    holder = null as string | null,
    heldBy = null as string | null,
    withLock = withoutLock,
    approvesFor = (_acctId: number | null): boolean | null => true,
    person = hugo as Person | null,
  } = {},
) {
  const claims = createClaims(redis(), storeSigner);
  await claims.save(claim);
  const links = createLinks(redis(), () => new Date(now));
  const ended: number[] = [];
  const set: NewHolder[] = [];
  const entries: RecordEntry[] = [];
  const refusals: string[] = [];
  const updated: string[] = [];
  const told = new Map<string, string>();
  const answers: string[] = [];
  const deps: Parts = {
    claims,
    links: { ...links, ofAccount: async () => (heldBy === null || ended.length > 0 ? null : linkOf(heldBy)) },
    setHolder: async (_action, holder) => {
      if (holder.userId === null) ended.push(holder.acctId);
      else set.push(holder);
      return { card, before: null, isSame: false };
    },
    rights: {
      authorize: authorizationOf({ holder }).authorize,
      mayAct: async (_action, acct) => approvesFor(acct),
      whoMay: async (role, group) => [role === 'approver' && group === card.group ? 'U0ANA' : 'U0ZED', 'U0OLGA'],
    },
    record: async (_action, entry) => void entries.push(entry),
    hasBegun: async () => false,
    factsOf: async () => card,
    responses: {
      answer: async (_action, { text }) => void answers.push(text),
      refuse: async (_action, { why, whoCan }) =>
        void refusals.push(
          `${why} ${typeof whoCan === 'string' ? whoCan : [whoCan.text, ...(whoCan.userIds ?? [])].join(' ')}`,
        ),
    },
    updateClaim: async (id) => void updated.push(id),
    notifyDirectly: async (_userId, id, { text }) => void told.set(id, text),
    withLock,
    person: async () => person,
    now: () => new Date(now),
  };
  return { ...decisionsOf(deps), deps, claims, links, set, ended, entries, refusals, updated, told, answers };
}

type World = Awaited<ReturnType<typeof setUp>>;

const linkOf = (userId: string): Link => ({ acctId, userId, provedBy: 'approver', by: 'U0ANA', at: open.expiresAt });

it('refuses a confirmation based on an outdated holder, updates the claim and allows another decision', async () => {
  const world = await setUp(undefined, { heldBy: 'U0SAM' });

  await world.decideClaim(decision(true));
  const seen = claimTarget(claimValue('clm_1', 'U0MAX'), true);
  await world.decideClaim(decision(true, { id: 'act_decide2', target: seen }));

  expect(world.refusals).toHaveLength(2);
  expect(world.refusals[0]).toContain('Who holds the card has changed since you saw the claim.');
  expect(world.updated).toEqual(['clm_1', 'clm_1']);
  expect(world.set).toEqual([]);
  await world.decideClaim(
    decision(true, { id: 'act_decide3', target: claimTarget(claimValue('clm_1', 'U0SAM'), true) }),
  );
  expect(world.set).toMatchObject([{ acctId, userId: 'U0HUGO' }]);
});

it('completes a confirmation whose worker died after linking the card', async () => {
  const world = await setUp(undefined, { heldBy: 'U0HUGO' });

  await world.decideClaim(decision(true));

  expect((await world.claims.get('clm_1'))?.state).toBe('confirmed');
});

const decision = (confirms: boolean, over: Over = {}) =>
  ask('decide-claim', { id: 'act_decide1', target: { kind: 'claim', claimId: 'clm_1', confirms }, ...over });

it('is decided only by approvers of its card', async () => {
  const ofOthers = await setUp(undefined, { approvesFor: () => false });

  await ofOthers.decideClaim(decision(false));
  expect(ofOthers.refusals).toEqual([
    'Only approvers of other cards may decide this claim. Ask another approver. U0ANA',
  ]);
  expect((await ofOthers.claims.get('clm_1'))?.state).toBe('open');
});

it('links the card and confirms the claim', async () => {
  const world = await setUp();

  await world.decideClaim(decision(true));

  expect(world.set).toEqual([{ acctId, cardId: null, userId: 'U0HUGO', provedBy: 'approver' }]);
  expect(await world.claims.get('clm_1')).toMatchObject({ state: 'confirmed', decision: { by: 'U0OLGA' } });
  expect(await world.claims.open()).toEqual([]);
});

it('is not decided, and nobody is called an approver of other cards, while the group of its card is not known', async () => {
  const world = await setUp(undefined, { approvesFor: () => null });

  await expect(world.decideClaim(decision(true))).rejects.toThrow('did not return the group of a card');
  await expect(world.decideClaim(decision(false))).rejects.toThrow('did not return the group of a card');

  expect(world.refusals).toEqual([]);
  expect(await world.claims.open()).toHaveLength(1);
});

it('links nothing when denied, and notifies the claimant once although the job runs twice', async () => {
  const world = await setUp();

  await world.decideClaim(decision(false));
  await world.decideClaim(decision(false));

  expect(world.set).toEqual([]);
  // Appending the same entry again adds nothing to the audit log.
  const entry = { event: 'denied', after: 'U0HUGO', detail: 'clm_1' };
  expect(world.entries).toMatchObject([entry, entry]);
  expect([...world.told]).toEqual([['clm_1-refused', expect.stringContaining('<@U0OLGA> could not confirm')]]);
  expect(world.refusals).toEqual([]);
});

it('saves the denial before auditing it, so that nobody can confirm the claim after a crash in between', async () => {
  const world = await setUp();
  const dying = decisionsOf({ ...world.deps, record: () => Promise.reject(new Error('killed')) });
  await expect(dying.decideClaim(decision(false))).rejects.toThrow('killed');

  await world.decideClaim(decision(true, { id: 'act_second', actor: { userId: 'U0BEN', teamId: 'T1' } }));
  await world.decideClaim(decision(false));

  expect(world.set).toEqual([]);
  expect(world.entries.map(({ event }) => event)).toEqual(['denied']);
});

describe('a confirmation whose worker died before the card was linked', () => {
  async function died() {
    const world = await setUp();
    const dying = decisionsOf({ ...world.deps, setHolder: () => Promise.reject(new Error('killed')) });
    await expect(dying.decideClaim(decision(true))).rejects.toThrow('killed');
    return world;
  }

  it('stands when somebody else refuses the claim, and is completed when its job runs again', async () => {
    const world = await died();

    await world.decideClaim(decision(false, { id: 'act_second', actor: { userId: 'U0BEN', teamId: 'T1' } }));
    await world.decideClaim(decision(true));

    expect(world.refusals).toEqual(['This claim is confirmed already. Nothing is left to decide.']);
    expect(world.set).toEqual([{ acctId, cardId: null, userId: 'U0HUGO', provedBy: 'approver' }]);
    expect(await world.claims.get('clm_1')).toMatchObject({ state: 'confirmed', decision: { by: 'U0OLGA' } });
    expect([...world.told], 'the claimant is not told no').toEqual([]);
  });

  const isOwn = (world: Awaited<ReturnType<typeof died>>, userId: string) =>
    createIsOwnCard({
      ...world,
      directory: directoryOf({ account: async () => accountOf() }),
      person: async () => hugo,
    })(userId, acctId);

  it('leaves the card the claimant’s own', async () => {
    const world = await died();

    expect([await isOwn(world, 'U0HUGO'), await isOwn(world, 'U0ZOE')]).toEqual([true, false]);
  });

  it('does not leave it their own once it is known that somebody else has it', async () => {
    const world = await died();
    const { decideClaim } = decisionsOf({
      ...world.deps,
      links: { ...world.deps.links, ofAccount: async () => linkOf('U0ZOE') },
    });

    await decideClaim(decision(true));

    expect(await isOwn(world, 'U0HUGO')).toBe(false);
  });

  it('stands when the claim would expire', async () => {
    const world = await died();

    await world.endClaim('clm_1');
    await world.decideClaim(decision(true));

    expect(await world.claims.get('clm_1')).toMatchObject({ state: 'confirmed' });
    expect(world.set).toHaveLength(1);
    expect([...world.told]).toEqual([]);
  });

  it('is on record as unchanged if somebody has linked the card to another person before anything was recorded', async () => {
    const world = await died();
    const { decideClaim } = decisionsOf({
      ...world.deps,
      links: { ...world.deps.links, ofAccount: async () => linkOf('U0ZOE') },
    });

    await decideClaim(decision(true));

    const detail = 'somebody else has decided since who holds the card';
    expect(world.entries).toEqual([{ event: 'unchanged', acctId, detail }]);
    expect(world.answers).toEqual([expect.stringMatching(/^<@U0ZOE> is linked to .* now\. Nothing changed\.$/)]);
  });

  it('is not completed once somebody has linked the card to another person', async () => {
    const world = await died();
    const { decideClaim } = decisionsOf({
      ...world.deps,
      links: { ...world.deps.links, ofAccount: async () => linkOf('U0ZOE') },
    });

    await decideClaim(decision(true));

    expect(world.set).toEqual([]);
    expect(world.updated).toEqual(['clm_1']);
  });
});

it('accepts only one decision, and none from the claimant', async () => {
  const world = await setUp();

  await world.decideClaim(decision(true, { id: 'act_own', actor: { userId: 'U0HUGO', teamId: 'T1' } }));
  await world.decideClaim(decision(false));
  await world.decideClaim(decision(true, { id: 'act_second' }));

  expect(world.refusals).toEqual([
    'You claim this card yourself. Somebody else has to confirm it.',
    'This claim is refused already. Nothing is left to decide.',
  ]);
  expect(world.set).toEqual([]);
});

it('expires, and ignores a decision made after that', async () => {
  const world = await setUp('2026-11-21T15:00:00.001Z');

  await world.decideClaim(decision(true));
  await world.endClaim('clm_1');

  expect(await world.claims.get('clm_1')).toMatchObject({ state: 'expired' });
  expect(world.refusals).toEqual(['This claim expired without a decision. Ask them to claim it again.']);
  expect([...world.told.keys()]).toEqual(['clm_1-expired']);
  expect(world.set).toEqual([]);
});

it('links nothing and stays denied if the denial came while the confirming worker was frozen', async () => {
  const lost = new TooLateError('someone else may own the lock');
  const world = await setUp(undefined, {
    withLock: async (_name, work) => await work({ confirm: () => Promise.reject(lost) }),
  });

  await expect(world.decideClaim(decision(true))).rejects.toBe(lost);
  await world.decideClaim(decision(false, { id: 'act_refused' }));
  const confirmed = {
    state: 'confirmed',
    decision: { actionId: 'a', by: 'U0ANA', at: open.expiresAt },
  } as const;
  await expect(world.claims.save({ ...open, ...confirmed })).rejects.toBeInstanceOf(TooLateError);

  expect(world.set).toEqual([]);
  expect(await world.claims.get('clm_1')).toMatchObject({ state: 'refused' });
});

it('accepts a decision up to the last moment', async () => {
  const world = await setUp(open.expiresAt);

  await world.decideClaim(decision(true));

  expect(world.refusals).toEqual([]);
  expect(await world.claims.get('clm_1')).toMatchObject({ state: 'confirmed' });
  expect([...world.told], 'linking the card sends the notification').toEqual([]);
});

it('refuses a decision on a claim that is no longer stored', async () => {
  const world = await setUp();

  await world.decideClaim(ask('decide-claim', { target: { kind: 'claim', claimId: 'clm_old', confirms: true } }));

  expect(world.refusals).toEqual(['This claim is too old. Ask them to claim it again.']);
});

it('is on record when it expires, in nobody’s name, also after a crash or if a late decision finds it expired', async () => {
  const ended = { event: 'ended', isByItself: true, acctId: null, detail: 'clm_1 expired without a decision' };
  const world = await setUp();
  const dying = decisionsOf({ ...world.deps, record: () => Promise.reject(new Error('killed')) });
  await expect(dying.endClaim('clm_1')).rejects.toThrow('killed');
  expect([...world.told], 'the record comes first').toEqual([]);
  await world.endClaim('clm_1');
  expect(world.entries).toEqual([ended]);

  const late = await setUp('2026-11-21T15:00:00.001Z', { claim: { ...open, id: 'clm_2' } });
  await late.decideClaim(decision(true, { target: { kind: 'claim', claimId: 'clm_2', confirms: true } }));
  expect(late.entries).toEqual([{ ...ended, detail: 'clm_2 expired without a decision' }]);
});

describe('a decision that changes nothing, because somebody else made the change before', () => {
  const people = { hugo: { userId: 'U0HUGO', teamId: 'T1' }, ben: { userId: 'U0BEN', teamId: 'T1' } };
  async function decided(asked: 'claim' | 'unlink', before: string | null) {
    const world = await createActionWorld(redis(), { person: async () => hugo });
    const action = ask(asked, { actor: people.hugo, target: { kind: 'card', acctId, cardId: null, alertId: null } });
    await world.deps.claims.save({ ...open, action });
    if (before !== null)
      await world.deps.links.link({ acctId, userId: before, provedBy: 'approver', by: 'U0CEM', at: open.expiresAt });
    for (let tries = 0; tries < 2; tries += 1) await performAction(decision(true, { actor: people.ben }), world.deps);
    expect(await world.deps.claims.get('clm_1')).toMatchObject({ state: 'confirmed', decision: { by: 'U0BEN' } });
    expect(await world.records()).toMatchObject([
      { event: 'unchanged', verb: 'decide-claim', actor: people.ben, acctId, detail: 'so already' },
    ]);
    return world.answers.at(-1)?.text;
  }

  it('is on record once and answered: the card was unlinked', async () => {
    expect(await decided('unlink', null)).toBe(
      'Nobody is linked to Jane Doe · card of account 7378 now. Nothing changed.',
    );
  });

  it('is on record once and answered: the card was linked to the claimant', async () => {
    expect(await decided('claim', 'U0HUGO')).toBe(
      '<@U0HUGO> is linked to Jane Doe · card of account 7378 now. Nothing changed.',
    );
  });
});

it('expires once, and notifies the claimant again after a crash', async () => {
  const expired = await setUp();
  await expired.endClaim('clm_1');
  await expired.endClaim('clm_1');
  await expired.endClaim('clm_old');

  expect(await expired.claims.get('clm_1')).toMatchObject({ state: 'expired' });
  expect([...expired.told.keys()]).toEqual(['clm_1-expired']);
  expect(expired.updated).toEqual(['clm_1', 'clm_1']);
});

it('does not expire after a decision', async () => {
  const decided = await setUp();
  await decided.decideClaim(decision(false));
  await decided.endClaim('clm_1');

  expect(await decided.claims.get('clm_1')).toMatchObject({ state: 'refused' });
  expect(decided.updated).toEqual(['clm_1']);
});

it('removes the link when that was the claim', async () => {
  const unlink: OpenClaim = { ...open, action: ask('unlink', { actor: { userId: 'U0HUGO', teamId: 'T1' } }) };
  const world = await setUp(undefined, { claim: unlink });

  await world.decideClaim(decision(true));

  expect(world.ended).toEqual([acctId]);
  expect(world.set).toEqual([]);
  expect(await world.claims.get('clm_1')).toMatchObject({ state: 'confirmed' });
});

describe('a claim that somebody no longer holds a card', () => {
  const unlink: OpenClaim = { ...open, action: ask('unlink', { actor: { userId: 'U0HUGO', teamId: 'T1' } }) };
  const kim = { heldBy: 'U0KIM' };
  const seen = claimTarget(claimValue('clm_1', 'U0KIM'), true);

  it.each([
    ['seen', decision(true, { target: seen })],
    ['not seen', decision(true, { target: claimTarget(claimValue('clm_1', 'U0HUGO'), true) })],
  ])('leaves the link of somebody who holds it since, %s before, and ends', async (_how, click) => {
    const world = await setUp(undefined, { claim: unlink, ...kim });

    await world.decideClaim(click);

    expect([world.ended, world.refusals]).toEqual([[], []]);
    expect(world.entries).toMatchObject([{ event: 'unchanged', acctId }]);
    const unchanged = expect.stringMatching(/^<@U0KIM> is linked to .* now\. Nothing changed\.$/);
    expect(world.answers).toEqual([unchanged]);
    expect([...world.told], 'the claimant').toEqual([['clm_1-unchanged', unchanged]]);
    expect(await world.claims.get('clm_1')).toMatchObject({ state: 'confirmed' });
  });

  it('does not tell who claims a card that somebody else holds it', async () => {
    const world = await setUp(undefined, kim);
    const click = decision(true);
    await world.claims.save({
      ...open,
      state: 'confirmed',
      decision: { actionId: click.id, by: 'U0BEN', at: '' },
    });

    await world.decideClaim(click);

    expect(world.answers).toEqual([expect.stringContaining('<@U0KIM> is linked to')]);
    expect([...world.told]).toEqual([]);
  });

  it('ends the link of somebody else if that is what it was about', async () => {
    const ofKim = { ...unlink, card: { ...unlink.card, linkOf: 'U0KIM' } };
    const world = await setUp(undefined, { claim: ofKim, ...kim });

    await world.decideClaim(decision(true, { target: seen }));

    expect(world.ended).toEqual([acctId]);
    expect([...world.told], 'the claimant, who loses no link').toEqual([
      ['clm_1-confirmed', expect.stringContaining('Unlinked: nobody gets direct messages about')],
    ]);
  });

  it.each([
    ['refused', '<@U0OLGA> could not confirm', (world: World) => world.decideClaim(decision(false))],
    ['expired', 'Nobody confirmed', (world: World) => world.endClaim('clm_1')],
  ])('about the link of somebody else says so when it is %s', async (_how, who, end) => {
    const world = await setUp(undefined, { claim: { ...unlink, card: { ...unlink.card, linkOf: 'U0KIM' } }, ...kim });

    await end(world);

    const why = expect.stringContaining(`${who} that this card is linked to the wrong person`);
    expect([...world.told.values()]).toEqual([why]);
  });

  it('is confirmed also for somebody who has left', async () => {
    const world = await setUp(undefined, { claim: unlink, person: { ...hugo, isDeactivated: true } });

    await world.decideClaim(decision(true));

    expect(world.ended).toEqual([acctId]);
  });
});

it.each([
  ['whose account is deactivated', { ...hugo, isDeactivated: true }, 'This person’s Slack account is deactivated.'],
  ['who is a guest by now', { ...hugo, isGuest: true }, 'Guests and people of other companies'],
  ['whom Slack no longer knows', null, 'Slack does not know this person.'],
])('links no card to somebody %s', async (_who, person, why) => {
  const world = await setUp(undefined, { person });

  await world.decideClaim(decision(true));

  expect(world.set).toEqual([]);
  expect(world.refusals).toEqual([expect.stringContaining(why)]);
  expect(world.refusals[0]).toMatch(/ Refuse the claim\.$/);
  expect(await world.claims.get('clm_1')).toMatchObject({ state: 'open' });

  await world.decideClaim(decision(false));
  expect(await world.claims.get('clm_1')).toMatchObject({ state: 'refused' });
});

it('refuses a decision by an approver who holds the card', async () => {
  const world = await setUp(undefined, { holder: 'U0OLGA' });

  await world.decideClaim(decision(true));

  expect(world.refusals).toEqual(['It is your own card. Ask another approver. U0ANA']);
  expect(world.set).toEqual([]);
  expect(await world.claims.get('clm_1')).toMatchObject({ state: 'open' });
});
