import { describe, expect, it } from 'vitest';
import { inactiveCards, ownCards, ownRequests, teamFacts } from '../../../src/app-home/home-facts.ts';
import type { DirectoryAccount } from '../../../src/directory/account.ts';
import { openRequestOf } from '../../support/limit-requests.ts';
import { ask } from '../../support/perform-world.ts';
import { card, declined } from '../../templates/fixtures.ts';

const health = {
  waiting: 0,
  lagMs: 0,
  failed: 0,
  quarantined: 0,
  stuck: [],
  isCardApiAway: false,
  refusedToken: null,
  memory: { share: null, refusedFrom: 0.85 },
};

const account: DirectoryAccount = {
  acctId: 7378,
  firstName: null,
  lastName: null,
  namesAt: null,
  customId: null,
  isVirtual: null,
  group: null,
  rulesetId: null,
  accountStatus: null,
  availableCents: null,
  email: null,
  detailsAt: null,
  cards: [
    { cardId: 1, last4: '1111', status: 'INACTIVE', seenAt: '2026-11-20T00:00:00Z' },
    { cardId: 2, last4: '2222', status: 'INACTIVE', seenAt: '2026-11-20T00:00:00Z' },
    { cardId: 3, last4: '3333', status: 'ACTIVE', seenAt: '2026-11-20T00:00:00Z' },
  ],
};

it('names the account of a decline’s event if its card is unknown', async () => {
  const alert = declined('decline.balance.card', 'Insufficient balance', { card: { ...card, acctId: null } });
  const facts = await teamFacts({ userId: 'U0ANA', isApprover: false }, new Date(), {
    cardsFor: async (_userId, _permission, cards) => [...cards],
    requests: { open: async () => [] },
    temporaryChanges: { all: async () => [] },
    mutes: { active: async () => [] },
    claims: { open: async () => [] },
    directory: { waitingForActivation: async () => [] },
    factsOf: async () => card,
    newestDeclines: async () => [alert],
    health: async () => health,
    sealCard: () => 'sealed',
  });

  expect(facts).toMatchObject({
    isApprover: false,
    health,
    declines: [{ ...alert.event, card: { acctId: alert.event.acctId } }],
  });
});

it('lists the newest inactive card of an account as waiting for activation', async () => {
  const cards = await inactiveCards({ waitingForActivation: async () => [account] });

  expect(cards).toMatchObject([{ acctId: 7378, cardId: 2, last4: '2222' }]);
});

it('lists only the requests that the user made, with their button values', async () => {
  const own = openRequestOf({ revision: 2 });
  const foreign = openRequestOf({ id: 'req_2', action: ask('limit', { actor: { userId: 'U0BEN', teamId: 'T1' } }) });
  const deps = {
    requests: { open: async () => [own, foreign] },
    cardsFor: async <C>(_userId: string, _permission: unknown, cards: readonly C[]): Promise<C[]> => [...cards],
  };

  expect(await ownRequests('U0HUGO', deps)).toMatchObject([
    { value: 'req_ask1.2', askedBy: 'U0HUGO', mayDecide: false },
  ]);
  expect(await ownRequests('U0EVE', deps)).toEqual([]);
});

describe('a user’s own cards', () => {
  it('are shown with gaps if the card API does not respond', async () => {
    const noAnswer = async (): Promise<never> => Promise.reject(new Error('no answer'));

    const { shown } = await ownCards(
      'U0ANA',
      { page: 1, perPage: 5 },
      {
        links: {
          ofUser: async () => [
            { acctId: 7378, userId: 'U0ANA', provedBy: 'email', by: 'U0ANA', at: '2026-11-20T00:00:00Z' },
          ],
        },
        card: { getAccount: noAnswer, getSpendRules: noAnswer, getRemainingLimits: noAnswer },
        directory: { account: async () => account },
        recentDeclines: async () => [],
        sealCard: () => 'sealed',
      },
    );

    expect(shown).toMatchObject([{ card: { acctId: 7378, last4: '3333' }, balanceCents: null, hasLimits: false }]);
  });
});
