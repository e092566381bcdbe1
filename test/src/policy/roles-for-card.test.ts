import { expect, it } from 'vitest';
import type { Permission, Role } from '../../../src/policy/decide-action.ts';
import { createCardsFor, createRolesForCard } from '../../../src/policy/roles-for-card.ts';

const NORTH = 1;
const SOUTH = 2;
const UNKNOWN = 3;
const groups: Readonly<Record<number, string | null>> = { [NORTH]: 'North', [SOUTH]: 'South' };
const asked: unknown[] = [];

/** Olga is an operator of the north group, and holds the card of the south group. */
const rolesOf = async (_userId: string, { group }: { readonly group?: string | null } = {}) => {
  asked.push(group);
  const roles: Role[] = group === 'South' ? ['holder'] : ['operator', 'holder'];
  return { roles, isComplete: true };
};
const links = {
  isHeldBy: async (userId: string, acctId: number) => acctId === SOUTH && userId === 'U0OLGA',
  accountsOf: async () => [SOUTH],
};
const show: Permission = { role: 'operator', doing: 'see cards', holderMay: true };
const block: Permission = { role: 'operator', doing: 'see cards' };

it("the roles for a card are those of its group, and include holder only for one's own card", async () => {
  const rolesForCard = createRolesForCard({ rolesOf, links, groupOfCard: async (acctId) => groups[acctId] });

  expect(await rolesForCard('U0OLGA', NORTH)).toMatchObject({ roles: ['operator'], isGroupKnown: true });
  expect(await rolesForCard('U0OLGA', SOUTH)).toMatchObject({ roles: ['holder'], isGroupKnown: true });
  expect(await rolesForCard('U0OLGA', UNKNOWN), 'the roles for any card').toMatchObject({
    roles: ['operator'],
    isGroupKnown: false,
  });
});

it('filters cards to those the person may look at, with one lookup per group', async () => {
  const cardsFor = createCardsFor({ rolesOf, links, groupOf: async ({ group }) => group });
  const cards = [
    { acctId: NORTH, group: 'North' },
    { acctId: SOUTH, group: 'South' },
    { acctId: 5, group: 'South' },
    { acctId: 6, group: 'North' },
    { acctId: 7, group: undefined },
  ];
  asked.length = 0;

  expect((await cardsFor('U0OLGA', show, cards)).map(({ acctId }) => acctId)).toEqual([NORTH, SOUTH, 6]);
  expect(asked).toEqual(['North', 'South']);
  expect((await cardsFor('U0OLGA', block, cards)).map(({ acctId }) => acctId)).toEqual([NORTH, 6]);
});

it('keeps of the cards whose group is not known only those of the person', async () => {
  const cardsFor = createCardsFor({ rolesOf, links, groupOf: async () => undefined });
  const cards = [SOUTH, UNKNOWN].map((acctId) => ({ acctId, group: null }));

  expect(await cardsFor('U0OLGA', show, cards)).toEqual([cards[0]]);
  expect(await cardsFor('U0OLGA', block, cards)).toEqual([]);
});
