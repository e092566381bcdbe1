import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** What both processes count, as Prometheus reads it. Labels are kinds and codes, never names, ids or texts. */
export interface Metrics {
  readonly registry: Registry;
  readonly webhooks: Counter<'path' | 'answer'>;
  readonly actions: Counter<'verb' | 'decision'>;
  readonly posts: Counter<'outcome'>;
  readonly slackSeconds: Histogram<'method'>;
  readonly queueDepth: Gauge<'queue'>;
}

export function createMetrics(process: string): Metrics {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  return {
    registry,
    webhooks: new Counter({
      name: 'cardbell_webhooks_total',
      help: 'Webhooks by receiver and answer.',
      labelNames: ['path', 'answer'],
      registers,
    }),
    actions: new Counter({
      name: 'cardbell_actions_total',
      help: 'What people asked for, and whether they may.',
      labelNames: ['verb', 'decision'],
      registers,
    }),
    posts: new Counter({
      name: 'cardbell_slack_posts_total',
      help: 'Messages posted to Slack by outcome.',
      labelNames: ['outcome'],
      registers,
    }),
    slackSeconds: new Histogram({
      name: 'cardbell_slack_call_seconds',
      help: 'Time that calls to Slack take.',
      labelNames: ['method'],
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    queueDepth: new Gauge({
      name: 'cardbell_queue_depth',
      help: 'Jobs that wait, run or are delayed.',
      labelNames: ['queue'],
      registers,
    }),
  };
}
