import type { z } from 'zod';
import type { Alert } from '../alerts/alert.ts';
import type { OutboxEntry } from '../outbox/entry.ts';
import { urgencyOf } from '../outbox/priority.ts';
import type { Links } from './link-store.ts';

interface Deps {
  readonly links: Pick<Links, 'ofAccount'>;
  readonly notifyPerson: (userId: string, entry: z.input<typeof OutboxEntry>) => Promise<void>;
}

/**
 * Tells the holder of an alert's card, where one is linked. A job of its own does it, so that nothing that goes wrong on
 * the way to one person holds back an alert of the team. Safe to repeat.
 */
export function createNotifyHolder({ links, notifyPerson }: Deps): (alert: Alert) => Promise<void> {
  return async function notifyHolder(alert) {
    const { id, acctId } = alert.event;
    if (acctId === null || !isForHolders(alert)) return;
    const link = await links.ofAccount(acctId);
    if (link === null || isOwnDoing(alert, link.userId)) return;
    await notifyPerson(link.userId, {
      kind: 'alert',
      id: `${id}-holder`,
      alertId: id,
      audience: 'holder',
      urgency: urgencyOf(alert.event),
      late: alert.late,
    });
  };
}

/** Money that moved as it should is no news to who spent it. */
function isForHolders({ event }: Alert): boolean {
  return ['decline', 'card-status', 'card-shipping', 'virtual-card'].includes(event.kind);
}

/** Who blocked the own card has read so already, where the button was. */
function isOwnDoing(alert: Alert, userId: string): boolean {
  return 'changes' in alert && alert.changes.every(({ causedBy }) => causedBy === userId);
}
