import { contentId } from '../core/content-id.ts';

/**
 * Identity of an event, made from its content because the service sends none.
 *
 * The transport's ids (Request-Id) must stay out: each retry carries a new one.
 */
export function eventId(parts: readonly (string | number | null)[]): string {
  return contentId('evt_', parts);
}
