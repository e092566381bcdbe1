import { Gauge, type Registry } from 'prom-client';
import { within } from '../core/deadline.ts';
import type { Health } from './health.ts';

/** How long what Redis says of itself counts; Prometheus asks more seldom. */
const HEALTH_FRESH_MS = 5000;
/** An answer without these figures is better than none. */
const HEALTH_DEADLINE_MS = 700;

export type HealthMetrics = ReturnType<typeof createHealthMetrics>;

/** Figures of Cardbell as a whole, the same in every process: they are read from Redis when somebody asks. */
export function createHealthMetrics(registry: Registry, read: () => Promise<Health>) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `cardbell_${name}`, help, labelNames, registers });
  const jobs = gauge('queue_jobs', 'Jobs by queue and state.', ['queue', 'state']);
  const plain = {
    inboxEntries: gauge('inbox_entries', 'Webhooks and requests that no worker has taken yet.'),
    lag: gauge('lag_seconds', 'How long the oldest alert or request has waited for a worker.'),
    quarantined: gauge('quarantined', 'Webhooks that did not fit, kept aside.'),
    workers: gauge('workers', 'Workers that live.'),
    slack: gauge('slack_token_ok', '0 while Slack refuses the bot token.'),
    token: gauge('card_token_ok', '0 while the card API refuses the token.'),
    api: gauge('card_api_ok', '0 while the card API is not asked because it does not answer.'),
    memory: gauge(
      'redis_memory_ratio',
      'Share of its memory that Redis uses, with what waits; 0 when it has no limit.',
    ),
    read: gauge('health_read', '1 when these figures could be read from Redis the last time.'),
  };
  let readAt = Number.NEGATIVE_INFINITY;
  let latest: Health | null = null;

  return {
    /** Brings the figures up to date: never longer than a moment, never more often than every few seconds. */
    async refresh(): Promise<void> {
      if (performance.now() - readAt < HEALTH_FRESH_MS) return;
      readAt = performance.now();
      try {
        latest = await within(HEALTH_DEADLINE_MS, read(), () => {
          throw new Error('not in time');
        });
        show(latest);
        plain.read.set(1);
      } catch {
        plain.read.set(0);
      }
    },
    /** What of them keeps alerts from people although this process does its work. */
    warnings: (): readonly string[] => [
      ...(latest?.isSlackTokenDead === true ? ['slack refuses the bot token'] : []),
      ...(latest?.isCardTokenDead === true ? ['the card API refuses the token'] : []),
    ],
  };

  function show(health: Health): void {
    for (const [queue, { waiting, active, delayed, failed }] of Object.entries(health.queues)) {
      for (const [state, count] of Object.entries({ waiting, active, delayed, failed }))
        jobs.set({ queue, state }, count);
    }
    plain.inboxEntries.set(health.inbox.entries);
    plain.lag.set(health.lagMs / 1000);
    plain.quarantined.set(health.quarantined);
    plain.workers.set(health.workers);
    plain.memory.set(health.memoryShare ?? 0);
    plain.slack.set(health.isSlackTokenDead ? 0 : 1);
    plain.token.set(health.isCardTokenDead ? 0 : 1);
    plain.api.set(health.isCardApiAway ? 0 : 1);
  }
}
