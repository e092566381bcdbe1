import { homeHealthFacts } from '../app-home/health-facts.ts';
import { ownCards } from '../app-home/own-cards.ts';
import { createHome } from '../app-home/render-home.ts';
import { teamFacts } from '../app-home/team-facts.ts';
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
  return createHome({
    viewers: createHomeViewers(redis),
    currentRoles,
    ownCards: (userId) => ownCards(userId, { ...stores, ...cards }),
    teamFacts: (userId, isApprover) => teamFacts(userId, isApprover, { ...stores, ...cards, mutes, health, now }),
    publish: slack.publishHome,
    renderHome: (userId) => enqueue('render-home', { userId }),
    renderHomes: (delayMs) => enqueue('render-homes', {}, { delayMs }),
    now,
    log,
  });
}
