import type { FactsOf } from '../actions/action-tools.ts';
import { declineReason } from '../alerts/decline-reason.ts';
import { apiQuotaOf, type CardApiAssumptions } from '../card-api/assumptions.ts';
import { type CardClient, createCardClient } from '../card-api/client.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { directoryKey } from '../core/keys.ts';
import type { Log } from '../core/log.ts';
import type { RedisClient } from '../core/redis.ts';
import { toCardFacts } from '../directory/account.ts';
import { createDirectory, type Directory } from '../directory/directory.ts';
import { createCategories, createCategoryId, createNameRuleset } from '../directory/rule-names.ts';
import { createRemedies, type Remedies } from '../limits/remedy.ts';
import * as opsIssue from '../ops/issue.ts';
import type { Metrics } from '../ops/metrics.ts';
import { isCardTokenDead, type NotifyOps, type NotifyResolved, watchToken } from '../ops/notify-ops.ts';
import { redactText } from '../webhooks/quarantine.ts';
import type { WorkerConfig } from './config.ts';

interface Deps {
  readonly config: WorkerConfig;
  readonly redis: RedisClient;
  readonly notifyOps: NotifyOps;
  readonly notifyResolved: NotifyResolved;
  readonly metrics: Pick<Metrics, 'cardApiCalled'>;
  readonly log: Log;
}

export interface CardParts {
  readonly assumptions: CardApiAssumptions;
  /** The card API, watched: ops are told when it takes our token no more, and when it does again. */
  readonly card: CardClient;
  /** Whether the last calls found nobody there. */
  readonly isCardApiAway: () => boolean;
  readonly directory: Directory;
  readonly factsOf: FactsOf;
  /** What is known of a card, with the name of the ruleset that it follows. */
  readonly nameRuleset: (card: CardFacts) => Promise<CardFacts>;
  readonly remedies: Remedies;
}

/** The card API, and what is known of its cards, joined over one Redis. */
export function composeCards({ config, redis, notifyOps, notifyResolved, metrics, log }: Deps): CardParts {
  const assumptions = config.cardApiAssumptions;
  let isAway = false;
  const client = createCardClient({
    baseUrl: config.cardApiUrl,
    token: config.cardApiToken,
    authScheme: config.cardApiAuthScheme,
    assumptions,
    timezone: config.serviceZone,
    // A gateway may quote what it was asked with.
    clean: (text) => redactText(text.replaceAll(config.cardApiToken, '[removed]')),
    log,
    onAvailability: (isAvailable) => {
      isAway = !isAvailable;
    },
    measure: metrics.cardApiCalled,
  });
  const card = watchToken(client, {
    isDead: isCardTokenDead,
    dead: () => notifyOps(opsIssue.cardTokenDead()),
    alive: () => notifyResolved(opsIssue.cardTokenDead(), opsIssue.cardTokenAlive),
  });
  const directory = createDirectory({
    redis,
    keyOf: directoryKey,
    loader: card,
    log,
    apiQuota: apiQuotaOf(assumptions),
  });
  const remedies = createRemedies({
    card,
    statusesOf: async (acctId) => (await directory.account(acctId))?.cards.map(({ status }) => status) ?? [],
    categoryIn: (decline) => declineReason(decline).category,
    categoryId: createCategoryId({
      card,
      categories: createCategories(redis),
      accounts: async () => (await directory.search('', 3)).map(({ acctId }) => acctId),
      log,
    }),
    log,
  });
  return {
    assumptions,
    card,
    isCardApiAway: () => isAway,
    directory,
    nameRuleset: createNameRuleset({ card, mayOverrule: assumptions.rulesetMayOverrule, now: Date.now }),
    factsOf: async (acctId, which) => toCardFacts(acctId, await directory.account(acctId), which),
    remedies,
  };
}
