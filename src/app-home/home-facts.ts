import type { HealthFacts } from '../../templates/app-home/home-health.ts';
import { DECLINES_SHOWN, type OwnCardFacts } from '../../templates/app-home/home-own-cards.ts';
import { DECLINES_MAX, INACTIVE_MAX, type TeamFacts, type WaitingClaim } from '../../templates/app-home/home-team.ts';
import type { OpenTemporaryChange, WaitingRequest } from '../../templates/app-home/home-waiting.ts';
import type { FactsOf } from '../actions/action-tools.ts';
import { cardInUse } from '../actions/send-status.ts';
import type { TransactionAlert } from '../alerts/alert.ts';
import { approversWithoutAnswer } from '../approvals/request.ts';
import type { Requests } from '../approvals/request-store.ts';
import { isLooser, reversed } from '../card-api/rule-change.ts';
import { type CardFacts, declinedCard } from '../core/card-facts.ts';
import type { CardSeal } from '../core/seal.ts';
import { happenedSince } from '../core/service-time.ts';
import { type DirectoryAccount, toCardFacts } from '../directory/account.ts';
import type { Directory } from '../directory/directory.ts';
import type { RecentDeclines } from '../directory/show-card.ts';
import { claimFacts } from '../holders/claim-card.ts';
import type { Claims } from '../holders/claim-store.ts';
import type { Links } from '../holders/link-store.ts';
import { undecided } from '../limits/temporary-change.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Permission } from '../policy/decide-action.ts';
import type { CardsFor, OfGroup } from '../policy/permissions.ts';
import type { Mutes } from '../routing/mute-store.ts';
import type { CardState } from './card-state-store.ts';
import { type ListPage, listPage } from './home-page.ts';

export interface TeamDeps {
  /** Filters cards to those for which a person's role is sufficient. */
  readonly cardsFor: CardsFor;
  readonly requests: Pick<Requests, 'open'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly mutes: Pick<Mutes, 'active'>;
  readonly claims: Pick<Claims, 'open'>;
  readonly links: Pick<Links, 'ofAccount'>;
  readonly directory: Pick<Directory, 'waitingForActivation'>;
  readonly factsOf: FactsOf;
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
export async function teamFacts(viewer: Viewer, now: Date, deps: TeamDeps): Promise<TeamFacts> {
  const withValue = (card: CardFacts) => ({ card, value: deps.sealCard(card) });
  const cardsFor = <C extends OfGroup>(cards: readonly C[]) => deps.cardsFor(viewer.userId, show, cards);
  const seen = async <T extends { readonly card: OfGroup }>(all: readonly T[]): Promise<T[]> => {
    const shown = new Set(await cardsFor(all.map(({ card }) => card)));
    return all.filter(({ card }) => shown.has(card));
  };
  const [requests, claims, temporaryChanges, mutes, declines, inactive, health] = await Promise.all([
    // The person's own requests have a list of their own, unless they have to approve them again.
    waitingRequests(viewer, deps).then((all) =>
      seen(all.filter(({ action, mayDecide }) => mayDecide || action.actor.userId !== viewer.userId)),
    ),
    waitingClaims(viewer, deps),
    openRaises(viewer, now, deps).then(seen),
    deps.mutes.active().then(seen),
    deps.newestDeclines(DECLINES_MAX, seen),
    deps.directory.waitingForActivation(INACTIVE_MAX, cardsFor),
    deps.health(),
  ]);
  return {
    isApprover: viewer.isApprover,
    requests,
    claims,
    temporaryChanges,
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

/** A person's own undecided requests. */
export async function ownRequests(
  userId: string,
  deps: Pick<TeamDeps, 'requests' | 'cardsFor'>,
): Promise<WaitingRequest[]> {
  const all = await waitingRequests({ userId }, deps);
  return all.filter(({ action }) => action.actor.userId === userId);
}

/** The permission for `/card show`. */
const show: Permission = { role: 'operator', doing: 'see cards' };
const approve: Permission = { role: 'approver', doing: 'decide requests' };

async function waitingRequests(
  { userId }: Pick<Viewer, 'userId'>,
  { requests, cardsFor }: Pick<TeamDeps, 'requests' | 'cardsFor'>,
): Promise<WaitingRequest[]> {
  const open = await requests.open();
  const cards = open.map(({ card }) => card);
  const decidable = await cardsFor(userId, approve, cards);
  return open.map((request) => {
    const isAsked = approversWithoutAnswer(request, [userId]).length > 0;
    return { ...request, mayDecide: decidable.includes(request.card) && isAsked };
  });
}

async function waitingClaims({ userId }: Viewer, deps: TeamDeps): Promise<WaitingClaim[]> {
  const all = await Promise.all((await deps.claims.open()).map((claim) => claimFacts(claim, deps)));
  const claimed = all.map(({ card }) => card);
  const shown = await deps.cardsFor(userId, show, claimed);
  const decidable = await deps.cardsFor(userId, approve, claimed);
  return all.flatMap((one) => {
    const mayDecide = decidable.includes(one.card) && one.claim.action.actor.userId !== userId;
    return mayDecide || shown.includes(one.card) ? [{ ...one, mayDecide }] : [];
  });
}

/** Temporary changes, soonest end first. */
async function openRaises({ userId }: Viewer, now: Date, deps: TeamDeps): Promise<OpenTemporaryChange[]> {
  const all = await deps.temporaryChanges.all();
  const open = await Promise.all(all.map(async (one) => ({ one, card: await deps.factsOf(one.acctId) })));
  const cards = open.map(({ card }) => card);
  const decidable = await deps.cardsFor(userId, approve, cards);
  return await Promise.all(
    open.map(async ({ one, card }) => ({
      value: one.id,
      card,
      changes: undecided(one),
      by: one.by.userId,
      endsAt: one.endsAt,
      leftMs: one.state === 'open' ? Math.max(1, Date.parse(one.endsAt) - now.getTime()) : 0,
      isUnconfirmed: one.certainty === 'unconfirmed',
      // The earlier end of a reduction is a raise, which nobody decides for their own card.
      mayRevert:
        !isLooser(reversed(one.changes)) ||
        (decidable.includes(card) && (await deps.links.ofAccount(one.acctId))?.userId !== userId),
    })),
  );
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
    ...state,
    declines,
  };
}
