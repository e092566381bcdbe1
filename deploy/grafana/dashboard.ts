import { writeFileSync } from 'node:fs';

/** `npm run dashboard` writes the Grafana dashboard. A test holds the file, this and the metrics together. */

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
/** What every process says alike. */
const same = (metric: string, legend: string, by = ''): Query => ({
  expr: by === '' ? `max(${metric})` : `max by (${by}) (${metric})`,
  legend,
});

const onTime = 'cardbell_alert_post_duration_seconds_bucket{kind="decline",le="10"}';
const all = 'cardbell_alert_post_duration_seconds_count{kind="decline"}';

const rows: readonly (readonly [string, ...Panel[]])[] = [
  [
    'What people notice',
    [
      'Declines shown within 10 s (goal 99.9 %, 28 days)',
      'percentunit',
      { expr: `sum(increase(${onTime}[28d])) / sum(increase(${all}[28d]))`, legend: 'on time' },
    ],
    ['From webhook to Slack', 's', ...quantiles('cardbell_alert_post_duration_seconds', 'kind')],
    ['From click to outcome', 's', ...quantiles('cardbell_action_duration_seconds', 'verb')],
    ['The oldest that waits for a worker', 's', same('cardbell_lag_seconds', 'lag')],
  ],
  [
    'Taking in',
    ['Webhooks by answer', 'reqps', rate('cardbell_webhooks_total', 'answer')],
    ['Storing a webhook', 's', ...quantiles('cardbell_webhook_store_duration_seconds')],
    ['Asked for in Slack', 'reqps', rate('cardbell_actions_total', 'verb, decision')],
    ['Not yet taken by a worker', 'short', same('cardbell_inbox_entries', 'entries')],
  ],
  [
    'Work',
    ['Jobs by queue and state', 'short', same('cardbell_queue_jobs', '{{queue}} {{state}}', 'queue, state')],
    ['Tries of jobs', 'reqps', rate('cardbell_job_duration_seconds_count', 'job, outcome')],
    ['How long jobs take', 's', ...quantiles('cardbell_job_duration_seconds', 'job')],
    ['Waiting to be posted', 's', ...quantiles('cardbell_outbox_wait_seconds', 'priority')],
  ],
  [
    'The other services',
    ['Calls of Slack', 'reqps', rate('cardbell_slack_call_duration_seconds_count', 'method, outcome')],
    ['How long Slack takes', 's', ...quantiles('cardbell_slack_call_duration_seconds')],
    ['Calls of the card API', 'reqps', rate('cardbell_card_api_call_duration_seconds_count', 'operation, outcome')],
    ['How long the card API takes', 's', ...quantiles('cardbell_card_api_call_duration_seconds')],
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
      'Workers, quarantine',
      'short',
      same('cardbell_workers', 'workers'),
      same('cardbell_redis_memory_ratio', 'share of Redis’ memory'),
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

/** The dashboard, as Grafana imports it. */
export function dashboard(): object {
  const panels = rows.flatMap(([title, ...row], rowIndex) => {
    const y = rowIndex * (HEIGHT + 1);
    const header = { type: 'row', title, collapsed: false, gridPos: { h: 1, w: 24, x: 0, y }, panels: [] };
    return [
      header,
      ...row.map(([name, unit, ...queries], index) => ({
        type: 'timeseries',
        title: name,
        // biome-ignore lint/suspicious/noTemplateCurlyInString: Grafana fills it in.
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
