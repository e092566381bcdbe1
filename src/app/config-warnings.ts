import type { z } from 'zod';
import { isPlain, type SharedEnv, type WorkerEnv } from './environment.ts';

/** What every process reads, and what only the worker reads. */
export type QuestionableValues = z.output<typeof SharedEnv> &
  Partial<Pick<z.output<typeof WorkerEnv>, 'CARD_API_URL' | 'QUEUE_PAGE_PASSWORD'>>;

/** Warnings about settings that are allowed but should not be used in production. Name variables, never their values. */
export function warningsOf(values: QuestionableValues): string[] {
  const warnings: string[] = [];
  const addresses = [
    ['SLACK_API_URL', 'the token'],
    ['CARD_API_URL', 'the token'],
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'traces'],
    ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'traces'],
  ] as const;
  for (const [name, what] of addresses) {
    const url = values[name];
    if (url !== undefined && isPlain(url))
      warnings.push(`${name} begins with http://: ${what} can be read in transit. Use https://`);
  }
  warnings.push(...redisWarnings(values));
  if (values.QUEUE_PAGE_PASSWORD !== undefined && values.ADMIN_PORT === undefined)
    warnings.push('QUEUE_PAGE_PASSWORD: the queues page is on the admin port. Set ADMIN_PORT');
  return warnings;
}

function redisWarnings(values: QuestionableValues): string[] {
  const warnings: string[] = [];
  // All nodes are reached like the first one, because nodes discovered later have no URL of their own.
  const isEncrypted = values.REDIS_URL[0]?.startsWith('rediss:') === true;
  if (values.REDIS_URL.some((url) => url.startsWith('rediss:') !== isEncrypted))
    warnings.push(`REDIS_URL mixes redis:// and rediss://: all are reached ${isEncrypted ? 'with' : 'without'} TLS`);
  if (values.REDIS_TLS_INSECURE && isEncrypted)
    warnings.push('REDIS_TLS_INSECURE: anyone in between can impersonate Redis. Use REDIS_TLS_CA_FILE');
  const ofTls = values.REDIS_TLS_INSECURE ? 'REDIS_TLS_INSECURE' : 'REDIS_TLS_CA_FILE';
  if (!isEncrypted && (values.REDIS_TLS_INSECURE || values.REDIS_TLS_CA_FILE !== undefined))
    warnings.push(`${ofTls} does nothing: Redis is reached without TLS. Begin REDIS_URL with rediss://`);
  if (values.REDIS_SENTINEL_PASSWORD !== undefined && values.REDIS_SENTINEL_MASTER === undefined)
    warnings.push('REDIS_SENTINEL_PASSWORD does nothing without REDIS_SENTINEL_MASTER. Set both, or neither');
  return warnings;
}
