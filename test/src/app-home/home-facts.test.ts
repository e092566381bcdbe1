import { describe, expect, it } from 'vitest';
import { readCardState } from '../../../src/app-home/card-state-store.ts';
import { inactiveCards, type OwnCard, ownCards, teamFacts } from '../../../src/app-home/home-facts.ts';
import { listPage } from '../../../src/app-home/home-page.ts';
import { createWaitingFacts } from '../../../src/app-home/waiting-facts.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { readSpendRules } from '../../../src/card-api/spend-rules.ts';
import { firstPermitted } from '../../../src/core/first-permitted.ts';
import { createGroupOfFacts } from '../../../src/directory/directory.ts';
import { claimTarget } from '../../../src/holders/claim-store.ts';
import { createCardsFor } from '../../../src/policy/roles-for-card.ts';
import { home } from '../../../templates/app-home/home.ts';
import { calmHealth } from '../../support/calm-health.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, createActionWorld, performAction } from '../../support/perform-world.ts';
import { card, declined } from '../../templates/fixtures.ts';
import { buttons, shown } from '../../templates/shown.ts';

const redis = useRedis();
const emptyHome = {
  at: '2026-11-20T15:00:00.000Z',
  own: listPage<OwnCard>([], 1, 5),
  ownRequests: [],
  preferences: { off: [], digest: null, quiet: null, delegates: [] },
  delegate: { current: null, allowed: [] },
  pages: {},
};

const account = accountOf({
  detailsAt: null,
  cards: [
    { cardId: 1, last4: '1111', status: 'INACTIVE', seenAt: '2026-11-20T00:00:00Z' },
    { cardId: 2, last4: '2222', status: 'INACTIVE', seenAt: '2026-11-20T00:00:00Z' },
    { cardId: 3, last4: '3333', status: 'ACTIVE', seenAt: '2026-11-20T00:00:00Z' },
  ],
});

const nothing: Parameters<typeof teamFacts>[1] = {
  waiting: { ofTeam: async () => ({ requests: [], claims: [], temporaryChanges: [] }) },
  cardsFor: async (_userId, _permission, cards) => [...cards],
  mutes: { active: async () => [] },
  directory: { waitingForActivation: async () => [] },
  newestDeclines: async () => [],
  health: async () => calmHealth,
  sealCard: () => 'sealed',
};

const viewer = (userId: string) => ({ userId, isApprover: false });

it('lists declines and inactive cards of one group behind those of many others', async () => {
  const numbers = Array.from({ length: 400 }, (_, index) => index);
  const groupAt = (place: number) => (place < 300 ? 'Field' : 'Sales');
  const declineAt = (place: number) =>
    declined('decline.balance.card', 'Insufficient balance', { card: { ...card, group: groupAt(place) } });
  const reading = <Entry>(entryAt: (place: number) => Entry) => ({
    idsOf: async (limit: number) => numbers.slice(0, limit),
    read: async (ids: readonly number[]) => ids.map(entryAt),
  });

  const { declines, inactive } = await teamFacts(viewer('U0SAL'), {
    ...nothing,
    cardsFor: async (_userId, _permission, cards) => cards.filter(({ group }) => group === 'Sales'),
    newestDeclines: (limit, permitted) => firstPermitted({ ...reading(declineAt), permitted, limit }),
    directory: {
      waitingForActivation: (limit, permitted) =>
        firstPermitted({
          ...reading((place) => ({ ...account, acctId: place, group: groupAt(place) })),
          permitted,
          limit,
        }),
    },
  });

  expect(declines).toHaveLength(50);
  expect(inactive.map((one) => one.card.acctId)).toEqual(numbers.slice(300));
});

it('lists nothing about a card whose group was not read yet', async () => {
  const unread = { ...account, acctId: 8 };
  const directory = directoryOf({
    account: async (id) => [account, unread].find((one) => one.acctId === id) ?? accountOf({ acctId: id }),
    waitingForActivation: async (_limit, permitted) => [...(await permitted([account, unread]))],
  });
  const aboutCards = [account.acctId, 8, 9].map((id) =>
    declined('decline.balance.card', 'Insufficient balance', { card: { ...card, acctId: id, group: null } }),
  );

  const { declines, inactive } = await teamFacts(viewer('U0HUGO'), {
    ...nothing,
    cardsFor: createCardsFor({
      rolesOf: async () => ({ roles: ['approver', 'operator'], isComplete: true }),
      links: { accountsOf: async () => [] },
      groupOf: createGroupOfFacts({ directory, hasCardGroups: () => true }),
    }),
    newestDeclines: async (_limit, permitted) => await permitted(aboutCards),
    directory,
  });

  expect(declines.map((one) => one.card.acctId)).toEqual([9]);
  expect(inactive).toEqual([]);
});

it('names the account of a decline’s event if its card is unknown', async () => {
  const alert = declined('decline.balance.card', 'Insufficient balance', { card: { ...card, acctId: null } });
  const facts = await teamFacts(viewer('U0ANA'), {
    ...nothing,
    newestDeclines: async () => [alert],
  });

  expect(facts).toMatchObject({
    isApprover: false,
    health: calmHealth,
    declines: [{ ...alert.event, card: { acctId: alert.event.acctId } }],
  });
});

it.each([
  ['that they hold a card of somebody else', 'claim'],
  ['that they no longer hold a card', 'unlink'],
] as const)('lets an approver confirm to a person %s', async (_what, verb) => {
  const hugo = { name: null, email: null, isBot: false, isGuest: false, isExternal: false, isDeactivated: false };
  const { deps } = await createActionWorld(redis(), { person: async () => hugo });
  const { claims, links } = deps;
  const holder = verb === 'unlink' ? 'U0HUGO' : 'U0SAM';
  await links.link({ acctId, userId: holder, provedBy: 'approver', by: 'U0BEN', at: '2026-11-20T14:00:00.000Z' });
  const claimed = { acctId, isSameName: false, isSameEmail: false };
  const action = ask(verb, { actor: { userId: 'U0HUGO', teamId: 'T1' } });
  await claims.save({ id: 'clm_1', action, card: claimed, state: 'open', expiresAt: '2026-11-21T15:00:00.000Z' });
  const waiting = createWaitingFacts({ ...deps, cardsFor: nothing.cardsFor, factsOf: async () => card });
  const team = await teamFacts({ userId: 'U0ANA', isApprover: true }, { ...nothing, waiting });
  const { blocks } = home({ ...emptyHome, team });

  expect(shown(blocks)).toContain(`Linked to <@${holder}> now`);
  const pressed = buttons(blocks).find(({ action_id }) => action_id === 'confirm_claim')?.value ?? '';
  await performAction(
    ask('decide-claim', { actor: { userId: 'U0ANA', teamId: 'T1' }, target: claimTarget(pressed, true) }),
    deps,
  );
  expect((await links.ofAccount(acctId))?.userId).toBe(verb === 'unlink' ? undefined : 'U0HUGO');
});

it('lists only the newest inactive card of an account as waiting for activation, because it replaces the others', async () => {
  const cards = await inactiveCards({ allWaitingForActivation: async () => [account] });

  expect(cards).toMatchObject([{ acctId: 7378, cardId: 2, last4: '2222' }]);
});

describe('a user’s own cards', () => {
  const noAnswer = async (): Promise<never> => Promise.reject(new Error('no answer'));
  const unread = { getAccount: noAnswer, getSpendRules: noAnswer, getRemainingLimits: noAnswer };

  const cardsOf = (card: Parameters<typeof readCardState>[1]['card']) =>
    ownCards(
      'U0ANA',
      { page: 1, perPage: 5 },
      {
        links: {
          ofUser: async () => [
            { acctId: 7378, userId: 'U0ANA', provedBy: 'email', by: 'U0ANA', at: '2026-11-20T00:00:00Z' },
          ],
        },
        stateOf: (acctId) => readCardState(acctId, { card, now: () => new Date() }),
        directory: { account: async () => account },
        recentDeclines: async () =>
          ['2026-11-20T00:00:00Z', '2026-11-19T23:59:59Z'].map((occurredAt) => ({
            ...declined('decline.rule.velocity', 'over').event,
            occurredAt,
          })),
        sealCard: () => 'sealed',
      },
    );

  it('are not called empty if they pay from the balance of the business', async () => {
    const rules = readSpendRules({ DailySpendLimit: 400, UseBusinessBalanceForAuths: true });
    if (rules === null) throw new Error('no rules');

    const { shown } = await cardsOf({
      ...unread,
      getAccount: async () => AccountDetails.parse({ AccountId: 7378, AvailableBalance: 0, CardList: [] }),
      getSpendRules: async () => ({ rules, raw: {} }),
    });

    expect(shown).toMatchObject([{ balance: 'business', isStatusRead: true }]);
  });

  it('are shown with gaps if the card API does not respond', async () => {
    const { shown } = await cardsOf(unread);

    expect(shown).toMatchObject([
      { card: { acctId: 7378, last4: '3333' }, isStatusRead: false, balance: null, hasLimits: false },
    ]);
    expect(
      shown[0]?.declines.map(({ occurredAt }) => occurredAt),
      'none of an earlier holder',
    ).toEqual(['2026-11-20T00:00:00Z']);
  });
});
