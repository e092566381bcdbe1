import type { HealthFacts } from '../templates/home-health.ts';
import { readHealth } from './health.ts';
import type { RedisClient } from './queue/connection.ts';
import type { Queues } from './queue/queues.ts';
import type { QuarantineStore } from './store/quarantine.ts';
import { listStuck } from './stuck.ts';

/** Of each kind and queue; the page shows the newest of all. */
const STUCK_MAX = 6;

/** How the bot fares, as App Home tells it. */
export async function homeHealthFacts(
  redis: RedisClient,
  stores: { queues: Pick<Queues, 'queue'>; quarantined: QuarantineStore },
): Promise<HealthFacts> {
  const [health, stuck] = await Promise.all([readHealth(redis), listStuck(stores, STUCK_MAX)]);
  const { alerts, actions } = health.queues;
  const { lagMs, failed, quarantined, isCardApiAway, isCardTokenDead } = health;
  return {
    waiting: health.inbox.entries + alerts.waiting + actions.waiting,
    lagMs,
    failed,
    quarantined,
    stuck: stuck.toSorted((one, other) => other.at.localeCompare(one.at)),
    isCardApiAway,
    isCardTokenDead,
  };
}
