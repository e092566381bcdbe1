import { isPlain } from './environment.ts';

/** What of the configuration is allowed, and should not be in production. Names variables, never their values. */
export function warningsOf(values: {
  readonly SLACK_API_URL?: string | undefined;
  readonly CARD_API_URL?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
  readonly REDIS_URL: readonly string[];
  readonly REDIS_SENTINEL_MASTER?: string | undefined;
  readonly REDIS_SENTINEL_PASSWORD?: string | undefined;
  readonly REDIS_TLS_CA_FILE?: string | undefined;
  readonly REDIS_TLS_INSECURE: boolean;
  readonly QUEUE_PAGE_PASSWORD?: string | undefined;
  readonly ADMIN_PORT?: number | undefined;
}): string[] {
  const warnings: string[] = [];
  const addresses = {
    SLACK_API_URL: 'the token',
    CARD_API_URL: 'the token',
    OTEL_EXPORTER_OTLP_ENDPOINT: 'what is sent',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'what is sent',
  } as const;
  for (const [name, what] of Object.entries(addresses) as [keyof typeof addresses, string][]) {
    const url = values[name];
    if (url !== undefined && isPlain(url))
      warnings.push(`${name} begins with http://: ${what} can be read on its way. Use https://`);
  }
  warnings.push(...redisWarnings(values));
  if (values.QUEUE_PAGE_PASSWORD !== undefined && values.ADMIN_PORT === undefined)
    warnings.push('QUEUE_PAGE_PASSWORD: the page of the queues is on the admin port. Set ADMIN_PORT');
  return warnings;
}

function redisWarnings(values: Parameters<typeof warningsOf>[0]): string[] {
  const warnings: string[] = [];
  // All nodes are reached as the first one, because those that are learned later have no address of their own.
  const isEncrypted = values.REDIS_URL[0]?.startsWith('rediss:') === true;
  if (values.REDIS_URL.some((url) => url.startsWith('rediss:') !== isEncrypted))
    warnings.push(`REDIS_URL mixes redis:// and rediss://: all are reached ${isEncrypted ? 'with' : 'without'} TLS`);
  if (values.REDIS_TLS_INSECURE && isEncrypted)
    warnings.push('REDIS_TLS_INSECURE: whoever is in between can pretend to be Redis. Use REDIS_TLS_CA_FILE');
  const ofTls = values.REDIS_TLS_INSECURE ? 'REDIS_TLS_INSECURE' : 'REDIS_TLS_CA_FILE';
  if (!isEncrypted && (values.REDIS_TLS_INSECURE || values.REDIS_TLS_CA_FILE !== undefined))
    warnings.push(`${ofTls} does nothing: Redis is reached without TLS. Begin REDIS_URL with rediss://`);
  if (values.REDIS_SENTINEL_PASSWORD !== undefined && values.REDIS_SENTINEL_MASTER === undefined)
    warnings.push('REDIS_SENTINEL_PASSWORD does nothing without REDIS_SENTINEL_MASTER. Set both, or neither');
  return warnings;
}
