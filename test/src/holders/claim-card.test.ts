import { describe, expect, it } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import type { RecordEntry } from '../../../src/actions/record.ts';
import { RolesUnreadError } from '../../../src/core/errors.ts';
import { DirectoryAccount } from '../../../src/directory/account.ts';
import type { CardMatch } from '../../../src/directory/index-entries.ts';
import { claimMessage, createClaimCard, createOpenClaim } from '../../../src/holders/claim-card.ts';
import { type Claim, claimValue, createClaims } from '../../../src/holders/claim-store.ts';
import type { NewHolder } from '../../../src/holders/link-card.ts';
import type { UnlinkAction } from '../../../src/holders/verbs.ts';
import type { Message } from '../../../src/slack/message.ts';
import type { Refusal } from '../../../templates/policy/refusal.ts';
import { withoutLock } from '../../support/held.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, type Over } from '../../support/perform-world.ts';
import { storeSigner } from '../../support/store-signer.ts';
import { card } from '../../templates/fixtures.ts';
import { buttons } from '../../templates/shown.ts';

const redis = useRedis();

const account = DirectoryAccount.parse({
  acctId,
  firstName: 'Hugo',
  lastName: 'Reyes',
  namesAt: null,
  customId: null,
  isVirtual: false,
  group: null,
  accountStatus: 'OPEN',
  availableCents: null,
  email: 'Hugo@Example.com ',
  cards: [],
  detailsAt: null,
});
const match: CardMatch = { ...account, holder: 'Hugo Reyes', cards: [], matchedBy: 'last4' };
const linkedTo = (userId: string) =>
  ({ acctId, userId, provedBy: 'email', by: userId, at: '2026-11-20T15:00:00.000Z' }) as const;

interface Given {
  readonly email?: string | null;
  readonly name?: string | null;
  readonly link?: ReturnType<typeof linkedTo> | null;
  /** How many of the accounts have this link, and the link of the rest. */
  readonly linked?: number;
  readonly rest?: ReturnType<typeof linkedTo> | null;
  readonly isGuest?: boolean;
  /** Number of accounts that match the typed words. */
  readonly accounts?: number;
  /** How many of them have the person's address. */
  readonly own?: number;
  /** What the card program knows differently about the holder. */
  readonly known?: Partial<DirectoryAccount>;
  /** What the card program shows now, if that differs from what was read before; null: it does not answer. */
  readonly current?: Partial<DirectoryAccount> | null;
  /** Number of accounts whose cards have not been read yet. */
  readonly unread?: number;
}

function setUp({
  email = 'hugo@example.com',
  name = null,
  link = null,
  isGuest = false,
  accounts = 1,
  linked = accounts,
  rest = null,
  own = accounts,
  known = {},
  current = {},
  unread = 0,
}: Given = {}) {
  const ids = Array.from({ length: accounts }, (_, index) => acctId + index);
  const claims = createClaims(redis(), storeSigner);
  const answers: string[] = [];
  const refusals: string[] = [];
  const mayNot: string[] = [];
  const set: NewHolder[] = [];
  const offered: Action[] = [];
  const entries: RecordEntry[] = [];
  const posted: string[] = [];
  const searched: string[] = [];
  const ends: string[] = [];
  const responses = {
    answer: async (_action: unknown, { text }: { text: string }) => void answers.push(text),
    async refuse(
      _action: unknown,
      { why, whoCan }: Refusal,
      { isNotPermitted = false }: { isNotPermitted?: boolean } = {},
    ) {
      refusals.push(`${why} ${typeof whoCan === 'string' ? whoCan : whoCan.text}`);
      if (isNotPermitted) mayNot.push(why);
    },
  };
  const person = async () => ({ name, email, isBot: false, isGuest, isExternal: false, isDeactivated: false });
  const openClaim = createOpenClaim({
    responses,
    claims,
    person,
    directory: {
      account: async (id) => ({ ...account, ...known, acctId: id }),
      status: async () => ({ accounts: 9, lackingDetails: unread, listedAt: '2026-11-20T15:00:00.000Z' }),
    },
    withLock: withoutLock,
    record: async (_action, entry) => void entries.push(entry),
    async submitClaim({ id, expiresAt }) {
      ends.push(expiresAt);
      posted.push(id);
    },
    now: () => new Date('2026-11-20T15:00:00.000Z'),
  });
  const claimCard = createClaimCard({
    responses,
    record: async (_action, entry) => void entries.push(entry),
    openClaim,
    person,
    directory: {
      async find(words) {
        searched.push(words);
        return ids.map((id) => ({ ...match, acctId: id }));
      },
      current: async (id) => (current === null ? null : { ...account, ...known, ...current, acctId: id }),
      findByEmail: async () => ids.slice(0, own).map((id) => ({ ...account, ...known, acctId: id })),
    },
    links: { ofAccount: async (id) => (id < acctId + linked ? link : rest) },
    setHolder: async (_action, holder) => {
      set.push(holder);
      return { card, before: null, isSame: link !== null };
    },
    putChoice: async (action) => `pending-${offered.push(action)}`,
  });
  const openUnlinkClaim = (action: UnlinkAction) => openClaim(action, [acctId], link?.userId);
  return {
    claimCard,
    openUnlinkClaim,
    claims,
    answers,
    refusals,
    mayNot,
    set,
    offered,
    entries,
    posted,
    searched,
    ends,
  };
}

const claim = (over: Over = {}) =>
  ask('claim', { target: { kind: 'words', words: ['1212'] }, actor: { userId: 'U0HUGO', teamId: 'T1' }, ...over });

it('asks for confirmation when the email matches the cardholder, and links nothing yet', async () => {
  const world = setUp();

  await world.claimCard(claim());

  expect(world.answers).toEqual([expect.stringContaining('Is this your card?')]);
  expect(world.offered).toMatchObject([{ verb: 'claim', confirmed: true, target: { kind: 'card', acctId } }]);
  expect(world.set).toEqual([]);
  expect(world.entries).toEqual([{ event: 'asked', acctId }]);
});

it('records a repeated claim, which changes nothing', async () => {
  const world = setUp({ email: null });

  await world.claimCard(claim());
  await world.claimCard(claim({ id: 'act_again' }));

  expect(world.posted).toEqual(['clm_claim1', 'clm_claim1']);
  expect(world.entries).toMatchObject([
    { event: 'waiting', detail: 'clm_claim1' },
    { event: 'unchanged', detail: 'clm_claim1' },
  ]);
});

it('links the card after the confirmation', async () => {
  const world = setUp();

  await world.claimCard(claim({ confirmed: true, target: { kind: 'card', acctId, cardId: null, alertId: null } }));

  expect(world.set).toEqual([{ acctId, cardId: null, userId: 'U0HUGO', provedBy: 'email' }]);
  expect(world.answers).toEqual([expect.stringMatching(/^This card is linked to you: .* You get direct messages/)]);
});

it('links no card whose email has changed at the card program since it was read, but asks the approvers', async () => {
  const confirmed = claim({ confirmed: true, target: { kind: 'card', acctId, cardId: null, alertId: null } });
  const world = setUp({ current: { email: 'sam@example.com' } });
  await world.claimCard(confirmed);
  expect(world.set).toEqual([]);
  expect(world.posted).toEqual(['clm_claim1']);

  await expect(setUp({ current: null }).claimCard(confirmed)).rejects.toThrow(RolesUnreadError);
});

it('answers that the card is already linked to the person, without asking an approver', async () => {
  const world = setUp({ link: linkedTo('U0HUGO') });

  await world.claimCard(claim());

  expect(world.answers).toEqual([expect.stringContaining('is already linked to you. Nothing changed.')]);
});

it('offers the person’s other card once one is linked to them', async () => {
  const world = setUp({ accounts: 2, linked: 1, link: linkedTo('U0HUGO') });

  await world.claimCard(claim({ target: { kind: 'words', words: ['Hugo', 'Reyes'] } }));

  expect(world.offered).toMatchObject([{ verb: 'claim', confirmed: true, target: { acctId: acctId + 1 } }]);
  expect(world.set).toEqual([]);
});

it.each([
  ['the same address', {}],
  ['an address that the card program has changed', { current: { email: 'new@example.com' } }],
])(
  'does not claim the person’s other card of %s, linked to somebody else, unless it alone is meant',
  async (_what, given) => {
    const world = setUp({ ...given, accounts: 2, linked: 1, link: linkedTo('U0HUGO'), rest: linkedTo('U0SAM') });

    await world.claimCard(claim());
    expect(world.answers).toEqual([expect.stringContaining('is already linked to you. Nothing changed.')]);
    expect(await world.claims.open()).toEqual([]);

    await world.claimCard(claim({ target: { kind: 'card', acctId: acctId + 1, cardId: null, alertId: null } }));
    expect(await world.claims.open()).toMatchObject([{ card: { acctId: acctId + 1 } }]);
  },
);

it('answers that several cards are linked to the person already, whatever their address', async () => {
  const world = setUp({ accounts: 2, own: 0, link: linkedTo('U0HUGO') });

  await world.claimCard(claim());

  expect(world.answers).toEqual([expect.stringContaining('is already linked to you. Nothing changed.')]);
  expect(world.entries).toEqual([{ event: 'unchanged', acctId }]);
  expect(world.refusals).toEqual([]);
});

it('asks which card is meant if only some of several are linked to the person', async () => {
  const world = setUp({ accounts: 2, own: 0, linked: 1, link: linkedTo('U0HUGO') });

  await world.claimCard(claim());

  expect(world.refusals).toEqual([expect.stringContaining('More than one card matches')]);
});

it.each<[string, Given]>([
  ['differs', { email: 'somebody@example.com' }],
  ['is unknown', { email: null }],
  ['has changed at the card program', { current: { email: 'sam@example.com' } }],
])('answers that an approver has linked the card to the person if their email %s', async (_how, given) => {
  const world = setUp({ ...given, link: linkedTo('U0HUGO') });

  await world.claimCard(claim());

  expect(world.answers).toEqual([expect.stringContaining('is already linked to you. Nothing changed.')]);
  expect(world.entries).toEqual([{ event: 'unchanged', acctId }]);
  expect([world.posted, world.set]).toEqual([[], []]);
});

it.each<[string, Given]>([
  ['the email differs', { email: 'somebody@example.com' }],
  ['Slack has no email', { email: null }],
  ['someone else is linked to the card', { link: linkedTo('U0SAM') }],
])('asks the approvers, with the same answer, when %s', async (_when, given) => {
  const world = setUp(given);

  await world.claimCard(claim());
  await world.claimCard(claim());

  expect(world.posted).toEqual(['clm_claim1', 'clm_claim1']);
  expect(await world.claims.open()).toMatchObject([{ id: 'clm_claim1', card: { acctId } }]);
  expect(world.entries.map(({ event }) => event)).toEqual(['waiting']);
  expect(new Set(world.answers)).toEqual(new Set([expect.stringContaining('I asked the approvers')]));
});

it('refuses the sixth claim of a day', async () => {
  const world = setUp({ email: null });

  for (const [at, id] of ['a', 'b', 'c', 'd', 'e', 'f'].entries()) {
    const target = { kind: 'card', acctId: acctId + at, cardId: null, alertId: null } as const;
    await world.claimCard(claim({ id: `act_${id}`, target }));
  }

  expect(world.posted).toHaveLength(5);
  expect(world.refusals).toEqual(['You have asked 5 times today. Ask an approver.']);
  expect(world.ends, 'each claim expires a day after it was made').toEqual(
    Array.from({ length: 5 }, () => '2026-11-21T15:00:00.000Z'),
  );
});

it('refuses a person who cannot hold a card', async () => {
  const world = setUp({ isGuest: true });

  await world.claimCard(claim());

  expect(world.refusals).toEqual([expect.stringMatching(/^.+ Ask an approver\.$/)]);
  expect(world.mayNot, 'a matter of rights').toHaveLength(1);
  expect(world.posted).toEqual([]);
});

it('offers a choice among a few cards, and asks which one is meant when many match', async () => {
  const few = setUp({ accounts: 5 });
  const many = setUp({ accounts: 6 });

  await few.claimCard(claim());
  await many.claimCard(claim());

  expect(few.offered).toHaveLength(5);
  expect(many.offered).toEqual([]);
  expect(await many.claims.open()).toEqual([]);
  expect(many.refusals).toEqual([expect.stringContaining('More than one card matches “1212”.')]);
});

it.each([
  ['Reyes', 'the card id, the full name or the last four digits'],
  ['Hugo Reyes', 'the card id or the last four digits'],
  ['card 4821', 'the card id or the full name'],
])('asks which of several cards %j means, without naming any, and how else to name it', async (typed, forms) => {
  const two = setUp({ email: null, accounts: 2 });

  await two.claimCard(claim({ target: { kind: 'words', words: typed.split(' ') } }));

  expect(two.posted).toEqual([]);
  expect(two.refusals).toEqual([
    `More than one card matches “${typed}”. Write \`/card link\` with ${forms}. An approver can link it with \`/card link CARD @user\`.`,
  ]);
});

it('offers the person’s own cards, however many others match', async () => {
  const world = setUp({ accounts: 8, own: 2 });

  await world.claimCard(claim());

  expect(world.offered).toMatchObject([{ target: { acctId } }, { target: { acctId: acctId + 1 } }]);
  expect(world.posted).toEqual([]);
});

it('asks the approvers about the card with the person’s email when several match and another holds it', async () => {
  const world = setUp({ accounts: 8, own: 1, link: linkedTo('U0SAM') });

  await world.claimCard(claim());

  expect(await world.claims.open()).toMatchObject([{ card: { acctId } }]);
  expect(world.refusals).toEqual([]);
});

it('counts a claim that matches too many cards, so that nobody can try names all day', async () => {
  const world = setUp({ email: null, accounts: 6 });

  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await world.claimCard(claim({ id: `act_${id}` }));

  expect(world.refusals.at(-1)).toContain('You have asked 5 times today.');
});

it('asks the approvers if the email no longer matches at the confirmation', async () => {
  const world = setUp({ email: 'somebody@example.com' });

  await world.claimCard(claim({ confirmed: true, target: { kind: 'card', acctId, cardId: null, alertId: null } }));

  expect(world.set).toEqual([]);
  expect(world.posted).toEqual(['clm_claim1']);
});

it("never takes someone else's card for the claimed card", async () => {
  const world = setUp();

  await world.claimCard(claim({ target: { kind: 'card', acctId: acctId + 1, cardId: null, alertId: null } }));
  await world.claimCard(claim({ id: 'act_own', target: { kind: 'own' } }));

  expect(world.offered).toEqual([]);
  expect(await world.claims.open()).toMatchObject([{ card: { acctId: acctId + 1 } }]);
  expect(world.refusals).toEqual([expect.stringContaining('I don’t know which card you mean')]);
});

it('searches for cards by all words of a claim', async () => {
  const world = setUp();

  await world.claimCard(claim({ target: { kind: 'words', words: ['Hugo', 'Reyes'] } }));

  expect(world.searched).toEqual(['Hugo Reyes']);
});

it('creates one claim however often the same card is claimed', async () => {
  const world = setUp({ email: null });

  await world.claimCard(claim());
  await Promise.all([world.claimCard(claim({ id: 'act_again' })), world.claimCard(claim({ id: 'act_oncemore' }))]);

  expect(await world.claims.open()).toHaveLength(1);
  expect(new Set(world.posted), "reposted under the first claim's id, which makes it a no-op").toEqual(
    new Set(['clm_claim1']),
  );
  expect(world.entries.map(({ event }) => event)).toEqual(['waiting', 'unchanged', 'unchanged']);
});

it('creates another claim that a link is over once the card is linked to somebody else', async () => {
  const unlink = (id: string) => ask('unlink', { id, actor: { userId: 'U0HUGO', teamId: 'T1' } });
  const [ofSam, ofKim] = ['U0SAM', 'U0KIM'].map((userId) => setUp({ link: linkedTo(userId) }).openUnlinkClaim);

  for (const [openUnlinkClaim, id] of [
    [ofSam, 'act_sam1'],
    [ofSam, 'act_sam2'],
    [ofKim, 'act_kim1'],
    [ofKim, 'act_kim2'],
  ] as const)
    await openUnlinkClaim?.(unlink(id));

  expect(
    (await createClaims(redis(), storeSigner).open()).map(({ id, card: claimed }) => [id, claimed.linkOf]),
  ).toEqual([
    ['clm_kim1', 'U0KIM'],
    ['clm_sam1', 'U0SAM'],
  ]);
});

it('answers only the person who claims a nonexistent card', async () => {
  const world = setUp({ accounts: 0 });

  await world.claimCard(claim());

  expect(world.refusals).toEqual(['No card matches “1212”. Check the last four digits on the card.']);
  expect(world.posted).toEqual([]);
  expect(await world.claims.open()).toEqual([]);
});

it('advises to leave out the other words if they hide the digits of a card', async () => {
  const world = setUp({ accounts: 0 });

  await world.claimCard(claim({ target: { kind: 'words', words: ['1212', 'is', 'mine'] } }));

  expect(world.refusals).toEqual(['No card matches “1212 is mine”. Write only the last four digits on the card.']);
});

it('does not call a card unknown while it may not have been read yet', async () => {
  const world = setUp({ accounts: 0, unread: 12 });

  await world.claimCard(claim());

  expect(world.posted).toEqual([]);
  expect(world.refusals).toEqual([
    expect.stringMatching(/don’t know yet which card “1212” is: the cards of 12 accounts .*later/),
  ]);
  expect(world.posted).toEqual([]);
  expect(await world.claims.open()).toEqual([]);
});

it('does not count tries while it cannot know the card, so that whoever tries again later is not locked out', async () => {
  const soon = setUp({ accounts: 0, unread: 12 });
  const later = setUp({ email: null });

  for (const id of ['a', 'b', 'c', 'd', 'e']) await soon.claimCard(claim({ id: `act_${id}` }));
  await later.claimCard(claim({ id: 'act_f' }));

  expect(later.refusals).toEqual([]);
  expect(later.posted).toEqual(['clm_f']);
});

it.each<[string, Given, string[], string[]]>([
  ['by its digits it may be another’s', { email: 'somebody@example.com' }, ['1212'], []],
  ['it has the person’s email', { link: linkedTo('U0SAM') }, ['1212'], ['clm_claim1']],
  ['its account id was typed', { email: 'somebody@example.com' }, [String(acctId)], ['clm_claim1']],
  ['it was named by its holder', { email: 'somebody@example.com' }, ['Hugo', 'Reyes'], ['clm_claim1']],
])(
  'while some cards are not read yet, asks the approvers about the only card found only if it is surely meant: %s',
  async (_when, given, words, posted) => {
    const world = setUp({ ...given, unread: 12 });

    await world.claimCard(claim({ target: { kind: 'words', words } }));

    expect(world.posted).toEqual(posted);
    expect(world.refusals).toHaveLength(1 - posted.length);
  },
);

it.each([
  ['Hugo Reyes', true],
  ['hugo j. reyes', true],
  ['Reyes, Hugo', true],
  ['Hugo', false],
  ['Hugo Ray', false],
  [null, null],
  [' ', null],
])('compares the Slack name %j with the cardholder’s: %j', async (name, isSameName) => {
  const world = setUp({ email: 'somebody@example.com', name });

  await world.claimCard(claim());

  expect((await world.claims.open())[0]?.card).toEqual({ acctId, isSameName, isSameEmail: false });
});

it.each<[string, Given, boolean | null]>([
  ['both are the same', { link: linkedTo('U0SAM') }, true],
  ['they differ', { email: 'somebody@example.com' }, false],
  ['they differ in a tag, which proves nothing', { email: 'hugo+x@example.com' }, false],
  ['Slack has no email', { email: null }, null],
  ['the card program has no email', { known: { email: null } }, null],
  ['the email of the card program is blank', { known: { email: ' ' } }, null],
])('records whether the emails match, or that nothing was compared, when %s', async (_when, given, isSameEmail) => {
  const world = setUp(given);

  await world.claimCard(claim());

  expect((await world.claims.open())[0]?.card).toMatchObject({ acctId, isSameEmail });
});

it('does not compare names if the card program has none', async () => {
  const world = setUp({ email: null, name: 'Hugo Reyes', known: { firstName: null, lastName: null } });

  await world.claimCard(claim());

  expect((await world.claims.open())[0]?.card).toMatchObject({ acctId, isSameName: null });
});

it.each([
  ['their own', 'U0HUGO', {}, 'that it is no longer your card'],
  ['somebody else’s', 'U0KIM', { linkOf: 'U0KIM' }, 'that this card is linked to the wrong person'],
])(
  'stores and says whose link a claim is to end, if it is not the claimant’s: %s',
  async (_whose, holder, stored, what) => {
    const world = setUp({ link: linkedTo(holder) });

    await world.openUnlinkClaim(ask('unlink', { actor: { userId: 'U0HUGO', teamId: 'T1' } }));

    const compared = { acctId, isSameName: null, isSameEmail: true };
    expect((await world.claims.open())[0]?.card).toEqual({ ...compared, ...stored });
    expect(world.answers).toEqual([expect.stringContaining(`Somebody else has to confirm ${what}.`)]);
  },
);

describe('the claim message', () => {
  const claimed = {
    id: 'clm_1',
    action: claim({ target: { kind: 'words', words: ['Hugo', 'Reyes'] } }),
    card: { acctId, isSameName: false, isSameEmail: false },
    expiresAt: '2026-11-21T15:00:00.000Z',
  };
  const open: Claim = { ...claimed, state: 'open' };
  const decision = { actionId: 'act_ana', by: 'U0ANA', at: '2026-11-20T16:00:00.000Z' };
  const messageOf = async (which: Claim, heldBy: string | null = null): Promise<Message> => {
    const message = await claimMessage('clm_1', {
      claims: { get: async (claimId) => (claimId === which.id ? which : null) },
      factsOf: async (acct) => ({ ...card, acctId: acct }),
      links: { ofAccount: async () => (heldBy === null ? null : linkedTo(heldBy)) },
    });
    if (message === null) throw new Error('there is no message');
    return message;
  };
  const textOf = async (which: Claim, heldBy: string | null = null): Promise<string> =>
    JSON.stringify(await messageOf(which, heldBy));
  const unix = (at: string): string => String(Date.parse(at) / 1000);

  it('shows the card, what does not match, and when the claim expires', async () => {
    const text = await textOf(open);

    expect(text).toContain(`<@U0HUGO> says card ${card.last4} is theirs`);
    expect(text).toContain(
      'Their Slack name doesn’t match the cardholder’s. Their Slack email doesn’t match the cardholder’s. Not linked to anyone.',
    );
    expect(text).toContain(unix(open.expiresAt));
  });

  it('shows who would lose the card, and that the names match', async () => {
    const text = await textOf({ ...open, card: { acctId, isSameName: true, isSameEmail: true } }, 'U0SAM');

    expect(text).toContain(
      'Their Slack name matches the cardholder’s. Their Slack email matches the cardholder’s. Linked to <@U0SAM> now, who would be unlinked.',
    );
  });

  it('says what was not compared', async () => {
    const text = await textOf({ ...open, card: { acctId, isSameName: null, isSameEmail: null } });

    expect(text).toContain('No name to compare. No email to compare. Not linked to anyone.');
    expect(text).not.toContain('match');
  });

  it('of a link that is over shows whether another has taken its place', async () => {
    const unlink = { ...open, action: ask('unlink', { actor: { userId: 'U0HUGO', teamId: 'T1' } }) };
    const ofKim = { ...unlink, card: { ...unlink.card, linkOf: 'U0KIM' } };

    expect(await textOf(unlink, 'U0HUGO')).toContain('Linked to <@U0HUGO> now.');
    expect(await textOf(unlink, 'U0KIM')).toContain('Linked to <@U0KIM> since then, and that stays.');
    expect(await textOf(ofKim, 'U0KIM')).toContain('Linked to <@U0KIM> now, who would be unlinked.');
  });

  it('of somebody else’s link names whom it is about, and who is unlinked in the end', async () => {
    const unlink = ask('unlink', { actor: { userId: 'U0HUGO', teamId: 'T1' } });
    const ofKim = { ...claimed, action: unlink, card: { ...claimed.card, linkOf: 'U0KIM' } };

    const asked = await textOf({ ...ofKim, state: 'open' }, 'U0KIM');
    expect(asked).toContain(`<@U0HUGO> says card ${card.last4} is not <@U0KIM>’s`);
    expect(asked).toContain('It may be <@U0HUGO>’s own card, so somebody else decides.');
    expect(asked).not.toContain('no longer theirs');
    const confirmed = await textOf({ ...ofKim, state: 'confirmed', decision });
    expect(confirmed).toContain('<@U0KIM> no longer holds');
    expect(confirmed).not.toContain('<@U0HUGO> no longer holds');
  });

  it('shows that a person no longer holds a card', async () => {
    const unlink = ask('unlink', { actor: { userId: 'U0HUGO', teamId: 'T1' } });

    expect(await textOf({ ...open, action: unlink }, 'U0HUGO')).toContain('is no longer theirs');
    expect(await textOf({ ...claimed, action: unlink, state: 'confirmed', decision })).toContain(
      '<@U0HUGO> no longer holds',
    );
  });

  it('can be confirmed as it was seen, and refused', async () => {
    expect(buttons(await messageOf(open, 'U0SAM')).map(({ action_id, value }) => [action_id, value])).toEqual([
      ['confirm_claim', claimValue('clm_1', 'U0SAM')],
      ['refuse_claim', 'clm_1'],
    ]);
  });

  it('shows who confirmed it and when', async () => {
    const text = await textOf({ ...claimed, state: 'confirmed', decision });

    expect(text).toContain('<@U0ANA>');
    expect(text).toContain(unix(decision.at));
    expect(text).not.toContain(unix(open.expiresAt));
  });
});
