import type { TransactionEvent } from '../core/event.ts';
import type { Alerts } from './alert-store.ts';
import type { Advice } from './deliver-alert.ts';

/** The card API was slow or away: it is asked again this much later. */
export const ENRICH_AFTER_MS = 2000;
const ENRICH_AGAIN_MS = 15_000;

interface Deps {
  readonly alerts: Pick<Alerts, 'get' | 'save'>;
  /** Asks the card API with more time than an alert has. */
  readonly adviceFor: (event: TransactionEvent) => Promise<Advice>;
  readonly updateMessages: (alertId: string) => Promise<void>;
}

/**
 * Adds the numbers to an alert that went out without them, once: its messages are updated.
 *
 * @returns milliseconds after which to ask once more, or null when it is done.
 */
export async function enrichAlert(alertId: string, hasWaited: boolean, deps: Deps): Promise<number | null> {
  const alert = await deps.alerts.get(alertId);
  if (alert?.kind !== 'transaction') return null;
  const { remedy, isIncomplete } = await deps.adviceFor(alert.event);
  if (isIncomplete) return hasWaited ? null : ENRICH_AGAIN_MS;
  if (remedy === null) return null;
  await deps.alerts.save({ ...alert, remedy });
  await deps.updateMessages(alertId);
  return null;
}
