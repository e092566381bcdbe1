import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { DASHBOARD_FILE, dashboard } from '../../deploy/grafana/dashboard.ts';
import { findProgram } from '../../local/system-package.ts';
import { createHealthMetrics, createMetrics } from '../../src/ops/metrics.ts';
import { renderChart } from './helm-template.ts';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: { readonly severity: string };
  readonly annotations?: { readonly summary: string; readonly runbook_url: string };
}
const file = 'deploy/prometheus/cardbell.rules.yml';
const { groups } = parse(readFileSync(file, 'utf8')) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const alerts = rules.flatMap((rule) => (rule.alert === undefined ? [] : [{ ...rule, alert: rule.alert }]));

/** Minute-by-minute series of Cardbell's metrics, in promtool's notation. */
type Series = Readonly<Record<string, string>>;

/** Null: no such series, as before the first time that it is counted. */
type Fault = Readonly<Record<string, string | null>>;

const post = 'cardbell_alert_post_duration_seconds';
const declines = (all: string, onTime: string): Series => ({
  [`${post}_count{kind="decline"}`]: all,
  [`${post}_bucket{kind="decline",le="10"}`]: onTime,
});

/** Long enough for all rules except the slowest, which covers six hours. */
const MINUTES = 90;
const SLOW_MINUTES = 370;

/** A normal day: purchases are declined, webhooks are repeated, and one decline is late. */
const normal = (minutes: number): Series => ({
  ...declines(`0+1x${minutes}`, `0+1x20 20+1x${minutes - 21}`),
  'up{job="cardbell-web",instance="web"}': `1x${minutes}`,
  'up{job="cardbell-worker",instance="worker"}': `1x${minutes}`,
  'cardbell_build_info{process="web"}': `1x${minutes}`,
  'cardbell_build_info{process="worker"}': `1x${minutes}`,
  cardbell_workers: `2x${minutes}`,
  'cardbell_health_read{instance="web"}': `1x${minutes}`,
  cardbell_lag_seconds: `0.2x${minutes}`,
  cardbell_outbox_overdue_seconds: `0x${minutes}`,
  cardbell_slack_token_ok: `1x${minutes}`,
  cardbell_card_token_ok: `1x${minutes}`,
  cardbell_card_api_ok: `1x${minutes}`,
  cardbell_quarantined: `0x${minutes}`,
  cardbell_redis_memory_ratio: `0.5x${minutes}`,
  'cardbell_queue_jobs{queue="alerts",state="failed"}': `0x${minutes}`,
  'cardbell_webhooks_total{answer="stored"}': `0+30x${minutes}`,
  'cardbell_webhooks_total{answer="duplicate"}': `0+2x${minutes}`,
  'cardbell_webhooks_total{answer="not_authentic"}': `0+1x${minutes}`,
  'cardbell_webhooks_total{answer="store_unavailable"}': `0x${minutes}`,
  ...buckets('cardbell_webhook_store_duration_seconds', [0.05, 0.5, 2.5], minutes, 32),
  'cardbell_slack_call_duration_seconds_count{outcome="ok"}': `0+60x${minutes}`,
  'cardbell_slack_call_duration_seconds_count{outcome="rate_limited"}': `0+9x${minutes}`,
  'cardbell_slack_call_duration_seconds_count{outcome="unknown"}': `0+1x${minutes}`,
  ...buckets('cardbell_action_duration_seconds', [5, 10, 20], minutes, 2),
});

/** Long enough for rules that look back a quarter of an hour. */
const FEW_MINUTES = 30;
const ONE_CLICK = '2x10 3x19';
const NO_CLICK = '2x30';

/** Series of a day without the targets whose processes are gone. */
const without = (day: Series, gone: RegExp): Fault =>
  Object.fromEntries(Object.entries(day).map(([name, values]) => [name, gone.test(name) ? null : values]));

/** This many observations a minute, all below each of these limits. */
function buckets(histogram: string, limits: readonly number[], minutes: number, count: number): Series {
  const ends = [...limits.map(String), '+Inf'];
  const values = `0+${count}x${minutes}`;
  const series = ends.map((le) => [`${histogram}_bucket{le="${le}"}`, values] as const);
  return Object.fromEntries([...series, [`${histogram}_count`, values]]);
}

/** The fault that triggers each alert, with everything else normal. */
const faults: Readonly<Record<string, Fault>> = {
  CardbellDeclinesLateFast: declines('0+1x90', '0+1x60 60+0x29'),
  CardbellDeclinesLateSlow: declines('0+60x370', '0+59x370'),
  CardbellDown: { 'up{job="cardbell-worker",instance="worker"}': '1x70 0x19' },
  // One of two card programs: web knows the fewest workers of any, and a worker those of its own.
  CardbellNoWorker: {
    cardbell_workers: null,
    'cardbell_workers{process="web"}': '1x70 0x19',
    'cardbell_workers{process="worker"}': '1x90',
  },
  CardbellRedisUnreadable: { 'cardbell_health_read{instance="web"}': '1x70 0x19' },
  CardbellWebhooksRefused: { 'cardbell_webhooks_total{answer="store_unavailable"}': '0x70 0+30x19' },
  CardbellWebhooksNotAuthentic: {
    // Of one card program. Those of the first one are accepted.
    'cardbell_webhooks_total{program="eu",answer="not_authentic"}': '_x20 1x14 2x14 3x14 4x14 5x20',
  },
  CardbellStoringSlow: {
    'cardbell_webhook_store_duration_seconds_bucket{le="0.05"}': '0+30x90',
    'cardbell_webhook_store_duration_seconds_bucket{le="0.5"}': '0+30x90',
  },
  CardbellLagging: { cardbell_lag_seconds: '0.2x70 90x19' },
  CardbellSlackTokenDead: { cardbell_slack_token_ok: '1x70 0x19' },
  CardbellCardTokenDead: { cardbell_card_token_ok: '1x70 0x19' },
  CardbellCardApiAway: { cardbell_card_api_ok: '1x70 0x19' },
  CardbellSlackErrors: { 'cardbell_slack_call_duration_seconds_count{outcome="unknown"}': '0+20x90' },
  CardbellActionsSlow: {
    'cardbell_action_duration_seconds_bucket{le="5"}': '0+1x90',
    'cardbell_action_duration_seconds_bucket{le="10"}': '0+1x90',
  },
  CardbellRedisFilling: { cardbell_redis_memory_ratio: '0.5x60 0.75x29' },
  CardbellJobsFailed: { 'cardbell_queue_jobs{queue="alerts",state="failed"}': '0x60 2x29' },
  CardbellQuarantine: { cardbell_quarantined: '0x20 1x69' },
};

/** All metrics that web and worker export. */
async function served(): Promise<Set<string>> {
  const { registry, read } = createMetrics('web');
  await read();
  createHealthMetrics(registry, async () => {
    throw new Error('not expected in this test');
  });
  const families = await registry.getMetricsAsJSON();
  return new Set(
    families.flatMap(({ name, type }) =>
      String(type) === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ),
  );
}

const metricsIn = (text: string): string[] => text.match(/\b(?:cardbell|process|nodejs)_[a-z0-9_]+\b(?!:)/g) ?? [];

describe('the alert rules', () => {
  it('each have a fault in this test, a severity, and an existing runbook', () => {
    expect(Object.keys(faults).toSorted()).toEqual(alerts.map(({ alert }) => alert).toSorted());
    for (const { alert, labels, annotations } of alerts) {
      expect(['page', 'ticket']).toContain(labels?.severity);
      expect(annotations?.runbook_url).toBe(`docs/runbooks/${alert}.md`);
      const page = readFileSync(`docs/runbooks/${alert}.md`, 'utf8');
      for (const heading of [`# ${alert}`, '## What it means', '## What to do'])
        expect(page, `${alert}.md`).toContain(heading);
    }
    const overview = readFileSync('docs/runbooks/README.md', 'utf8');
    expect(alerts.filter(({ alert }) => !overview.includes(`](${alert}.md)`))).toEqual([]);
    expect(readdirSync('docs/runbooks').filter((name) => name !== 'README.md')).toHaveLength(alerts.length);
  });

  it('use only exported metrics', async () => {
    const names = await served();

    const unknown = rules.flatMap(({ expr }) => metricsIn(expr)).filter((name) => !names.has(name));
    expect(unknown).toEqual([]);
    const series = [normal(MINUTES), ...Object.values(faults)].flatMap((day) => Object.keys(day));
    expect(series.map((name) => name.split('{')[0]).filter((name) => name !== 'up' && !names.has(name ?? ''))).toEqual(
      [],
    );
  });
});

const promtool = findProgram(['promtool']);

describe.skipIf(promtool === undefined)('promtool (skipped if missing: Debian package prometheus)', () => {
  it('accepts the rules', () => {
    const { status, stdout, stderr } = spawnSync(promtool as string, ['check', 'rules', file], { encoding: 'utf8' });

    expect([status, stderr]).toEqual([0, '']);
    expect(stdout).toContain('SUCCESS');
  });

  it('shows that each rule fires on its fault, and none on a normal day', () => {
    const folder = mkdtempSync(join(tmpdir(), 'cardbell-rules-'));
    const input = (day: Fault) =>
      Object.entries(day).flatMap(([series, values]) => (values === null ? [] : [{ series, values }]));
    const firing = (alert: string) => `count(ALERTS{alertname="${alert}",alertstate="firing"})`;
    const tests = [
      {
        name: 'a normal day',
        interval: '1m',
        input_series: input(normal(SLOW_MINUTES)),
        promql_expr_test: ['30m', '2h', '6h'].map((at) => ({ expr: 'ALERTS', eval_time: at, exp_samples: [] })),
      },
      {
        name: 'a wrong secret after a time in which webhooks were accepted',
        interval: '1m',
        input_series: input({
          ...normal(MINUTES),
          'cardbell_webhooks_total{answer="stored"}': '0+30x50 1500x39',
          'cardbell_webhooks_total{answer="duplicate"}': '0+2x50 100x39',
        }),
        promql_expr_test: [
          { expr: firing('CardbellWebhooksNotAuthentic'), eval_time: '89m', exp_samples: [{ labels: '{}', value: 1 }] },
        ],
      },
      {
        name: 'a night without webhooks, in which only the doctor and strangers post, without a secret',
        interval: '1m',
        input_series: input({
          ...normal(MINUTES),
          'cardbell_webhooks_total{answer="stored"}': null,
          'cardbell_webhooks_total{answer="duplicate"}': null,
          'cardbell_webhooks_total{answer="not_authentic"}': null,
          'cardbell_webhooks_total{answer="no_secret"}': '_x20 1x14 2x14 3x14 4x14 5x20',
        }),
        promql_expr_test: [{ expr: 'ALERTS', eval_time: '89m', exp_samples: [] }],
      },
      {
        name: 'a company in which one click of the day takes eleven seconds',
        interval: '1m',
        input_series: input({
          ...normal(FEW_MINUTES),
          'cardbell_action_duration_seconds_bucket{le="5"}': NO_CLICK,
          'cardbell_action_duration_seconds_bucket{le="10"}': NO_CLICK,
          'cardbell_action_duration_seconds_bucket{le="20"}': ONE_CLICK,
          'cardbell_action_duration_seconds_bucket{le="+Inf"}': ONE_CLICK,
          cardbell_action_duration_seconds_count: ONE_CLICK,
        }),
        promql_expr_test: [{ expr: 'ALERTS{alertstate="firing"}', eval_time: '22m', exp_samples: [] }],
      },
      {
        name: 'a night in which Slack takes no message: declines wait in the outboxes, and none is counted as posted',
        interval: '1m',
        input_series: input({
          ...without(normal(FEW_MINUTES), /^cardbell_alert_post/),
          cardbell_outbox_overdue_seconds: '0x10 400x19',
        }),
        promql_expr_test: [
          { expr: firing('CardbellLagging'), eval_time: '29m', exp_samples: [{ labels: '{}', value: 1 }] },
        ],
      },
      {
        name: 'web and worker in one process',
        interval: '1m',
        input_series: input({
          ...without(normal(FEW_MINUTES), /^(?:up|cardbell_build_info)/),
          'up{job="cardbell",instance="both"}': '1x30',
          'cardbell_build_info{process="both"}': '1x30',
        }),
        promql_expr_test: [{ expr: 'ALERTS', eval_time: '29m', exp_samples: [] }],
      },
      {
        name: 'a process that does not answer, under the job name of a PodMonitor',
        interval: '1m',
        input_series: input({ ...normal(FEW_MINUTES), 'up{job="cards/cardbell",instance="10.0.0.7"}': '1x10 0x19' }),
        promql_expr_test: [
          { expr: firing('CardbellDown'), eval_time: '29m', exp_samples: [{ labels: '{}', value: 1 }] },
        ],
      },
      ...[/worker"|cardbell_workers/, /./].map((gone) => ({
        name: `no target any more that matches ${gone.source}`,
        interval: '1m',
        input_series: [...input(without(normal(FEW_MINUTES), gone)), { series: 'other', values: '1x30' }],
        promql_expr_test: [
          {
            expr: 'count by (process) (ALERTS{alertname="CardbellDown",alertstate="firing"})',
            eval_time: '29m',
            exp_samples: (gone.test('web') ? ['web', 'worker'] : ['worker']).map((process) => ({
              labels: `{process="${process}"}`,
              value: 1,
            })),
          },
        ],
      })),
      ...Object.entries(faults).map(([alert, fault]) => {
        const minutes = alert === 'CardbellDeclinesLateSlow' ? SLOW_MINUTES : MINUTES;
        const exp_samples = [{ labels: '{}', value: 1 }];
        return {
          name: alert,
          interval: '1m',
          input_series: input({ ...normal(minutes), ...fault }),
          promql_expr_test: [{ expr: firing(alert), eval_time: `${minutes - 1}m`, exp_samples }],
        };
      }),
    ];
    writeFileSync(
      join(folder, 'tests.yml'),
      stringify({ rule_files: [resolve(file)], evaluation_interval: '1m', tests }, { aliasDuplicateObjects: false }),
    );

    const run = spawnSync(promtool as string, ['test', 'rules', join(folder, 'tests.yml')], { encoding: 'utf8' });

    rmSync(folder, { recursive: true });
    expect(`${run.stdout}${run.stderr}`).toMatch(/SUCCESS\s*$/);
    expect(run.status).toBe(0);
  });
});

it('the service level page has Prometheus ask the ports on which web and worker serve metrics', () => {
  const page = readFileSync('docs/slo.md', 'utf8');
  const [override, podMonitor] = [...page.matchAll(/^ {3}```yaml\n([\s\S]*?)^ {3}```/gm)].map(([, text = '']) =>
    parse(text),
  );
  const compose = parse(readFileSync('compose.yaml', 'utf8'), { merge: true });
  const objects = renderChart('deploy/helm/cardbell');
  const pods = objects.filter(({ kind }) => kind === 'Deployment').map((object) => JSON.parse(JSON.stringify(object)));

  for (const [name, { ports }] of Object.entries<{ ports: string[] }>(override.services)) {
    const unit = readFileSync(`deploy/systemd/cardbell-${name}.service`, 'utf8');
    const { ADMIN_PORT } = compose.services[name].environment;
    expect(ports).toEqual([`127.0.0.1:${/ADMIN_PORT=(\d+)/.exec(unit)?.[1]}:${ADMIN_PORT}`]);
  }
  expect(Object.keys(override.services)).toEqual(['web', 'worker']);
  expect(pods).toHaveLength(2);
  for (const { spec } of pods) {
    const { metadata, spec: pod } = spec.template;
    expect(metadata.labels).toMatchObject(podMonitor.spec.selector.matchLabels);
    expect(metadata.labels[podMonitor.spec.jobLabel]).toBe('cardbell');
    expect(pod.containers[0].ports.map(({ name }: { name: string }) => name)).toContain(
      podMonitor.spec.podMetricsEndpoints[0].port,
    );
  }
});

describe('the dashboard', () => {
  it('is up to date with its generator (npm run dashboard)', () => {
    expect(JSON.parse(readFileSync(DASHBOARD_FILE, 'utf8'))).toEqual(dashboard());
  });

  it('shows every metric of Cardbell and only exported metrics', async () => {
    const names = await served();
    const shown = metricsIn(JSON.stringify(dashboard()));

    expect(shown.filter((name) => !names.has(name))).toEqual([]);
    const families = [...names].filter((name) => name.startsWith('cardbell_') && !/_(?:sum|count|bucket)$/.test(name));
    expect(families.filter((name) => !shown.includes(name))).toEqual([]);
  });
});
