import type { Cluster, Redis } from 'ioredis';
import { declineReason } from '../alerts/decline-reason.ts';
import type { CardClient } from '../card-api/client.ts';
import type { Log } from '../core/log.ts';
import type { Directory } from '../directory/directory.ts';
import { createCategories, createCategoryId } from '../directory/rule-names.ts';
import { createRemedies } from '../limits/remedy.ts';

interface Deps {
  readonly card: CardClient;
  readonly directory: Pick<Directory, 'account' | 'search'>;
  readonly redis: Redis | Cluster;
  readonly log: Log;
}

/** Finds what would let a declined purchase pass. */
export function composeRemedies({ card, directory, redis, log }: Deps) {
  return createRemedies({
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
}
