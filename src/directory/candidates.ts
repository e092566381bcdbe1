import type { Action } from '../actions/action.ts';
import { cardInUse } from '../actions/send-status.ts';
import { isAccountClosed } from './account.ts';
import type { CardMatch } from './index-entries.ts';
import type { CardDirectory, UnknownCardDeps } from './unknown-card.ts';

export type Match = Pick<CardMatch, 'acctId' | 'cards' | 'matchedBy'> & Partial<Pick<CardMatch, 'holder'>>;

/** A card or account that the verb can apply to. */
export interface Candidate {
  readonly acctId: number;
  readonly cardId: number | null;
  readonly last4: string | null;
  readonly status: string | null;
}

export interface AskerDeps extends Pick<UnknownCardDeps, 'links'> {
  readonly directory: Pick<CardDirectory, 'account'>;
  /** True for verbs that change nothing. */
  readonly isLook: (verb: string) => boolean;
  /** True for verbs that loosen or restrict a card: none that a closed one can take. */
  readonly changesCard: (verb: string) => boolean;
}

type Asked = Pick<Action, 'actor' | 'verb'>;

/** The accounts of the person who asks, one of which is meant by `my card`. */
export async function heldByAsker({ actor, verb }: Asked, deps: AskerDeps): Promise<Match[]> {
  return await heldBy(actor.userId, async () => true, deps.changesCard(verb) || deps.isLook(verb), deps);
}

/**
 * The accounts linked to a person, as matches.
 *
 * @param isOpenMeant a closed one counts only when there is no other.
 */
export async function heldBy(
  userId: string,
  mayAct: (link: { readonly acctId: number }) => Promise<boolean>,
  isOpenMeant: boolean,
  { links, directory }: Pick<AskerDeps, 'links' | 'directory'>,
): Promise<Match[]> {
  const linked = await links.ofUser(userId);
  const may = await Promise.all(linked.map(mayAct));
  const read = async ({ acctId }: { readonly acctId: number }) => ({
    acctId,
    account: await directory.account(acctId),
  });
  const all = await Promise.all(linked.filter((_, at) => may[at]).map(read));
  const open = isOpenMeant ? all.filter(({ account }) => !isAccountClosed(account)) : [];
  return (open.length > 0 ? open : all).map(({ acctId, account }) => ({
    acctId,
    matchedBy: 'account_id',
    cards: account?.cards ?? [],
  }));
}

/** The person's only card, as somebody else has to name it. Null: none, or several. */
export function createOnlyCard(deps: AskerDeps) {
  return async function onlyCard(action: Asked): Promise<Candidate | null> {
    const [only, ...others] = candidatesOf(action, await heldByAsker(action, deps));
    return only !== undefined && others.length === 0 ? only : null;
  };
}

/** The card that was named, by its digits or id. A holder or an account means the card in use, except for an activation. */
export function candidatesOf({ verb }: Pick<Action, 'verb'>, matches: readonly Match[]): Candidate[] {
  return matches.flatMap((match): Candidate[] => {
    const isNamed = match.matchedBy === 'last4' || match.matchedBy === 'card_id';
    const open = match.cards.filter((card) => card.status !== 'CLOSED');
    // Nothing can be done with a closed card, and the person is told so. It counts only when there is no open card.
    const cards = open.length > 0 ? open : match.cards;
    if (verb !== 'activate') {
      const first = match.matchedBy === 'card_id' ? cards[0] : cardInUse({ cards }, null);
      const cardId = isNamed ? (first?.cardId ?? null) : null;
      return [{ acctId: match.acctId, cardId, last4: first?.last4 ?? null, status: first?.status ?? null }];
    }
    const inactive = cards.filter((card) => card.status === 'INACTIVE');
    const chosen = inactive.length > 0 ? inactive : cards.slice(0, 1);
    return chosen.length === 0
      ? [{ acctId: match.acctId, cardId: null, last4: null, status: null }]
      : chosen.map(({ cardId, last4, status }) => ({ acctId: match.acctId, cardId, last4, status }));
  });
}
