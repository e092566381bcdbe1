import type { HealthFacts } from '../../templates/app-home/home-health.ts';
import type { QuarantinedWebhook } from '../core/event.ts';
import type { Queues } from '../core/queues.ts';
import type { Health } from '../ops/health.ts';
import { listStuck } from '../ops/stuck.ts';

/** Of each kind and queue; the page shows the newest of all. */
const STUCK_MAX = 6;

/** How the bot fares, as App Home tells it. */
export async function homeHealthFacts(
  readHealth: () => Promise<Health>,
  stores: {
    readonly queues: Queues;
    readonly quarantined: { readonly list: (limit: number) => Promise<QuarantinedWebhook[]> };
  },
): Promise<HealthFacts> {
  const [health, stuck] = await Promise.all([readHealth(), listStuck(stores, STUCK_MAX)]);
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
