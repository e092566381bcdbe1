import type { OwnCardFacts } from '../../templates/app-home/home-own-cards.ts';
import type { Alerts } from '../alerts/alert-store.ts';
import { type CardHistory, createRecentDeclines } from '../alerts/card-history.ts';
import type { CardClient } from '../card-api/client.ts';
import { toCardFacts } from '../directory/account.ts';
import type { Directory } from '../directory/directory.ts';
import { lastDeclines, limitsOf } from '../directory/show-card.ts';
import type { Links } from '../holders/link-store.ts';

interface Deps {
  readonly links: Pick<Links, 'ofUser'>;
  readonly card: Pick<CardClient, 'getAccount' | 'getSpendRules' | 'getRemainingLimits'>;
  readonly directory: Pick<Directory, 'account'>;
  readonly alerts: Alerts;
  readonly history: CardHistory;
}

/** More cards than anybody looks at; each takes three calls. */
const CARDS_MAX = 12;
/** A page with less on it is better than one that does not come. */
const PATIENCE = { deadlineMs: 2500, maxRetries: 0 } as const;

/** The cards that are linked to a person, as they are now; what cannot be read is left out. */
export async function ownCards(userId: string, deps: Deps): Promise<OwnCardFacts[]> {
  const links = (await deps.links.ofUser(userId)).slice(0, CARDS_MAX);
  return await Promise.all(links.map(({ acctId }) => ownCard(acctId, deps)));
}

async function ownCard(acctId: number, deps: Deps): Promise<OwnCardFacts> {
  const { card: api } = deps;
  const [details, rules, remaining, account, declines] = await Promise.all([
    api.getAccount(acctId, PATIENCE).catch(() => null),
    api.getSpendRules(acctId, PATIENCE).catch(() => null),
    api.getRemainingLimits(acctId, PATIENCE).catch(() => null),
    deps.directory.account(acctId),
    lastDeclines(acctId, createRecentDeclines(deps.history, deps.alerts)),
  ]);
  const cards = details?.cards ?? account?.cards ?? [];
  const open = cards.filter(({ status }) => status !== 'CLOSED');
  // The card in the pocket: one that was activated before one that was not.
  const shown = open.find(({ status }) => status !== 'INACTIVE') ?? open.at(-1) ?? cards.at(-1);
  const facts = toCardFacts(acctId, account, shown?.cardId == null ? {} : { cardId: shown.cardId });
  return {
    card: { ...facts, last4: facts.last4 ?? shown?.last4 ?? null },
    status: shown?.status ?? null,
    balanceCents: details?.availableCents ?? null,
    limits: limitsOf(rules?.rules ?? null, remaining),
    hasLimits: rules !== null || remaining !== null,
    declines,
  };
}
