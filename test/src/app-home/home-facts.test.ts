import { describe, expect, it } from 'vitest';
import { readCardState } from '../../../src/app-home/card-state-store.ts';
import { inactiveCards, type OwnCard, ownCards, ownRequests, teamFacts } from '../../../src/app-home/home-facts.ts';
import { listPage } from '../../../src/app-home/home-page.ts';
import { AccountDetails } from '../../../src/card-api/schema-account.ts';
import { readSpendRules } from '../../../src/card-api/spend-rules.ts';
import { firstPermitted } from '../../../src/core/first-permitted.ts';
import { createGroupOfFacts } from '../../../src/directory/directory.ts';
import { claimTarget } from '../../../src/holders/claim-store.ts';
import { createCardsFor } from '../../../src/policy/permissions.ts';
import { home } from '../../../templates/app-home/home.ts';
import { homeOwnRequests } from '../../../templates/app-home/home-waiting.ts';
import { calmHealth } from '../../support/calm-health.ts';
import { accountOf, directoryOf } from '../../support/directories.ts';
import { limitChange } from '../../support/limit-goals.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { useRedis } from '../../support/on-redis.ts';
import { acctId, ask, createActionWorld, performAction } from '../../support/perform-world.ts';
import { temporaryChangeOf } from '../../support/temporary-changes.ts';
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

const nothing: Parameters<typeof teamFacts>[2] = {
  cardsFor: async (_userId, _permission, cards) => [...cards],
  requests: { open: async () => [] },
  temporaryChanges: { all: async () => [] },
  mutes: { active: async () => [] },
  claims: { open: async () => [] },
  links: { ofAccount: async () => null },
  directory: { waitingForActivation: async () => [] },
  factsOf: async () => card,
  newestDeclines: async () => [],
  health: async () => calmHealth,
  sealCard: () => 'sealed',
};

it('lists declines and inactive cards of one group behind those of many others', async () => {
  const numbers = Array.from({ length: 400 }, (_, index) => index);
  const groupAt = (place: number) => (place < 300 ? 'Field' : 'Sales');
  const declineAt = (place: number) =>
    declined('decline.balance.card', 'Insufficient balance', { card: { ...card, group: groupAt(place) } });
  const reading = <Entry>(entryAt: (place: number) => Entry) => ({
    idsOf: async (limit: number) => numbers.slice(0, limit),
    read: async (ids: readonly number[]) => ids.map(entryAt),
  });

  const { declines, inactive } = await teamFacts({ userId: 'U0SAL', isApprover: false }, new Date(), {
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

  const { declines, inactive } = await teamFacts({ userId: 'U0HUGO', isApprover: false }, new Date(), {
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
  const facts = await teamFacts({ userId: 'U0ANA', isApprover: false }, new Date(), {
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
  const team = await teamFacts({ userId: 'U0ANA', isApprover: true }, new Date(), { ...nothing, claims, links });
  const { blocks } = home({ ...emptyHome, team });

  expect(shown(blocks)).toContain(`Linked to <@${holder}> now`);
  const pressed = buttons(blocks).find(({ action_id }) => action_id === 'confirm_claim')?.value ?? '';
  await performAction(
    ask('decide-claim', { actor: { userId: 'U0ANA', teamId: 'T1' }, target: claimTarget(pressed, true) }),
    deps,
  );
  expect((await links.ofAccount(acctId))?.userId).toBe(verb === 'unlink' ? undefined : 'U0HUGO');
});

it('shows a claim to approvers who decide about its card, and to others who see that', async () => {
  const claim = {
    id: 'clm_1',
    action: ask('claim', { actor: { userId: 'U0HUGO', teamId: 'T1' } }),
    card: { acctId: 7, isSameName: false, isSameEmail: false },
    state: 'open',
    expiresAt: '2026-11-21T15:00:00.000Z',
  } as const;
  const claimsFor = async (userId: string, may: readonly string[]) => {
    const { claims } = await teamFacts({ userId, isApprover: true }, new Date(), {
      ...nothing,
      claims: { open: async () => [claim] },
      factsOf: async (id) => ({ ...card, acctId: id }),
      cardsFor: async (_userId, { role }, cards) => (may.includes(role ?? '') ? [...cards] : []),
    });
    return claims.map(({ mayDecide }) => mayDecide);
  };

  expect(await claimsFor('U0ANA', ['operator', 'approver'])).toEqual([true]);
  expect(await claimsFor('U0OLGA', ['operator'])).toEqual([false]);
  expect(await claimsFor('U0EVE', [])).toEqual([]);
  expect(await claimsFor('U0HUGO', ['operator', 'approver']), 'nobody confirms their own claim').toEqual([false]);
});

it('lists only the newest inactive card of an account as waiting for activation, because it replaces the others', async () => {
  const cards = await inactiveCards({ allWaitingForActivation: async () => [account] });

  expect(cards).toMatchObject([{ acctId: 7378, cardId: 2, last4: '2222' }]);
});

it('lists only the requests that the user made, with their button values', async () => {
  const own = openRequestOf({ revision: 2 });
  const foreign = openRequestOf({ id: 'req_2', action: ask('limit', { actor: { userId: 'U0BEN', teamId: 'T1' } }) });
  const deps = {
    requests: { open: async () => [own, foreign] },
    cardsFor: async <C>(_userId: string, _permission: unknown, cards: readonly C[]): Promise<C[]> => [...cards],
  };

  const ofHolder = await ownRequests('U0HUGO', deps);
  expect(ofHolder).toMatchObject([{ action: { actor: { userId: 'U0HUGO' } }, mayDecide: false }]);
  expect(buttons(homeOwnRequests(ofHolder, {}))).toMatchObject([{ value: 'req_ask1.2' }]);
  expect(await ownRequests('U0EVE', deps)).toEqual([]);
  const { requests } = await teamFacts({ userId: 'U0HUGO', isApprover: true }, new Date(), { ...nothing, ...deps });
  expect(requests, 'and no other list has them again').toMatchObject([{ action: { actor: { userId: 'U0BEN' } } }]);
});

it('lets an approver whose own approval has become void approve their request again', async () => {
  const voided = openRequestOf({
    action: ask('limit', { actor: { userId: 'U0ANA', teamId: 'T1' } }),
    voided: ['U0ANA'],
  });
  const deps = {
    requests: { open: async () => [voided] },
    cardsFor: async <C>(_userId: string, _permission: unknown, cards: readonly C[]): Promise<C[]> => [...cards],
  };

  const { requests } = await teamFacts({ userId: 'U0ANA', isApprover: true }, new Date(), { ...nothing, ...deps });

  expect(requests).toMatchObject([{ id: 'req_ask1', mayDecide: true }]);
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
      getAccount: async () => AccountDetails.parse({ AccountId: 7378, AvailableBalance: 0 }),
      getSpendRules: async () => ({ rules, raw: {} }),
    });

    expect(shown).toMatchObject([{ balance: 'business' }]);
  });

  it('are shown with gaps if the card API does not respond', async () => {
    const { shown } = await cardsOf(unread);

    expect(shown).toMatchObject([{ card: { acctId: 7378, last4: '3333' }, balance: null, hasLimits: false }]);
    expect(
      shown[0]?.declines.map(({ occurredAt }) => occurredAt),
      'none of an earlier holder',
    ).toEqual(['2026-11-20T00:00:00Z']);
  });
});

it('lists only the limits of a pending decision that have not gone back yet', async () => {
  const changes = [limitChange('daily', 40_000, 45_000), limitChange('weekly', 60_000, 70_000)];
  const meanwhile = [limitChange('daily', 45_000, 50_000), limitChange('weekly', 70_000, 60_000)];
  const asking = temporaryChangeOf({ state: 'asking', changes, meanwhile });

  const { temporaryChanges } = await teamFacts({ userId: 'U0SAL', isApprover: true }, new Date(), {
    ...nothing,
    temporaryChanges: { all: async () => [asking] },
  });

  expect(temporaryChanges).toMatchObject([{ changes: [changes[0]] }]);
});

it('offers the earlier end of a temporary reduction, which is a raise, only to approvers, and not for their own card', async () => {
  const raised = temporaryChangeOf({ id: 'act_up' });
  const reduced = temporaryChangeOf({ id: 'act_down', changes: [limitChange('daily', 40_000, 5_000)] });
  const link = { acctId, userId: 'U0OTTO', provedBy: 'email', by: 'U0OTTO', at: '2026-11-20T00:00:00Z' } as const;
  const offered = async (userId: string, may: readonly string[]) => {
    const { temporaryChanges } = await teamFacts({ userId, isApprover: true }, new Date(), {
      ...nothing,
      temporaryChanges: { all: async () => [raised, reduced] },
      factsOf: async (id) => ({ ...card, acctId: id }),
      links: { ofAccount: async () => link },
      cardsFor: async (_userId, { role }, cards) => (may.includes(role ?? '') ? [...cards] : []),
    });
    return temporaryChanges.flatMap(({ value, mayRevert }) => (mayRevert ? [value] : []));
  };

  expect(await offered('U0ANA', ['operator', 'approver'])).toEqual(['act_up', 'act_down']);
  expect(await offered('U0OLGA', ['operator'])).toEqual(['act_up']);
  expect(await offered('U0OTTO', ['operator', 'approver']), 'whose card it is').toEqual(['act_up']);
});
