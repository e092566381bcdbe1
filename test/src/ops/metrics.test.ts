import { expect, it } from 'vitest';
import { version } from '../../../src/core/version.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';

it('counts every webhook, but times only those that were stored', async () => {
  const metrics = createMetrics('web');

  metrics.webhookAnswered('', 'decline', 'stored', true, 20);
  metrics.webhookAnswered('eu', 'decline', 'not_authentic', false, 1);

  const text = await metrics.registry.metrics();
  expect(text).toContain('cardbell_webhooks_total{program="",path="decline",answer="stored",process="web"} 1');
  expect(text).toContain('cardbell_webhooks_total{program="eu",path="decline",answer="not_authentic",process="web"} 1');
  expect(text).toContain('cardbell_webhook_store_duration_seconds_count{process="web",path="decline"} 1');
  expect(text).toContain('cardbell_webhook_store_duration_seconds_sum{process="web",path="decline"} 0.02');
});

it.each([
  ['cardbell_action_duration_seconds', (metrics: Metrics) => metrics.actionAnswered('block', 1500)],
  ['cardbell_alert_post_duration_seconds', (metrics: Metrics) => metrics.alertPosted('decline', 1500)],
  ['cardbell_outbox_wait_seconds', (metrics: Metrics) => metrics.outboxLeft('decline', 1500)],
  ['cardbell_card_api_call_duration_seconds', (metrics: Metrics) => metrics.cardApiCalled('getAccount', 'ok', 1500)],
  ['cardbell_slack_call_duration_seconds', (metrics: Metrics) => metrics.slackCalled('chat.update', 'ok', 1500)],
  ['cardbell_job_duration_seconds', (metrics: Metrics) => metrics.jobRan('outbox', 'flush-outbox', 'done', 1500)],
])('%s reports milliseconds as seconds', async (name, measure) => {
  const metrics = createMetrics('worker');

  measure(metrics);

  expect(await metrics.registry.metrics()).toMatch(new RegExp(`^${name}_sum\\{[^}]*\\} 1\\.5$`, 'm'));
});

it('shows how late the messages of each card program are, only in the worker, which may read that', async () => {
  const worker = createMetrics('worker');
  worker.outboxOverdue('', 90_000);
  worker.outboxOverdue('eu', 1500);
  worker.outboxOverdue('', -20);

  const text = await worker.registry.metrics();
  expect(text).toContain('cardbell_outbox_overdue_seconds{program="",process="worker"} 0\n');
  expect(text).toContain('cardbell_outbox_overdue_seconds{program="eu",process="worker"} 1.5\n');
  expect(await createMetrics('web').registry.metrics()).not.toMatch(/^cardbell_outbox_overdue_seconds/m);
});

it('clamps a negative duration from clock skew to zero', async () => {
  const metrics = createMetrics('worker');

  metrics.alertPosted('decline', -300);

  expect(await metrics.registry.metrics()).toMatch(/^cardbell_alert_post_duration_seconds_sum\{[^}]*\} 0$/m);
});

it('has a bucket boundary at the service level: 10 s for declines', async () => {
  const metrics = createMetrics('worker');

  metrics.alertPosted('decline', 9_999);

  expect(await metrics.registry.metrics()).toContain(
    'cardbell_alert_post_duration_seconds_bucket{le="10",process="worker",kind="decline"} 1',
  );
});

it('exports the version', async () => {
  expect(await createMetrics('web').registry.metrics()).toContain(`cardbell_build_info{version="${version}"`);
});

it('follows the Prometheus naming conventions: seconds, and totals for counters', async () => {
  const families = await createMetrics('web').registry.getMetricsAsJSON();

  const own = families.filter(({ name }) => name.startsWith('cardbell_'));
  expect(own.length).toBeGreaterThan(8);
  // What still lasts has one value at a time; what is over is observed.
  const lasts = ['cardbell_outbox_overdue_seconds'];
  for (const { name, type } of own) {
    const isObserved = name.endsWith('_seconds') && !lasts.includes(name);
    expect([name, type]).toEqual([name, name.endsWith('_total') ? 'counter' : isObserved ? 'histogram' : 'gauge']);
  }
});

it('measures the process from the first scrape', async () => {
  const { registry, read } = createMetrics('web');
  const before = await registry.metrics();

  const first = await read();
  const second = await read();

  const names = ['process_cpu_seconds_total', 'nodejs_eventloop_lag_p99_seconds'];
  for (const name of names) {
    expect(before).not.toContain(name);
    expect(first.text).toContain(name);
    expect(second.text).toContain(name);
  }
});

type Metrics = ReturnType<typeof createMetrics>;
