import type { Alert } from './alert.ts';
import type { Alerts } from './alert-store.ts';

/**
 * A repeated decline as its last try found the card: what was left of its limits and balance, and when they reset. The alert
 * is that of the first try, whose message, buttons and outcomes it keeps. The declines of a blocked card have no numbers.
 */
export async function atLastTry(alert: Alert, channel: string, alerts: Pick<Alerts, 'get'>): Promise<Alert> {
  if (alert.kind !== 'transaction' || alert.remedy?.kind === 'unblock') return alert;
  const newest = alert.newest?.[channel];
  const last = newest === undefined ? null : await alerts.get(newest);
  if (last?.kind !== 'transaction' || last.event.occurredAt !== alert.repeats[channel]?.lastAt) return alert;
  const { occurredAt, receivedAt, availableCents, ledgerCents, paddingCents } = last.event;
  const event = { ...alert.event, occurredAt, receivedAt, availableCents, ledgerCents, paddingCents };
  return { ...alert, event, remedy: last.remedy };
}
