import { mayAsk, type Permission, type Role, withoutHolder } from './decide-action.ts';
import type { Roles, RolesAsked } from './roles.ts';
import type { HowOld } from './slack-answers.ts';

interface RolesForCardDeps {
  readonly rolesOf: Roles['rolesOf'];
  /** The card's group, as the card service names it. Undefined: unknown. */
  readonly groupOfCard: (acctId: number, isLooser: boolean) => Promise<string | null | undefined>;
  readonly links: { isHeldBy(userId: string, acctId: number): Promise<boolean> };
}

/**
 * A person's roles for one card: those of its group, and holder only for their own card. If its group is not known, those
 * for any card.
 *
 * @param isLooser whether this decides if the card is loosened: its group is then read again.
 */
export function createRolesForCard({ rolesOf, groupOfCard, links }: RolesForCardDeps) {
  return async function rolesForCard(userId: string, acctId: number, asked: RolesAsked = {}, isLooser = false) {
    const group = await groupOfCard(acctId, isLooser);
    const isGroupKnown = group !== undefined;
    const { roles, ...known } = await rolesOf(userId, { ...asked, ...(isGroupKnown && { group }) });
    const isHolder = await links.isHeldBy(userId, acctId);
    const own: Role[] = isHolder ? ['holder'] : [];
    return { ...known, roles: [...withoutHolder(roles), ...own], isGroupKnown };
  };
}

interface CardsForDeps extends Pick<RolesForCardDeps, 'rolesOf'> {
  readonly links: { accountsOf(userId: string): Promise<readonly number[]> };
  /** The group that a card is in. Null: none, or the policy has no card groups; undefined: not known. */
  readonly groupOf: (card: OfGroup) => Promise<string | null | undefined>;
}

/** A card, with its group as far as that is known. */
export interface OfGroup {
  readonly acctId: number | null;
  readonly group: string | null | undefined;
}

/** Filters cards to those for which someone's role is enough. Nobody sees a card of another whose group is not known. */
export type CardsFor = <C extends OfGroup>(
  userId: string,
  permission: Permission,
  cards: readonly C[],
  howOld?: HowOld,
) => Promise<C[]>;

/** One lookup per card group and one for the person's own cards, no matter how many cards there are. */
export function createCardsFor({ rolesOf, links, groupOf }: CardsForDeps): CardsFor {
  return async function cardsFor(userId, permission, cards, howOld = {}) {
    const own = new Set(await links.accountsOf(userId));
    const groupsOfCards = await Promise.all(cards.map(groupOf));
    const groups = new Set<string | null | undefined>();
    for (const group of new Set(groupsOfCards)) {
      if (group === undefined) continue;
      const { roles } = await rolesOf(userId, { ...howOld, group });
      if (mayAsk(permission, withoutHolder(roles))) groups.add(group);
    }
    const isOwn = (acctId: number | null) => acctId !== null && own.has(acctId) && mayAsk(permission, ['holder']);
    return cards.filter(({ acctId }, at) => groups.has(groupsOfCards[at]) || isOwn(acctId));
  };
}
