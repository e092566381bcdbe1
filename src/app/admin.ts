import type { RequestListener } from 'node:http';
import { useInstallation } from '../core/installation.ts';
import type { Log } from '../core/log.ts';
import { useTracer } from '../core/trace.ts';
import { type AdminFacts, startAdminServer } from '../ops/admin-server.ts';
import type { Health } from '../ops/health.ts';
import { createHealthMetrics, type HealthMetrics } from '../ops/health-metrics.ts';
import { createMetrics, type Metrics } from '../ops/metrics.ts';
import type { SharedConfig } from './config.ts';
import { useProxy } from './outgoing-proxy.ts';
import type { RunningProcess } from './run-process.ts';

/** What a part of a process needs of the admin port. */
export interface Admin {
  readonly metrics: Metrics;
  /** Serves the page of the queues behind `/queues`. */
  serveQueues(page: RequestListener): void;
  /** Readiness asks for `problems` (what keeps the part from its work) and for the health of all, as Redis knows it. */
  watch(part: { readonly problems: () => Promise<readonly string[]>; readonly health: () => Promise<Health> }): void;
}

/**
 * Runs a process as its configuration says: warnings, names, proxy, metrics, and probes on the admin port where one is configured. The port answers from the
 * first moment to the last; readiness says "starting" before, and "stopping" after, the process does its work.
 *
 * @param name `web`, `worker`, or `both` in one process.
 */
export async function withAdmin(
  name: 'web' | 'worker' | 'both',
  config: Pick<SharedConfig, 'admin' | 'proxy' | 'warnings' | 'isTraced' | 'command' | 'serviceZone'>,
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
      return { contentType: metrics.registry.contentType, text: await metrics.registry.metrics() };
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
        queuePage = page;
      },
      watch(part) {
        parts.push(part.problems);
        health ??= createHealthMetrics(metrics.registry, part.health);
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

/** Loads OpenTelemetry only where it is wanted. */
async function startTracing(name: string): Promise<{ stop(): Promise<void> }> {
  const tracing = await import('../ops/tracing.ts');
  const { tracer, stop } = tracing.startTracing(name === 'both' ? 'cardbell' : `cardbell-${name}`);
  useTracer(tracer);
  return { stop };
}
