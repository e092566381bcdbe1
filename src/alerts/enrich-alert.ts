import type { PurchaseCheck } from '../actions/deps.ts';
import type { TransactionEvent } from '../core/event.ts';
import { isIncomplete } from '../limits/remedy-change.ts';
import type { Remedy } from './alert.ts';
import type { Alerts } from './alert-store.ts';

/** The card API was slow or away: it is asked again this much later. */
export const ENRICH_AFTER_MS = 2000;
const ENRICH_AGAIN_MS = 15_000;

interface Deps {
  readonly alerts: Pick<Alerts, 'get' | 'save'>;
  /** What stopped a purchase, read with more patience than an alert has. */
  readonly checkPurchase: (event: TransactionEvent) => Promise<PurchaseCheck>;
  readonly updateMessages: (alertId: string) => Promise<void>;
}

/** True when an alert about a limit went out without its numbers, because the card API did not say in time. */
export function lacksNumbers({ decline }: TransactionEvent, remedy: Remedy | null): boolean {
  const isAboutLimit = decline?.code.trim().toLowerCase().startsWith('decline.rule.velocity') ?? false;
  return isAboutLimit && (remedy === null || isIncomplete(remedy));
}

/**
 * Adds the numbers to an alert that went out without them, once: the message that stands is edited.
 *
 * @returns milliseconds after which to look once more, or null when it is done.
 */
export async function enrichAlert(alertId: string, hasWaited: boolean, deps: Deps): Promise<number | null> {
  const stored = await deps.alerts.get(alertId);
  if (stored?.alert.kind !== 'transaction') return null;
  const { event, remedy } = stored.alert;
  if (!lacksNumbers(event, remedy)) return null;
  const check = await deps.checkPurchase(event);
  if (check.state !== 'stopped' || lacksNumbers(event, check.remedy)) {
    return check.state === 'passes' || hasWaited ? null : ENRICH_AGAIN_MS;
  }
  await deps.alerts.save({ ...stored.alert, remedy: check.remedy });
  await deps.updateMessages(alertId);
  return null;
}
