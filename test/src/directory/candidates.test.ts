import { expect, it } from 'vitest';
import type { CardStatus } from '../../../src/core/event.ts';
import { createOnlyCard } from '../../../src/directory/candidates.ts';

const actor = { userId: 'U0SAM', teamId: 'T1' };

/** Of a person who holds one account for each list of statuses; the first card is `0001`. */
function onlyCard(verb: string, ...accounts: readonly (readonly CardStatus[])[]) {
  const cardsOf = (acctId: number) =>
    (accounts[acctId - 1] ?? []).map((status, at) => ({
      cardId: at + 1,
      last4: `000${at + 1}`,
      status,
      seenAt: '2026-11-20T15:00:00.000Z',
    }));
  return createOnlyCard({
    links: { ofUser: async () => accounts.map((_, at) => ({ acctId: at + 1 })) },
    directory: {
      account: async (acctId) => ({
        cards: cardsOf(acctId),
        accountStatus: 'OPEN',
        detailsAt: '2026-11-20T15:00:00.000Z',
      }),
    },
    isLook: () => false,
    changesCard: () => true,
  })({ actor, verb });
}

it('is the card in use of the only account that somebody holds', async () => {
  expect(await onlyCard('unblock', ['CLOSED', 'BLOCKED'])).toMatchObject({ acctId: 1, last4: '0002' });
  expect(await onlyCard('unblock', ['CLOSED'], ['ACTIVE'])).toMatchObject({ acctId: 2, last4: '0001' });
});

it('is the new card where one is to be activated', async () => {
  expect(await onlyCard('activate', ['ACTIVE', 'INACTIVE'])).toMatchObject({ acctId: 1, cardId: 2, last4: '0002' });
});

it('is none of several, and none of nobody’s', async () => {
  expect(await onlyCard('activate', ['INACTIVE', 'INACTIVE'])).toBeNull();
  expect(await onlyCard('unblock', ['ACTIVE'], ['ACTIVE'])).toBeNull();
  expect(await onlyCard('unblock')).toBeNull();
});
