import { mayAsk, type Permission, type Role } from './decide.ts';
import type { KnownRoles, Permissions, RolesAsked } from './permissions.ts';
import type { HowOld } from './slack-answers.ts';

interface Deps {
  readonly rolesOf: Permissions['rolesOf'];
  /** The group of cards that it belongs to, as the card service calls it. Undefined: nobody knows it. */
  readonly groupOfCard: (acctId: number) => Promise<string | null | undefined>;
  readonly links: { ofAccount(acctId: number): Promise<{ readonly userId: string } | null> };
}

export interface RolesForCard extends KnownRoles {
  /** False: the roles are those for any card. */
  readonly isGroupKnown: boolean;
}

/** The roles that somebody has for one card: those of its group, and holder only of the own card. */
export function createRolesForCard({ rolesOf, groupOfCard, links }: Deps) {
  return async function rolesForCard(userId: string, acctId: number, asked: RolesAsked = {}): Promise<RolesForCard> {
    const group = await groupOfCard(acctId);
    const isGroupKnown = group !== undefined;
    const { roles, ...known } = await rolesOf(userId, { ...asked, ...(isGroupKnown && { group }) });
    const isHolder = (await links.ofAccount(acctId))?.userId === userId;
    const others = roles.filter((role) => role !== 'holder');
    const own: Role[] = isHolder ? ['holder'] : [];
    return { ...known, roles: [...others, ...own], isGroupKnown };
  };
}

interface CardsForDeps extends Pick<Deps, 'rolesOf'> {
  readonly links: { ofUser(userId: string): Promise<readonly { readonly acctId: number }[]> };
}

/** Of some cards those for which somebody's role is enough. */
export type CardsFor = <C extends { readonly acctId: number | null; readonly group: string | null }>(
  userId: string,
  permission: Permission,
  cards: readonly C[],
  howOld?: HowOld,
) => Promise<C[]>;

/** One question for each group of cards, and one about whose they are, however many cards there are. */
export function createCardsFor({ rolesOf, links }: CardsForDeps): CardsFor {
  return async function cardsFor(userId, permission, cards, howOld = {}) {
    const own = new Set((await links.ofUser(userId)).map(({ acctId }) => acctId));
    const groups = new Set<string | null>();
    for (const group of new Set(cards.map((card) => card.group))) {
      const { roles } = await rolesOf(userId, { ...howOld, group });
      if (
        mayAsk(
          permission,
          roles.filter((role) => role !== 'holder'),
        )
      )
        groups.add(group);
    }
    const isOwn = (acctId: number | null) => acctId !== null && own.has(acctId) && mayAsk(permission, ['holder']);
    return cards.filter(({ acctId, group }) => groups.has(group) || isOwn(acctId));
  };
}
