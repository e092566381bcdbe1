import { type CardClientOptions, createCardClient } from '../card-api/client.ts';
import { redactText } from '../core/redact-text.ts';
import type { WorkerConfig } from './config.ts';

/** The card API as configured. */
export function cardClientOf(
  config: WorkerConfig,
  more: Pick<CardClientOptions, 'log' | 'onAvailability' | 'measure'> & Required<Pick<CardClientOptions, 'now'>>,
) {
  return createCardClient({
    baseUrl: config.cardApiUrl,
    token: config.cardApiToken,
    authScheme: config.cardApiAuthScheme,
    assumptions: config.cardApiAssumptions,
    timezone: config.serviceZone,
    // A gateway may quote the request, with its token.
    clean: redactText,
    ...more,
  });
}
