import { expect, it } from 'vitest';
import type { Action } from '../../../src/actions/action.ts';
import type { RecordEntry } from '../../../src/actions/record.ts';
import { DirectoryAccount } from '../../../src/directory/account.ts';
import type { CardMatch } from '../../../src/directory/index-entries.ts';
import { createClaimCard, createOpenClaim } from '../../../src/holders/claim-card.ts';
import { createClaims } from '../../../src/holders/claim-store.ts';
import type { LinkSet, NewLink } from '../../../src/holders/link-card.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, type Over } from '../../support/perform-world.ts';
import { card } from '../../templates/fixtures.ts';

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
  readonly link?: ReturnType<typeof linkedTo> | null;
}

function setUp({ email = 'hugo@example.com', link = null }: Given = {}) {
  const claims = createClaims(redis());
  const answers: string[] = [];
  const refusals: string[] = [];
  const set: NewLink[] = [];
  const offered: Action[] = [];
  const entries: RecordEntry[] = [];
  const posted: string[] = [];
  const common = {
    answer: async (_action: unknown, { text }: { text: string }) => void answers.push(text),
    refuse: async (_action: unknown, { why }: { why: string }) => void refusals.push(why),
  };
  const openClaim = createOpenClaim({
    ...common,
    claims,
    record: async (_action, entry) => void entries.push(entry),
    postClaim: async ({ id }) => void posted.push(id),
    scheduleClaimEnd: async () => {},
    now: () => new Date('2026-11-20T15:00:00.000Z'),
  });
  const claimCard = createClaimCard({
    ...common,
    openClaim,
    person: async () => ({ email, isBot: false, isGuest: false, isExternal: false, isDeactivated: false }),
    directory: { find: async () => [match], findByEmail: async () => [account] },
    links: { ofAccount: async () => link },
    setLink: async (_action, newLink): Promise<LinkSet> => {
      set.push(newLink);
      return { card, before: null, isSame: link !== null };
    },
    offer: async (action) => `pending-${offered.push(action)}`,
  });
  return { claimCard, claims, answers, refusals, set, offered, entries, posted };
}

const claim = (over: Over = {}) =>
  ask('claim', { target: { kind: 'words', words: ['1212'] }, actor: { userId: 'U0HUGO', teamId: 'T1' }, ...over });

it('asks to confirm where the e-mail address is the one of the holder, and links nothing yet', async () => {
  const world = setUp();

  await world.claimCard(claim());

  expect(world.answers).toEqual([expect.stringContaining('Is this your card?')]);
  expect(world.offered).toMatchObject([{ verb: 'claim', confirmed: true, target: { kind: 'card', acctId } }]);
  expect(world.set).toEqual([]);
});

it('links the card once that is confirmed', async () => {
  const world = setUp();

  await world.claimCard(claim({ confirmed: true, target: { kind: 'card', acctId, cardId: null, alertId: null } }));

  expect(world.set).toEqual([{ acctId, cardId: null, userId: 'U0HUGO', provedBy: 'email' }]);
  expect(world.answers).toEqual([expect.stringContaining('Linked: <@U0HUGO>')]);
});

it('asks nobody where the card is linked to the person already', async () => {
  const world = setUp({ link: linkedTo('U0HUGO') });

  await world.claimCard(claim());

  expect(world.answers).toEqual([expect.stringContaining('already. Nothing changed')]);
});

it.each<[string, Given]>([
  ['the e-mail address is another', { email: 'somebody@example.com' }],
  ['Slack knows no e-mail address', { email: null }],
  ['somebody else is linked to the card', { link: linkedTo('U0SAM') }],
])('leaves it to an approver, in the same words, where %s', async (_when, given) => {
  const world = setUp(given);

  await world.claimCard(claim());
  await world.claimCard(claim());

  expect(world.posted).toEqual(['clm_claim1', 'clm_claim1']);
  expect(await world.claims.open()).toMatchObject([{ id: 'clm_claim1', acctIds: [acctId] }]);
  expect(world.entries.map(({ event }) => event)).toEqual(['waiting']);
  expect(new Set(world.answers)).toEqual(new Set([expect.stringContaining('I asked the people who approve')]));
});

it('refuses the sixth claim of a day', async () => {
  const world = setUp({ email: null });

  for (const id of ['a', 'b', 'c', 'd', 'e', 'f']) await world.claimCard(claim({ id: `act_${id}` }));

  expect(world.posted).toHaveLength(5);
  expect(world.refusals).toEqual(['You have asked 5 times today.']);
});
