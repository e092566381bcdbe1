import { alertsOfKind } from '../alerts/alert-store.ts';
import { createRecentDeclines } from '../alerts/card-history.ts';
import { homeHealthFacts, ownCards, teamFacts } from '../app-home/home-facts.ts';
import { createHome } from '../app-home/render-home.ts';
import { createHomeViewers } from '../app-home/viewer-store.ts';
import { readHealth } from '../ops/health.ts';
import type { KnownRoles } from '../policy/permissions.ts';
import type { Mutes } from '../routing/mute-store.ts';
import type { Slack } from '../slack/client.ts';
import type { CardParts } from './compose-cards.ts';
import type { WorkerBase } from './worker-base.ts';

interface Deps {
  readonly base: WorkerBase;
  readonly slack: Pick<Slack, 'publishHome'>;
  readonly cards: Pick<CardParts, 'card' | 'directory' | 'factsOf'>;
  readonly mutes: Pick<Mutes, 'active'>;
  /** What somebody may do by now. */
  readonly currentRoles: (userId: string) => Promise<KnownRoles>;
}

/** App Home: what it shows to whom, and when it is rendered again. */
export function composeHome({ base, slack, cards, mutes, currentRoles }: Deps) {
  const { redis, queues, stores, enqueue, now, log } = base;
  const { quarantined } = stores;
  const health = () =>
    homeHealthFacts(() => readHealth({ redis, queues, countQuarantined: quarantined.count }), { queues, quarantined });
  const recentDeclines = createRecentDeclines(stores.history, stores.alerts);
  const newestDeclines = async (limit: number) =>
    await alertsOfKind('transaction', await stores.history.newestDeclines(limit), stores.alerts);
  return createHome({
    viewers: createHomeViewers(redis),
    currentRoles,
    ownCards: (userId) => ownCards(userId, { ...stores, ...cards, recentDeclines }),
    teamFacts: (viewer) => teamFacts(viewer, now(), { ...stores, ...cards, mutes, newestDeclines, health }),
    publish: slack.publishHome,
    enqueue: {
      renderHome: (userId) => enqueue('render-home', { userId }),
      renderAll: (delayMs) => enqueue('render-homes', {}, { delayMs }),
    },
    now,
    log,
  });
}
