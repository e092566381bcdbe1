import type { CardStatus, TransactionEvent } from '../core/event.ts';
import type { ActivationReminder, ShippingAlert, StatusAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import { isOrderOpen, NUDGE_AFTER_MS, type OrderStep, orderOf, orderThread } from './card-order.ts';
import type { CardOrder, CardOrders } from './card-order-store.ts';

/** Where news of a card stands, and whose messages change with it. */
export interface CardGrouping {
  readonly threadId: string | null;
  readonly broadcast: boolean;
  readonly changes: readonly string[];
}

interface Deps {
  readonly cardOrders: CardOrders;
  readonly alerts: Pick<Alerts, 'setProgress'>;
}

const stepOf: Readonly<Record<CardStatus, OrderStep | null>> = {
  INACTIVE: 'created',
  ACTIVE: 'activated',
  BLOCKED: null,
  CLOSED: 'closed',
};

/**
 * A card's way to its holder is one thread: created, shipped, activated, first use. Its messages say how far it has come.
 *
 * The thread whispers what is a matter of course (created, activated). What people wait for or must act on shows in the
 * channel as well: shipped, blocked, unblocked, closed, and the reminder that nobody has activated it.
 */
export function createCardLifecycle({ cardOrders, alerts }: Deps) {
  return {
    async status(alert: StatusAlert): Promise<CardGrouping> {
      const { event, changes } = alert;
      const [change] = changes;
      const status = change?.steps.at(-1)?.status;
      const cardOrderId = orderOf(event);
      if (changes.length !== 1 || status === undefined || cardOrderId === null) return alone;
      const order = { acctId: event.acctId, cardOrderId };
      const before = await cardOrders.note(order, null, event.callbackAt, null);
      const isTimeline = status === 'INACTIVE' || isOrderOpen(before.progress, event.callbackAt);
      // Also where it begins no thread: an older step may arrive late, and then must not be taken for the newest.
      const after = await cardOrders.note(order, stepOf[status], event.callbackAt, isTimeline ? event.id : null);
      const threadId = isTimeline ? orderThread(event.acctId, cardOrderId) : null;
      if (change?.supersededBy === null) await rememberBlock(event.acctId, status, threadId ?? `block-${event.id}`);
      if (threadId === null) return { ...alone, threadId: status === 'BLOCKED' ? `block-${event.id}` : null };
      const isMatterOfCourse = status === 'INACTIVE' || (status === 'ACTIVE' && change?.from !== 'BLOCKED');
      return { threadId, broadcast: !isMatterOfCourse, changes: await show(after, event.id) };
    },

    async shipping(alert: ShippingAlert | ActivationReminder): Promise<CardGrouping> {
      const { event } = alert;
      if (event.cardOrderId === null) return alone;
      const order = { acctId: event.acctId, cardOrderId: event.cardOrderId };
      const threadId = orderThread(event.acctId, event.cardOrderId);
      const isReminder = alert.kind === 'activation-reminder';
      const step = isReminder ? null : 'shipped';
      const after = await cardOrders.note(order, step, event.callbackAt, event.id);
      if (!isReminder) {
        const due = Date.parse(event.callbackAt) + NUDGE_AFTER_MS;
        await cardOrders.awaitActivation({ ...order, alertId: event.id }, due);
      }
      return { threadId, broadcast: true, changes: await show(after, event.id) };
    },

    /** The first purchase with a card that was activated ends its story. @returns alerts whose messages change. */
    async used({ acctId, requestedAt }: TransactionEvent): Promise<readonly string[]> {
      const activated = (await cardOrders.ofAccount(acctId)).flatMap(({ progress }) => {
        const { activated: since, used, cardOrderId } = progress;
        return since !== null && since <= requestedAt && (used === null || used > requestedAt)
          ? [{ cardOrderId, since }]
          : [];
      });
      const [newest] = activated.toSorted((a, b) => b.since.localeCompare(a.since));
      if (newest === undefined) return [];
      return await show(await cardOrders.note({ acctId, ...newest }, 'used', requestedAt, null), null);
    },
  };

  /** Every message of the story says how far it has come. @returns the others, which must be brought up to date. */
  async function show({ progress, alertIds }: CardOrder, ownId: string | null): Promise<string[]> {
    for (const id of alertIds) await alerts.setProgress(id, progress);
    return alertIds.filter((id) => id !== ownId);
  }

  /** Declines that follow from a block answer the message that told of it. */
  async function rememberBlock(acctId: number, status: CardStatus, threadId: string): Promise<void> {
    if (status === 'BLOCKED') await cardOrders.setBlockThread(acctId, threadId);
    if (status === 'ACTIVE' || status === 'CLOSED') await cardOrders.setBlockThread(acctId, null);
  }
}

const alone: CardGrouping = { threadId: null, broadcast: false, changes: [] };
