import { webKeys } from '../core/keys.ts';
import type { QueueName, Queues } from '../core/queues.ts';
import type { RedisClient } from '../core/redis.ts';
import * as opsIssue from './issue.ts';
import { createOpsMemory } from './issue-store.ts';
import { causeKey } from './notify-ops.ts';
import { type Depth, type InboxDepth, readDepths, readInbox } from './queue-depth.ts';
import { createWorkers } from './worker-store.ts';

/** How Cardbell is, as Redis knows it: for App Home, metrics and the ops channel. */
export interface Health {
  /** Webhooks and requests that no worker has taken yet. */
  readonly inbox: InboxDepth;
  readonly queues: Readonly<Record<QueueName, Depth>>;
  /** How long the oldest alert or request has waited for a worker, in milliseconds. */
  readonly lagMs: number;
  /** Jobs that failed for good, over all queues. */
  readonly failed: number;
  /** Webhooks that did not fit, kept aside. */
  readonly quarantined: number;
  /** When a web process last said that its door is open (ms); null: never. */
  readonly doorOpenAtMs: number | null;
  /** Workers that live, and when the youngest word of one came (ms). */
  readonly workers: number;
  readonly workerSeenAtMs: number | null;
  /** True while a worker sends nothing to the card API because it does not answer. */
  readonly isCardApiAway: boolean;
  readonly isSlackTokenDead: boolean;
  readonly isCardTokenDead: boolean;
}

/** What people wait for; the other queues may wait for Slack, for good reason. */
const promptQueues = ['alerts', 'actions'] as const;

interface Deps {
  readonly redis: RedisClient;
  readonly queues: Queues;
  /** How many webhooks are in quarantine. */
  readonly countQuarantined: () => Promise<number>;
  readonly now?: () => number;
}

export async function readHealth({ redis, queues: opened, countQuarantined, now = Date.now }: Deps): Promise<Health> {
  const memory = createOpsMemory(redis);
  const [inbox, queues, quarantined, doorOpenAt, workers, isSlackTokenDead, isCardTokenDead] = await Promise.all([
    readInbox(redis),
    readDepths(opened),
    countQuarantined(),
    redis.get(webKeys.open),
    createWorkers(redis, now).all(),
    memory.isKnown(causeKey(opsIssue.slackTokenDead())),
    memory.isKnown(causeKey(opsIssue.cardTokenDead())),
  ]);
  const oldest = [inbox.oldestMs, ...promptQueues.map((name) => queues[name].oldestMs)].filter((ms) => ms !== null);
  const seen = workers.map(({ atMs }) => atMs);
  return {
    inbox,
    queues,
    lagMs: oldest.length === 0 ? 0 : Math.max(0, now() - Math.min(...oldest)),
    failed: Object.values(queues).reduce((sum, { failed }) => sum + failed, 0),
    quarantined,
    doorOpenAtMs: doorOpenAt === null ? null : Number(doorOpenAt),
    workers: workers.length,
    workerSeenAtMs: seen.length === 0 ? null : Math.max(...seen),
    isCardApiAway: workers.some(({ isCardApiAway }) => isCardApiAway),
    isSlackTokenDead,
    isCardTokenDead,
  };
}
