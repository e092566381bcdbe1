import { Counter, collectDefaultMetrics, Registry } from 'prom-client';

/** What the web process counts, as Prometheus reads it. Labels are kinds and codes, never names, ids or texts. */
export interface Metrics {
  readonly registry: Registry;
  readonly webhooks: Counter<'path' | 'answer'>;
  readonly actions: Counter<'verb' | 'decision'>;
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
  };
}
