import type { HealthFacts } from '../../templates/app-home/home-health.ts';
import { DECLINES_SHOWN, type OwnCardFacts } from '../../templates/app-home/home-own-cards.ts';
import { DECLINES_MAX, INACTIVE_MAX, type TeamFacts } from '../../templates/app-home/home-team.ts';
import { cardInUse } from '../actions/send-status.ts';
import type { TransactionAlert } from '../alerts/alert.ts';
import { type CardFacts, declinedCard } from '../core/card-facts.ts';
import type { CardSeal } from '../core/seal.ts';
import { happenedSince } from '../core/service-time.ts';
import { type DirectoryAccount, toCardFacts } from '../directory/account.ts';
import type { Directory } from '../directory/directory.ts';
import type { RecentDeclines } from '../directory/show-card.ts';
import type { Links } from '../holders/link-store.ts';
import type { CardsFor } from '../policy/roles-for-card.ts';
import type { Mutes } from '../routing/mute-store.ts';
import type { CardState } from './card-state-store.ts';
import { type ListPage, listPage } from './home-page.ts';
import { seeCards, seenBy, type WaitingFacts } from './waiting-facts.ts';

export interface TeamDeps {
  readonly waiting: Pick<WaitingFacts, 'ofTeam'>;
  /** Filters cards to those for which a person's role is sufficient. */
  readonly cardsFor: CardsFor;
  readonly mutes: Pick<Mutes, 'active'>;
  readonly directory: Pick<Directory, 'waitingForActivation'>;
  /** The newest declines of the cards that a person may see, newest first. */
  readonly newestDeclines: (
    limit: number,
    permitted: (declines: readonly TransactionAlert[]) => Promise<TransactionAlert[]>,
  ) => Promise<TransactionAlert[]>;
  readonly health: () => Promise<HealthFacts>;
  readonly sealCard: CardSeal['seal'];
}

interface Viewer {
  readonly userId: string;
  readonly isApprover: boolean;
}

/** The team's part of App Home: everything that waits for someone, limited to cards that this person may see. */
export async function teamFacts({ userId, isApprover }: Viewer, deps: TeamDeps): Promise<TeamFacts> {
  const withValue = (card: CardFacts) => ({ card, value: deps.sealCard(card) });
  const seen = seenBy(userId, deps.cardsFor);
  const [waiting, mutes, declines, inactive, health] = await Promise.all([
    deps.waiting.ofTeam(userId),
    deps.mutes.active().then(seen),
    deps.newestDeclines(DECLINES_MAX, seen),
    deps.directory.waitingForActivation(INACTIVE_MAX, (cards) => deps.cardsFor(userId, seeCards, cards)),
    deps.health(),
  ]);
  return {
    isApprover,
    ...waiting,
    mutes,
    declines: declines.map(({ event, remedy, card }) => ({
      ...declinedCard(card),
      ...event,
      remedy,
      card: { ...card, acctId: card.acctId ?? event.acctId },
    })),
    inactive: inactive.map(inactiveCard).map(withValue),
    health,
  };
}

/** All cards that wait to be activated. */
export async function inactiveCards(directory: Pick<Directory, 'allWaitingForActivation'>): Promise<CardFacts[]> {
  return (await directory.allWaitingForActivation()).map(inactiveCard);
}

/** The newest inactive card of an account: activating it closes the others. */
function inactiveCard(account: DirectoryAccount): CardFacts {
  const card = account.cards.findLast(({ status }) => status === 'INACTIVE');
  return toCardFacts(account.acctId, account, { cardId: card?.cardId });
}

interface OwnCardsDeps {
  readonly links: Pick<Links, 'ofUser'>;
  readonly stateOf: (acctId: number) => Promise<CardState>;
  readonly directory: Pick<Directory, 'account'>;
  readonly recentDeclines: RecentDeclines;
  readonly sealCard: CardSeal['seal'];
}

/** A person's card, and since when it has been theirs, UTC ISO 8601. */
export interface OwnCard extends OwnCardFacts {
  readonly linkedAt: string;
}

/** Which page, and how many cards per page. */
export interface WhichCards {
  readonly page: number;
  readonly perPage: number;
}

/** The cards linked to a user. */
export async function ownCards(
  userId: string,
  { page, perPage }: WhichCards,
  deps: OwnCardsDeps,
): Promise<ListPage<OwnCard>> {
  const links = listPage(await deps.links.ofUser(userId), page, perPage);
  const shown = links.shown.map(async ({ acctId, at }) => {
    const card = await ownCard(acctId, deps);
    return { ...card, declines: card.declines.filter(happenedSince(Date.parse(at))), linkedAt: at };
  });
  return { ...links, shown: await Promise.all(shown) };
}

async function ownCard(acctId: number, deps: OwnCardsDeps) {
  const [{ cards, ...state }, account, declines] = await Promise.all([
    deps.stateOf(acctId),
    deps.directory.account(acctId),
    deps.recentDeclines(acctId, DECLINES_SHOWN),
  ]);
  const known: NonNullable<CardState['cards']> = cards ?? account?.cards ?? [];
  const shown = cardInUse({ cards: known }, null);
  const facts = toCardFacts(acctId, account, { cardId: shown?.cardId });
  return {
    card: { ...facts, last4: facts.last4 ?? shown?.last4 ?? null },
    value: deps.sealCard(facts),
    status: shown?.status ?? null,
    isStatusRead: cards !== null,
    ...state,
    declines,
  };
}
