import { Registry } from 'prom-client';
import { expect, it, vi } from 'vitest';
import type { Health } from '../../../src/ops/health.ts';
import { createHealthMetrics } from '../../../src/ops/metrics.ts';

const depth = { waiting: 3, active: 2, delayed: 1, failed: 0, oldestMs: null };
const healthy: Health = {
  inbox: { entries: 4, oldestMs: null },
  queues: { alerts: depth, bursts: depth, outbox: depth, updates: depth, actions: depth, maintenance: depth },
  lagMs: 1500,
  failed: 0,
  quarantined: 0,
  webSeenAtMs: null,
  workers: 2,
  workerSeenAtMs: null,
  isCardApiAway: false,
  isSlackTokenDead: false,
  isCardTokenDead: false,
  memoryShare: 0.42,
};

it('exports the health read from Redis in base units', async () => {
  const registry = new Registry();
  const { refresh } = createHealthMetrics(registry, async () => healthy);

  await refresh();

  const text = await registry.metrics();
  expect(text).toContain('cardbell_lag_seconds 1.5');
  expect(text).toContain('cardbell_inbox_entries 4');
  expect(text).toContain('cardbell_queue_jobs{queue="outbox",state="active"} 2');
  expect(text).toContain('cardbell_slack_token_ok 1');
  expect(text).toContain('cardbell_redis_memory_ratio 0.42');
  expect(text).toContain('cardbell_health_read 1');
});

it('warns about rejected tokens', async () => {
  const { refresh, warnings } = createHealthMetrics(new Registry(), async () => ({
    ...healthy,
    isSlackTokenDead: true,
    isCardTokenDead: true,
  }));
  expect(warnings()).toEqual([]);

  await refresh();

  expect(warnings()).toEqual(['slack refuses the bot token', 'the card API refuses the token']);
});

it('reports that the metrics could not be read, and keeps the last values', async () => {
  const registry = new Registry();
  const read = vi.fn(async (): Promise<Health> => {
    throw new Error('redis is unavailable');
  });

  await createHealthMetrics(registry, read).refresh();

  expect(await registry.metrics()).toContain('cardbell_health_read 0');
});

it('shares one Redis read among concurrent scrapes', async () => {
  const read = vi.fn(async () => healthy);
  const { refresh } = createHealthMetrics(new Registry(), read);

  await Promise.all([refresh(), refresh()]);
  await refresh();

  expect(read).toHaveBeenCalledTimes(1);
});
