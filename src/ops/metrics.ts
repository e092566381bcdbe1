import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { within } from '../core/deadline.ts';
import { sharedFor } from '../core/join-calls.ts';
import { version } from '../core/version.ts';
import type { Health } from './health.ts';

/**
 * What a process counts and measures, in Prometheus format. Labels are kinds, codes and method names; never people, ids,
 * channels or texts.
 *
 * Durations are passed in milliseconds and exported in seconds.
 */
export type Metrics = ReturnType<typeof createMetrics>;

/** Seconds. Network calls and jobs that make them: half of them end within a tenth of a second. */
const CALLS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Seconds. A webhook must be stored within a tenth of a second, and is refused after about two seconds. */
const STORING = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5];
/** Seconds. Waiting times of people. 10 s is the service level objective (docs/slo.md). */
const WAITS = [0.1, 0.25, 0.5, 1, 2, 5, 10, 20, 30, 60, 120, 300, 900, 3600];

/** @param process `web`, `worker` or `both`: a label of every metric. */
export function createMetrics(process: string) {
  const registry = new Registry();
  registry.setDefaultLabels({ process });
  let measuresProcess = false;
  const build = { name: 'cardbell_build_info', help: '1, with the version.', labelNames: ['version'] };
  new Gauge({ ...build, registers: [registry] }).set({ version }, 1);
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `cardbell_${name}_total`, help, labelNames, registers: [registry] });
  const webhooks = counter('webhooks', 'Webhooks by card program, receiver and answer.', ['program', 'path', 'answer']);
  const actions = counter('actions', 'What people asked for, and whether it was taken.', ['verb', 'decision']);
  const timer = createTimer(registry);
  const stored = timer(
    'webhook_store_duration',
    STORING,
    ['path'],
    'From the arrival of a webhook until Redis had it.',
  );

  return {
    registry,
    /**
     * All metrics in Prometheus format. Metrics of the process itself are collected only after the first read: the event
     * loop delay is sampled a hundred times per second, which was more than half the work of an idle process.
     */
    async read(): Promise<{ contentType: string; text: string }> {
      if (!measuresProcess) collectDefaultMetrics({ register: registry });
      measuresProcess = true;
      return { contentType: registry.contentType, text: await registry.metrics() };
    },
    /** A webhook was answered. `durationMs` starts when the request arrived. */
    webhookAnswered(program: string, path: string, answer: string, isStored: boolean, durationMs: number): void {
      webhooks.inc({ program, path, answer });
      if (isStored) stored(path, durationMs);
    },
    /** Someone requested something. `decision`: whether it was accepted. */
    actionAsked: (verb: string, decision: string): void => actions.inc({ verb, decision }),
    actionAnswered: timer(
      'action_duration',
      WAITS,
      ['verb'],
      'From a click or command until the person had the outcome.',
    ),
    alertPosted: timer(
      'alert_post_duration',
      WAITS,
      ['kind'],
      'From the arrival of a webhook until its alert stood in a channel. Without what was fetched late or held for quiet hours.',
    ),
    outboxLeft: timer(
      'outbox_wait',
      WAITS,
      ['priority'],
      'How long a message waited to be posted. Without what was held for quiet hours.',
    ),
    /** The same for what still waits: nothing else shows a message that never leaves. */
    outboxOverdue: createOverdue(registry),
    /** `outcome`: `ok` or the error code as `src/slack/failure.ts` names it for metrics. */
    cardApiCalled: timer(
      'card_api_call_duration',
      CALLS,
      ['operation', 'outcome'],
      'Calls of the card API with their retries.',
    ),
    /** `outcome`: `ok` or the error code as `src/slack/failure.ts` names it for metrics. */
    slackCalled: timer('slack_call_duration', CALLS, ['method', 'outcome'], "Calls of Slack's API."),
    /** `outcome`: `done`, `later` (it asked to run again) or `failed`. */
    jobRan: timer('job_duration', CALLS, ['queue', 'job', 'outcome'], 'Tries of jobs.'),
  };
}

function createOverdue(registry: Registry) {
  const overdue = new Gauge({
    name: 'cardbell_outbox_overdue_seconds',
    help: 'How long ago the message that waits longest for its channel should have been posted. Without direct messages.',
    labelNames: ['program'],
    registers: [registry],
  });
  return (program: string, ms: number): void => overdue.set({ program }, Math.max(0, ms) / 1000);
}

/** @returns defines a histogram, and returns what measures with it: the labels in this order, then milliseconds. */
function createTimer(registry: Registry) {
  return <const Labels extends readonly string[]>(name: string, buckets: number[], labels: Labels, help: string) => {
    const options = { name: `cardbell_${name}_seconds`, help, labelNames: labels, buckets, registers: [registry] };
    const measured = new Histogram(options);
    return (...given: [...values: { [Index in keyof Labels]: string }, durationMs: number]): void => {
      const values = given.slice(0, -1) as string[];
      // Clocks of two processes may differ: a negative duration counts as zero.
      measured.labels(...values).observe(Math.max(0, Number(given.at(-1))) / 1000);
    };
  };
}

/** How long the health figures from Redis are cached. Prometheus asks less often. */
const HEALTH_FRESH_MS = 5000;
/** A short failure keeps the last figures: with a gap, an alert that must hold for two minutes would start over. */
const HEALTH_STALE_MS = 60_000;
/** Metrics without these figures are better than none. */
const HEALTH_DEADLINE_MS = 700;

export type HealthMetrics = ReturnType<typeof createHealthMetrics>;

/** Figures about Cardbell overall, the same in every process: they are read from Redis on request. */
export function createHealthMetrics(registry: Registry, read: () => Promise<Health>) {
  const { show, hide, isRead } = createHealthGauges(registry);
  hide();
  let shownAt = Number.NEGATIVE_INFINITY;
  let latest: Health | null = null;

  async function readNow(): Promise<void> {
    const readAt = performance.now();
    try {
      latest = await within(HEALTH_DEADLINE_MS, read(), () => {
        throw new Error('not in time');
      });
      show(latest);
      isRead.set(1);
      shownAt = readAt;
    } catch {
      isRead.set(0);
      if (readAt - shownAt <= HEALTH_STALE_MS) return;
      latest = null;
      hide();
    }
  }

  return {
    /** Updates the figures: takes at most a moment, and runs at most every few seconds. */
    refresh: sharedFor(HEALTH_FRESH_MS, readNow),
    /** Problems from these figures that keep alerts from people although this process works. */
    warnings: (): readonly string[] => [
      ...(latest?.isSlackTokenDead === true ? ['slack refuses the bot token'] : []),
      ...(latest?.isOpsUnreachable === true ? ['slack refuses messages in the ops channel'] : []),
      ...(latest?.isCardTokenDead === true ? ['the card API refuses the token'] : []),
    ],
  };
}

function createHealthGauges(registry: Registry) {
  const registers = [registry];
  const gauge = <Label extends string>(name: string, help: string, labelNames: Label[] = []) =>
    new Gauge({ name: `cardbell_${name}`, help, labelNames, registers });
  const jobs = gauge('queue_jobs', 'Jobs by queue and state.', ['queue', 'state']);
  const plain = {
    inboxEntries: gauge('inbox_entries', 'Webhooks and requests that no worker has taken yet.'),
    lag: gauge('lag_seconds', 'How long the oldest alert or request has waited for a worker.'),
    quarantined: gauge('quarantined', 'Webhooks that did not fit, kept aside.'),
    workers: gauge('workers', 'Workers that live.'),
    slack: gauge('slack_token_ok', '0 while Slack refuses the bot token, or messages in the ops channel.'),
    token: gauge('card_token_ok', '0 while the card API refuses the token.'),
    api: gauge('card_api_ok', '0 while the card API is not asked because it does not answer.'),
    memory: gauge(
      'redis_memory_ratio',
      'Share of its memory that Redis uses, with what waits; 0 when it has no limit.',
    ),
  };
  const isRead = gauge('health_read', '1 when these figures could be read from Redis the last time.');
  return { show, hide, isRead };

  /** An unknown value is not 0, which would mean "no worker" or "token refused". */
  function hide(): void {
    jobs.reset();
    for (const figure of Object.values(plain)) figure.remove();
  }

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
    plain.slack.set(health.isSlackTokenDead || health.isOpsUnreachable ? 0 : 1);
    plain.token.set(health.isCardTokenDead ? 0 : 1);
    plain.api.set(health.isCardApiAway ? 0 : 1);
  }
}
