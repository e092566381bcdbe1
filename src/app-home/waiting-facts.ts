import type { TeamFacts, WaitingClaim } from '../../templates/app-home/home-team.ts';
import type { OpenTemporaryChange, WaitingRequest } from '../../templates/app-home/home-waiting.ts';
import type { FactsOf } from '../actions/action-tools.ts';
import { approversWithoutAnswer } from '../approvals/request.ts';
import type { Requests } from '../approvals/request-store.ts';
import { isLooser, reversed } from '../card-api/rule-change.ts';
import { claimFacts } from '../holders/claim-card.ts';
import type { Claims } from '../holders/claim-store.ts';
import type { Links } from '../holders/link-store.ts';
import { undecided } from '../limits/temporary-change.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Permission } from '../policy/decide-action.ts';
import type { CardsFor, OfGroup } from '../policy/roles-for-card.ts';

interface Deps {
  /** Filters cards to those for which a person's role is sufficient. */
  readonly cardsFor: CardsFor;
  readonly requests: Pick<Requests, 'open'>;
  readonly claims: Pick<Claims, 'open'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly links: Pick<Links, 'ofAccount'>;
  readonly factsOf: FactsOf;
  readonly now: () => Date;
}

/** The permission for `/card show`. */
export const seeCards: Permission = { role: 'operator', doing: 'see cards' };
const approve: Permission = { role: 'approver', doing: 'decide requests' };

/** Filters what is about a card to what a person may see. */
export function seenBy(userId: string, cardsFor: CardsFor) {
  return async <T extends { readonly card: OfGroup }>(all: readonly T[]): Promise<T[]> => {
    const cards = all.map(({ card }) => card);
    const shown = new Set(await cardsFor(userId, seeCards, cards));
    return all.filter(({ card }) => shown.has(card));
  };
}

export type WaitingFacts = ReturnType<typeof createWaitingFacts>;

/** What waits for a decision, or for its end. */
export function createWaitingFacts(deps: Deps) {
  return {
    /** A person's own undecided requests. */
    async ownRequests(userId: string): Promise<WaitingRequest[]> {
      return (await waitingRequests(userId, deps)).filter(({ action }) => action.actor.userId === userId);
    },

    /** Limited to cards that this person may see. */
    async ofTeam(userId: string): Promise<Pick<TeamFacts, 'requests' | 'claims' | 'temporaryChanges'>> {
      const seen = seenBy(userId, deps.cardsFor);
      const [requests, claims, temporaryChanges] = await Promise.all([
        // The person's own requests have a list of their own, unless they have to approve them again.
        waitingRequests(userId, deps).then((all) =>
          seen(all.filter(({ action, mayDecide }) => mayDecide || action.actor.userId !== userId)),
        ),
        waitingClaims(userId, deps),
        openTemporaryChanges(userId, deps).then(seen),
      ]);
      return { requests, claims, temporaryChanges };
    },
  };
}

async function waitingRequests(userId: string, { requests, cardsFor }: Deps): Promise<WaitingRequest[]> {
  const open = await requests.open();
  const cards = open.map(({ card }) => card);
  const decidable = await cardsFor(userId, approve, cards);
  return open.map((request) => {
    const isAsked = approversWithoutAnswer(request, [userId]).length > 0;
    return { ...request, mayDecide: decidable.includes(request.card) && isAsked };
  });
}

async function waitingClaims(userId: string, deps: Deps): Promise<WaitingClaim[]> {
  const all = await Promise.all((await deps.claims.open()).map((claim) => claimFacts(claim, deps)));
  const claimed = all.map(({ card }) => card);
  const shown = await deps.cardsFor(userId, seeCards, claimed);
  const decidable = await deps.cardsFor(userId, approve, claimed);
  return all.flatMap((one) => {
    const mayDecide = decidable.includes(one.card) && one.claim.action.actor.userId !== userId;
    return mayDecide || shown.includes(one.card) ? [{ ...one, mayDecide }] : [];
  });
}

/** Temporary changes, soonest end first. */
async function openTemporaryChanges(userId: string, deps: Deps): Promise<OpenTemporaryChange[]> {
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
      leftMs: one.state === 'open' ? Math.max(1, Date.parse(one.endsAt) - deps.now().getTime()) : 0,
      isUnconfirmed: one.certainty === 'unconfirmed',
      // The earlier end of a reduction is a raise, which nobody decides for their own card.
      mayRevert:
        !isLooser(reversed(one.changes)) ||
        (decidable.includes(card) && (await deps.links.ofAccount(one.acctId))?.userId !== userId),
    })),
  );
}
