import { Registry } from 'prom-client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Health } from '../../../src/ops/health.ts';
import { createHealthMetrics } from '../../../src/ops/metrics.ts';

const depth = { waiting: 3, active: 2, delayed: 1, failed: 0, oldestMs: null };
const healthy: Health = {
  inbox: { entries: 4, oldestMs: null },
  queues: { alerts: depth, bursts: depth, outbox: depth, updates: depth, actions: depth, maintenance: depth },
  lagMs: 1500,
  failed: 0,
  quarantined: 0,
  workers: 2,
  isCardApiAway: false,
  isSlackTokenDead: false,
  isOpsUnreachable: false,
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

it('counts a refused ops channel like a refused token: nobody can be notified in Slack', async () => {
  const registry = new Registry();
  const { refresh, warnings } = createHealthMetrics(registry, async () => ({ ...healthy, isOpsUnreachable: true }));

  await refresh();

  expect(await registry.metrics()).toContain('cardbell_slack_token_ok 0');
  expect(warnings()).toEqual(['slack refuses messages in the ops channel']);
});

describe('while Redis cannot be read', () => {
  afterEach(() => void vi.useRealTimers());
  const figures = /^cardbell_(?!health_read)\w+(?:\{.*\})? /m;

  it('shows no figure before the first successful read: 0 would mean that no worker runs and Slack refuses the token', async () => {
    const registry = new Registry();
    const { refresh } = createHealthMetrics(registry, () => Promise.reject(new Error('redis is unavailable')));

    expect(await registry.metrics()).not.toMatch(figures);
    await refresh();

    const text = await registry.metrics();
    expect(text).toContain('cardbell_health_read 0');
    expect(text).not.toMatch(figures);
  });

  it('reports that, keeps the last figures for a minute, and then shows none until they can be read again', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const registry = new Registry();
    const read = vi.fn(async (): Promise<Health> => healthy);
    const { refresh, warnings } = createHealthMetrics(registry, read);
    const later = async (seconds: number): Promise<string> => {
      vi.advanceTimersByTime(seconds * 1000);
      await refresh();
      return await registry.metrics();
    };
    read.mockResolvedValueOnce({ ...healthy, isSlackTokenDead: true });
    await later(0);

    read.mockRejectedValue(new Error('redis is unavailable'));
    const soon = await later(30);
    expect(soon).toContain('cardbell_health_read 0');
    expect(soon).toContain('cardbell_lag_seconds 1.5');
    expect(warnings()).toEqual(['slack refuses the bot token']);
    expect(await later(31)).not.toMatch(figures);
    expect(warnings()).toEqual([]);

    read.mockResolvedValue(healthy);
    expect(await later(30)).toContain('cardbell_workers 2');
  });
});

it('shares one Redis read among concurrent scrapes, which all wait for it', async () => {
  const read = vi.fn(async () => ({ ...healthy, isSlackTokenDead: true }));
  const { refresh, warnings } = createHealthMetrics(new Registry(), read);

  const first = refresh();
  await refresh();
  expect(warnings()).toEqual(['slack refuses the bot token']);
  await first;
  await refresh();

  expect(read).toHaveBeenCalledTimes(1);
});
