import type { HealthFacts } from '../../templates/app-home/home-health.ts';
import type { Queues } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';
import { readHealth } from '../ops/health.ts';
import { listStuck } from '../ops/stuck.ts';
import type { QuarantineStore } from '../webhooks/quarantine-store.ts';

/** Of each kind and queue; the page shows the newest of all. */
const STUCK_MAX = 6;

/** How the bot fares, as App Home tells it. */
export async function homeHealthFacts(
  redis: RedisClient,
  stores: { queues: Queues; quarantined: QuarantineStore },
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
