import type { Alerts } from '../alerts/alert-store.ts';
import { isSuspectedFraud } from '../alerts/suspected-fraud.ts';
import type { QuietHoursStore } from './channel-rules-store.ts';
import { quietFor } from './decide.ts';

interface Deps {
  readonly quietHours: Pick<QuietHoursStore, 'get'>;
  readonly alerts: Pick<Alerts, 'get'>;
  readonly now: () => Date;
}

/** Until when (ms) the present quiet hours of a channel hold an alert that is posted again; null: not at all. */
export function createHeldUntil({ quietHours, alerts, now }: Deps) {
  return async function heldUntil(channel: string, alertId: string): Promise<number | null> {
    const hours = await quietHours.get(channel);
    const alert = hours === null ? null : await alerts.get(alertId);
    if (hours === null || alert === null) return null;
    // In a direct conversation: the holder is the one who can tell whether it is fraud.
    if (channel.startsWith('D') && isSuspectedFraud(alert.event)) return null;
    const quiet = quietFor(alert, channel, { quiet: new Map([[channel, hours]]) }, now().getTime());
    return quiet === null || quiet.isExempt ? null : quiet.until;
  };
}
