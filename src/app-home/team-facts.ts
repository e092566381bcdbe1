import type { TeamFacts, WaitingClaim } from '../../templates/app-home/home-team.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import type { CardHistory } from '../alerts/card-history.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { toCardFacts } from '../directory/account.ts';
import type { Directory } from '../directory/directory.ts';
import type { Claims } from '../holders/claim-store.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import type { Mutes } from '../routing/mute-store.ts';
import { openMutes, openRaises, waitingRequests } from './waiting.ts';

interface Deps {
  readonly requests: Pick<Requests, 'open'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly mutes: Pick<Mutes, 'active'>;
  readonly claims: Pick<Claims, 'open'>;
  readonly directory: Pick<Directory, 'waitingForActivation'>;
  readonly factsOf: (acctId: number) => Promise<CardFacts>;
  readonly alerts: Alerts;
  readonly history: Pick<CardHistory, 'newestDeclines'>;
  readonly health: () => Promise<TeamFacts['health']>;
  readonly now: () => Date;
}

const DECLINES_MAX = 10;
/** More than a page shows, so that it can say how many more there are. */
const INACTIVE_MAX = 200;

/** What waits for those who run the program. */
export async function teamFacts(userId: string, isApprover: boolean, deps: Deps): Promise<TeamFacts> {
  const [requests, claims, recentRaises, mutes, declines, inactive, health] = await Promise.all([
    waitingRequests(userId, isApprover, deps.requests),
    waitingClaims(deps),
    openRaises(deps.temporaryChanges, deps.factsOf, deps.now()),
    openMutes(deps.mutes),
    newestDeclines(deps),
    inactiveCards(deps.directory),
    deps.health(),
  ]);
  return { isApprover, requests, claims, recentRaises, mutes, declines, inactive, health };
}

async function waitingClaims({ claims, factsOf }: Deps): Promise<WaitingClaim[]> {
  return await Promise.all(
    (await claims.open()).map(async ({ id, action, acctIds }) => ({
      value: id,
      claimedBy: action.actor.userId,
      claimedAt: action.askedAt,
      query: action.target.kind === 'words' ? action.target.words.join(' ') : '',
      cards: await Promise.all(acctIds.map(factsOf)),
    })),
  );
}

async function newestDeclines({ alerts, history }: Deps): Promise<TeamFacts['declines']> {
  const ids = await history.newestDeclines(DECLINES_MAX);
  const stored = await Promise.all(ids.map((id) => alerts.get(id)));
  return stored.flatMap((alert) => {
    if (alert?.kind !== 'transaction') return [];
    const { event, card } = alert;
    const { occurredAt, amountCents, merchant, decline, acctId } = event;
    const said = { code: decline?.code ?? '', message: decline?.message ?? '' };
    return [
      { card: { ...card, acctId: card.acctId ?? acctId }, occurredAt, amountCents, merchant: merchant.name, ...said },
    ];
  });
}

/** Cards that nobody has activated yet. */
export async function inactiveCards(directory: Pick<Directory, 'waitingForActivation'>): Promise<CardFacts[]> {
  const accounts = await directory.waitingForActivation(INACTIVE_MAX);
  return accounts.map((account) => {
    const card = account.cards.findLast(({ status }) => status === 'INACTIVE');
    const which = card?.cardId == null ? {} : { cardId: card.cardId };
    return toCardFacts(account.acctId, account, which);
  });
}
