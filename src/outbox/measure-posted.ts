import type { Alerts } from '../alerts/alert-store.ts';
import { alertIdOf, type OutboxEntry } from './entry.ts';

interface Deps {
  readonly alerts: Pick<Alerts, 'get'>;
  /** Told how long after its webhook an alert of this kind was posted. */
  readonly alertPosted: (kind: string, durationMs: number) => void;
  readonly now: () => Date;
}

/**
 * Measures how long alerts took from the arrival of their webhook to a channel of the team.
 *
 * Not measured is what was to come later: alerts held for quiet hours, fetched after a gap, or about nothing that has
 * just arrived (a reminder). Repeats that only change a message are not posted, and not measured either.
 */
export function createMeasurePosted({ alerts, alertPosted, now }: Deps) {
  return async function measurePosted(entries: readonly OutboxEntry[]): Promise<void> {
    const at = now().getTime();
    for (const entry of entries) {
      const alertId = alertIdOf(entry);
      if (alertId === null || entry.kind !== 'tracked') continue;
      if (entry.late || entry.notBefore !== null || entry.audience !== 'team') continue;
      const alert = await alerts.get(alertId);
      if (alert === null || alert.kind === 'activation-reminder') continue;
      const { kind, event } = alert;
      alertPosted(kind === 'transaction' ? event.kind : kind, at - Date.parse(event.receivedAt));
    }
  };
}
