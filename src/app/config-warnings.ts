import { isPlain } from './environment.ts';

/** What of the configuration is allowed, and should not be in production. Names variables, never their values. */
export function warningsOf(values: {
  readonly SLACK_API_URL?: string | undefined;
  readonly CARD_API_URL?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?: string | undefined;
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
  if (values.REDIS_TLS_INSECURE)
    warnings.push('REDIS_TLS_INSECURE: whoever is in between can pretend to be Redis. Use REDIS_TLS_CA_FILE');
  if (values.QUEUE_PAGE_PASSWORD !== undefined && values.ADMIN_PORT === undefined)
    warnings.push('QUEUE_PAGE_PASSWORD: the page of the queues is on the admin port. Set ADMIN_PORT');
  return warnings;
}
