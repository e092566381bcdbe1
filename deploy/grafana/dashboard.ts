import { writeFileSync } from 'node:fs';

/** `npm run dashboard` writes the Grafana dashboard. A test checks that the file matches this code and the metrics. */

interface Query {
  readonly expr: string;
  readonly legend: string;
}

type Unit = 's' | 'short' | 'reqps' | 'percentunit' | 'bool_on_off';
type Panel = readonly [title: string, unit: Unit, ...queries: Query[]];

/** Quantiles of a histogram. */
const quantiles = (histogram: string, by = '', filter = ''): Query[] =>
  [0.5, 0.99].map((quantile) => ({
    expr: `histogram_quantile(${quantile}, sum by (le${by === '' ? '' : `, ${by}`}) (rate(${histogram}_bucket${filter}[$__rate_interval])))`,
    legend: `p${quantile * 100}${by === '' ? '' : ` {{${by}}}`}`,
  }));
const rate = (metric: string, by: string): Query => ({
  expr: `sum by (${by}) (rate(${metric}[$__rate_interval]))`,
  legend: by
    .split(', ')
    .map((label) => `{{${label}}}`)
    .join(' '),
});
/** A metric that has the same value in every process. */
const same = (metric: string, legend: string, by = ''): Query => ({
  expr: by === '' ? `max(${metric})` : `max by (${by}) (${metric})`,
  legend,
});

const onTime = 'cardbell_alert_post_duration_seconds_bucket{kind="decline",le="10"}';
const all = 'cardbell_alert_post_duration_seconds_count{kind="decline"}';

const rows: readonly (readonly [string, ...Panel[]])[] = [
  [
    'User experience',
    [
      'Declines shown within 10 s (target 99.9 %, 28 days)',
      'percentunit',
      { expr: `sum(increase(${onTime}[28d])) / sum(increase(${all}[28d]))`, legend: 'on time' },
    ],
    ['Time from webhook to Slack', 's', ...quantiles('cardbell_alert_post_duration_seconds', 'kind')],
    ['Time from click to outcome', 's', ...quantiles('cardbell_action_duration_seconds', 'verb')],
    ['Longest wait for a worker', 's', same('cardbell_lag_seconds', 'lag')],
  ],
  [
    'Intake',
    ['Webhooks by answer', 'reqps', rate('cardbell_webhooks_total', 'answer')],
    ['Time to store a webhook', 's', ...quantiles('cardbell_webhook_store_duration_seconds')],
    ['User requests in Slack', 'reqps', rate('cardbell_actions_total', 'verb, decision')],
    ['Inbox entries', 'short', same('cardbell_inbox_entries', 'entries')],
  ],
  [
    'Processing',
    ['Jobs by queue and state', 'short', same('cardbell_queue_jobs', '{{queue}} {{state}}', 'queue, state')],
    ['Job tries by outcome', 'reqps', rate('cardbell_job_duration_seconds_count', 'job, outcome')],
    ['Job duration', 's', ...quantiles('cardbell_job_duration_seconds', 'job')],
    [
      'Wait before posting',
      's',
      ...quantiles('cardbell_outbox_wait_seconds', 'priority'),
      same('cardbell_outbox_overdue_seconds', 'overdue now'),
    ],
  ],
  [
    'External services',
    ['Slack calls', 'reqps', rate('cardbell_slack_call_duration_seconds_count', 'method, outcome')],
    ['Slack call duration', 's', ...quantiles('cardbell_slack_call_duration_seconds')],
    ['Card API calls', 'reqps', rate('cardbell_card_api_call_duration_seconds_count', 'operation, outcome')],
    ['Card API call duration', 's', ...quantiles('cardbell_card_api_call_duration_seconds')],
  ],
  [
    'Health',
    [
      'Tokens, card API, Redis',
      'bool_on_off',
      { expr: 'min(cardbell_slack_token_ok)', legend: 'Slack token' },
      { expr: 'min(cardbell_card_token_ok)', legend: 'card API token' },
      { expr: 'min(cardbell_card_api_ok)', legend: 'card API' },
      { expr: 'min(cardbell_health_read)', legend: 'Redis' },
    ],
    [
      'Workers, Redis memory, quarantine',
      'short',
      { expr: 'min(cardbell_workers)', legend: 'workers' },
      same('cardbell_redis_memory_ratio', 'Redis memory used'),
      same('cardbell_quarantined', 'webhooks in quarantine'),
    ],
    [
      'Memory and event loop',
      'short',
      { expr: 'sum by (instance) (process_resident_memory_bytes)', legend: 'memory {{instance}}' },
      { expr: 'max by (instance) (nodejs_eventloop_lag_p99_seconds)', legend: 'event loop p99 {{instance}}' },
    ],
    [
      'Versions',
      'short',
      { expr: 'count by (process, version) (cardbell_build_info)', legend: '{{process}} {{version}}' },
    ],
  ],
];

const WIDTH = 6;
const HEIGHT = 8;

/** The dashboard in Grafana's import format. */
export function dashboard(): object {
  const panels = rows.flatMap(([title, ...row], rowIndex) => {
    const y = rowIndex * (HEIGHT + 1);
    const header = { type: 'row', title, collapsed: false, gridPos: { h: 1, w: 24, x: 0, y }, panels: [] };
    return [
      header,
      ...row.map(([name, unit, ...queries], index) => ({
        type: 'timeseries',
        title: name,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana replaces this placeholder.
        datasource: { type: 'prometheus', uid: '${datasource}' },
        gridPos: { h: HEIGHT, w: WIDTH, x: index * WIDTH, y: y + 1 },
        fieldConfig: { defaults: { unit, min: 0 }, overrides: [] },
        targets: queries.map(({ expr, legend }, target) => ({
          refId: String.fromCharCode(65 + target),
          expr,
          legendFormat: legend,
        })),
      })),
    ];
  });
  return {
    uid: 'cardbell',
    title: 'Cardbell',
    tags: ['cardbell'],
    schemaVersion: 39,
    refresh: '30s',
    time: { from: 'now-6h', to: 'now' },
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus' }] },
    panels: panels.map((panel, index) => ({ id: index + 1, ...panel })),
  };
}

export const DASHBOARD_FILE = 'deploy/grafana/cardbell.json';

if (process.argv[1] === import.meta.filename) {
  writeFileSync(DASHBOARD_FILE, `${JSON.stringify(dashboard(), null, 2)}\n`);
}
