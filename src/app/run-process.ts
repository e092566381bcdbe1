import type { RequestListener } from 'node:http';
import { ConfigError } from '../core/errors.ts';
import { useInstallation } from '../core/installation.ts';
import { ListenError } from '../core/listen-error.ts';
import { createLog, type Log, printedText } from '../core/log.ts';
import { useTracer } from '../core/trace.ts';
import { type AdminFacts, startAdminServer } from '../ops/admin-server.ts';
import { type Health, healthOfAll } from '../ops/health.ts';
import { createHealthMetrics, createMetrics, type HealthMetrics, type Metrics } from '../ops/metrics.ts';
import { EX_CONFIG, type SharedConfig } from './config.ts';
import { useProxy } from './outgoing-proxy.ts';
import type { Configs } from './programs.ts';

/** EX_UNAVAILABLE: a resource is not available, for instance its port. A retry may help. */
export const EX_UNAVAILABLE = 69;

export interface RunningProcess {
  /** Accepts no new work, and finishes or hands back work in progress. */
  stop(): Promise<void>;
}

/** Platforms kill after ten seconds at the earliest. We are gone in less than eight. */
const STOP_DEADLINE_MS = 7000;

/**
 * Runs a process until SIGTERM or SIGINT, then exits with 0. An unexpected error is logged and ends the process with 1.
 *
 * Work that is not finished by the deadline is left as it is: every job can safely be taken over by another worker.
 */
export async function runProcess(start: () => Promise<RunningProcess>, createLogger: () => Log): Promise<void> {
  logWhatPackagesPrint(createLogger);
  let isStopping = false;
  const stop = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    const log = createLogger();
    setTimeout(() => {
      log.warn({}, 'not everything finished in time; what is left is taken over or fetched again');
      process.exit(0);
    }, STOP_DEADLINE_MS);
    log.info({ signal }, 'stopping');
    starting
      .then((running) => running.stop())
      .then(
        () => log.info({}, 'stopped'),
        (error: unknown) => log.error({ err: error }, 'stopping failed'),
      )
      .finally(() => process.exit(0));
  };
  // Node would print the error with everything that a library attached to it: requests, tokens, the arguments of a command.
  process.on('uncaughtException', (error) => {
    createLogger().fatal({ err: error }, 'unexpected error; the process exits');
    process.exit(1);
  });
  // Before starting: someone who sees the first log line may immediately ask it to stop.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  const starting = start();
  try {
    await starting;
  } catch (error) {
    if (error instanceof ConfigError) {
      process.stderr.write(`${error.message}\nSee .env.example for every variable.\n`);
      process.exit(EX_CONFIG);
    }
    if (error instanceof ListenError) {
      process.stderr.write(`${error.message}\n`);
      process.exit(EX_UNAVAILABLE);
    }
    if (isStopping) return;
    createLogger().fatal({ err: error }, 'could not start');
    process.exit(1);
  }
}

/** BullMQ and ioredis print what they find wrong with Redis as plain text. Whoever reads the log expects only its lines. */
function logWhatPackagesPrint(createLogger: () => Log): void {
  const print =
    (level: 'debug' | 'warn' | 'error') =>
    (...parts: unknown[]) =>
      createLogger()[level]({ what: printedText(parts) }, 'a package printed this');
  const debug = print('debug');
  Object.assign(console, { log: debug, info: debug, debug, warn: print('warn'), error: print('error') });
}

/** What a part of a process needs from the admin port. */
export interface Admin {
  readonly metrics: Metrics;
  /** Serves the queues page under `/queues`: that of the first card program. */
  serveQueues(page: RequestListener): void;
  /**
   * Readiness reports `problems` (what keeps the part from working) and everyone's health, as Redis knows it: once for
   * each card program, although web and worker may both read it.
   */
  watch(part: {
    readonly problems: () => Promise<readonly string[]>;
    readonly health?: { readonly program: string; readonly read: () => Promise<Health> };
  }): void;
}

/**
 * Runs a process with its configuration: warnings, names, proxy, metrics, and probes on the admin port if configured.
 * The port answers from the first moment to the last. Readiness says "starting" before the process works and "stopping"
 * afterwards.
 *
 * @param name `web`, `worker`, or `both` in one process.
 */
export async function withAdmin(
  name: 'web' | 'worker' | 'both',
  config: Pick<SharedConfig, 'admin' | 'proxy' | 'warnings' | 'isTraced' | 'command' | 'serviceZone' | 'program'>,
  log: Log,
  start: (admin: Admin) => Promise<RunningProcess>,
): Promise<RunningProcess> {
  const { admin: address, proxy, warnings, isTraced } = config;
  useInstallation(config);
  for (const warning of warnings) log.warn({ warning }, 'configuration');
  await useProxy(proxy);
  const tracing = isTraced ? await startTracing(name) : null;
  const metrics = createMetrics(name);
  const parts: (() => Promise<readonly string[]>)[] = [];
  const healths = new Map<string, () => Promise<Health>>();
  let queuePage: RequestListener | null = null;
  let health: HealthMetrics | null = null;
  let phase: 'starting' | 'running' | 'stopping' = 'starting';
  const facts: AdminFacts = {
    async problems() {
      const [problems] = await Promise.all([Promise.all(parts.map((problemsOf) => problemsOf())), health?.refresh()]);
      return [...new Set([...(phase === 'running' ? [] : [phase]), ...problems.flat()])];
    },
    warnings: () => health?.warnings() ?? [],
    async metrics() {
      await health?.refresh();
      return await metrics.read();
    },
    queuePage: () => queuePage,
    log,
  };
  const server = address === null ? null : await startAdminServer(address, facts);
  if (server !== null) log.info({ host: address?.host, port: server.port }, 'admin port listens');

  try {
    const running = await start({
      metrics,
      serveQueues(page) {
        queuePage ??= page;
      },
      watch(part) {
        parts.push(part.problems);
        if (part.health !== undefined) healths.set(part.health.program, part.health.read);
        health ??= createHealthMetrics(metrics.registry, async () =>
          healthOfAll(await Promise.all([...healths.values()].map((read) => read()))),
        );
      },
    });
    phase = 'running';
    return {
      async stop() {
        phase = 'stopping';
        await running.stop();
        await tracing?.stop();
        await server?.close();
      },
    };
  } catch (error) {
    await server?.close();
    throw error;
  }
}

/** Loads OpenTelemetry only when needed. */
async function startTracing(name: string): Promise<{ stop(): Promise<void> }> {
  const tracing = await import('../ops/tracing.ts');
  const { tracer, stop } = tracing.startTracing(name === 'both' ? 'cardbell' : `cardbell-${name}`);
  useTracer(tracer);
  return { stop };
}

/** Runs an entry point: reads the configuration, opens the log and the admin port, and runs until it is stopped. */
export async function runAs<Config extends SharedConfig>(
  name: 'web' | 'worker' | 'both',
  readConfigs: () => Configs<Config>,
  start: (configs: Configs<Config>, log: Log, admin: Admin) => Promise<RunningProcess>,
): Promise<void> {
  let log: Log | undefined;
  const openLog = (level: string): Log => {
    log ??= createLog({ level, process: name });
    return log;
  };
  await runProcess(
    async () => {
      const configs = readConfigs();
      const [first] = configs;
      const warnings = [...new Set(configs.flatMap((config) => config.warnings))];
      const own = openLog(first.logLevel);
      return await withAdmin(name, { ...first, warnings }, own, (admin) => start(configs, own, admin));
    },
    () => openLog('info'),
  );
}
