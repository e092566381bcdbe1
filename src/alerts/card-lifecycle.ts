import { contentId } from '../core/content-id.ts';
import { type CardStatus, type CardStatusEvent, type TransactionEvent, whichCard } from '../core/event.ts';
import type { WithLock } from '../core/lock.ts';
import type { Log } from '../core/log.ts';
import { type DirectoryAccount, toCardFacts } from '../directory/account.ts';
import {
  ActivationReminder,
  type Alert,
  lastStep,
  type OrderProgress,
  type OrderStep,
  onlyChange,
  type ShippingAlert,
  type StatusAlert,
} from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { Announce } from './announce.ts';
import type { AwaitedActivation, CardOrders } from './card-order-store.ts';

/** A card that is not activated this long after it was shipped is lost, or its holder has forgotten it. */
export const ACTIVATION_OVERDUE_MS = 10 * 24 * 3_600_000;

/** Later events no longer belong to how the card reached its holder. */
const ORDER_TIMELINE_MS = 60 * 24 * 3_600_000;

/** The thread that an alert appears in, and what changes with it. */
export interface Threading {
  readonly threadId: string | null;
  /** True for a reply that also shows in the channel. */
  readonly broadcast: boolean;
  /** Alerts whose messages need an update. */
  readonly changes: readonly string[];
}

interface LifecycleDeps {
  readonly cardOrders: CardOrders;
  readonly alerts: Pick<Alerts, 'setProgress'>;
  readonly withLock: WithLock;
}

export type CardLifecycle = ReturnType<typeof createCardLifecycle>;

const stepOf: Readonly<Record<CardStatus, OrderStep | null>> = {
  INACTIVE: 'created',
  ACTIVE: 'activated',
  BLOCKED: null,
  CLOSED: 'closed',
};

const alone: Threading = { threadId: null, broadcast: false, changes: [] };

/**
 * A card's way to its holder is one thread (created, shipped, activated, first used), and its messages show the progress.
 *
 * Routine steps (created, activated) stay in the thread. Steps that people wait for or must act on also show in the
 * channel: shipped, blocked, unblocked, closed, and the reminder that the card is still not activated.
 */
export function createCardLifecycle({ cardOrders, alerts, withLock }: LifecycleDeps) {
  return {
    async status({ event, changes }: StatusAlert): Promise<Threading> {
      const change = onlyChange({ changes });
      if (change === null) return alone;
      const { status } = lastStep(change);
      const order = orderOf(event);
      const before = order === null ? null : await cardOrders.note(order, null, event.callbackAt, null);
      const isOpen = before !== null && isOrderOpen(before.progress, event.callbackAt);
      const isTimeline = order !== null && (status === 'INACTIVE' || isOpen);
      const blockThread = status === 'BLOCKED' ? `block-${event.id}` : null;
      const threadId = isTimeline ? threadOf(order) : blockThread;
      if (change.supersededBy === null) await noteBlockThread(event.acctId, status, threadId);
      if (!isTimeline) {
        // Noted even outside the timeline: an older step that arrives later must not count as the newest.
        if (order !== null) await cardOrders.note(order, stepOf[status], event.callbackAt, null);
        return { ...alone, threadId };
      }
      const isRoutine = status === 'INACTIVE' || (status === 'ACTIVE' && change.from !== 'BLOCKED');
      return { threadId, broadcast: !isRoutine, changes: await showStep(order, stepOf[status], event) };
    },

    async shipping({ kind, event }: ShippingAlert | ActivationReminder): Promise<Threading> {
      const { acctId, cardOrderId } = event;
      if (cardOrderId === null) return alone;
      const order = { acctId, cardOrderId };
      const changes = await showStep(order, kind === 'card-shipping' ? 'shipped' : null, event);
      if (kind === 'card-shipping') {
        const due = Date.parse(event.callbackAt) + ACTIVATION_OVERDUE_MS;
        await cardOrders.awaitActivation({ ...order, alertId: event.id }, due);
      }
      return { threadId: threadOf(order), broadcast: true, changes };
    },

    /** The first purchase with an activated card completes its order. @returns the alerts whose messages change. */
    async used({ acctId, requestedAt }: TransactionEvent): Promise<readonly string[]> {
      const activated = (await cardOrders.ofAccount(acctId)).flatMap(({ progress }) => {
        const { activated: since, used, cardOrderId } = progress;
        return since !== null && since <= requestedAt && (used === null || used > requestedAt)
          ? [{ cardOrderId, since }]
          : [];
      });
      const [newest] = activated.toSorted((a, b) => b.since.localeCompare(a.since));
      if (newest === undefined) return [];
      return await showStep({ acctId, ...newest }, 'used', { id: null, callbackAt: requestedAt });
    },
  };

  /**
   * Notes a step and stores the progress in every alert of the order. One step at a time, so that no alert keeps an older
   * progress.
   *
   * @param event the alert of the step, if it has one. @returns the other alerts, whose messages need an update.
   */
  async function showStep(
    order: OrderId,
    step: OrderStep | null,
    { id: ownId, callbackAt }: { readonly id: string | null; readonly callbackAt: string },
  ): Promise<string[]> {
    return await withLock(`account:${order.acctId}:orders`, async ({ confirm }) => {
      const { progress, alertIds } = await cardOrders.note(order, step, callbackAt, ownId);
      await confirm();
      for (const id of alertIds) await alerts.setProgress(id, progress);
      return alertIds.filter((id) => id !== ownId);
    });
  }

  /** Declines caused by a block are shown in the thread of the block's message. */
  async function noteBlockThread(acctId: number, status: CardStatus, threadId: string | null): Promise<void> {
    if (status === 'BLOCKED') await cardOrders.setBlockThread(acctId, threadId);
    if (status === 'ACTIVE' || status === 'CLOSED') await cardOrders.setBlockThread(acctId, null);
  }
}

interface OrderId {
  readonly acctId: number;
  readonly cardOrderId: number;
}

/**
 * The order that a message about a card belongs to, when it is about one card of one account. An order of forty cards gets
 * forty threads, because people follow a person's card, not an order form.
 */
function orderOf({ acctId, cards }: CardStatusEvent): OrderId | null {
  const cardOrderId = cards.length === 1 ? (cards[0]?.cardOrderId ?? null) : null;
  return cardOrderId === null ? null : { acctId, cardOrderId };
}

function threadOf({ acctId, cardOrderId }: OrderId): string {
  return `order-${acctId}-${cardOrderId}`;
}

/** True while news about the card still belongs to how it reached its holder. */
function isOrderOpen({ created, shipped, closed, used }: OrderProgress, at: string): boolean {
  const [begun] = [created, shipped].filter((time) => time !== null).toSorted((a, b) => a.localeCompare(b));
  if (begun === undefined || (closed !== null && closed < at) || (used !== null && used < at)) return false;
  return Date.parse(at) - Date.parse(begun) <= ORDER_TIMELINE_MS;
}

/** Reminders in one run; the rest follow in the next. */
const REMINDERS_MAX = 50;

interface ReminderDeps {
  readonly cardOrders: Pick<CardOrders, 'ofAccount' | 'overdue' | 'forget' | 'postpone'>;
  readonly alerts: Pick<Alerts, 'get'>;
  /** The account straight from the card API; null when the API does not answer. */
  readonly reload: (acctId: number) => Promise<DirectoryAccount | null>;
  readonly announce: Announce;
  readonly now: () => Date;
  readonly log: Log;
}

/**
 * Reminds once about each card that is still not activated long after it was shipped. Reads the card API first, so a card
 * that was activated, closed or replaced in the meantime is skipped.
 *
 * After a crash the reminder is repeated under the same id, which adds nothing. When the card API does not answer, the card
 * goes to the end of the queue for a later run.
 */
export async function remindOfActivation(deps: ReminderDeps): Promise<void> {
  const nowMs = deps.now().getTime();
  for (const awaited of await deps.cardOrders.overdue(nowMs, REMINDERS_MAX)) {
    const reminder = await reminderFor(awaited, deps);
    if (reminder === 'unknown') {
      await deps.cardOrders.postpone(awaited, nowMs);
      continue;
    }
    if (reminder !== 'none') await deps.announce(reminder);
    await deps.cardOrders.forget(awaited);
  }
}

/** `unknown`: the card API gave no answer. `none`: no reminder is needed. */
async function reminderFor(awaited: AwaitedActivation, deps: ReminderDeps): Promise<Alert | 'none' | 'unknown'> {
  const { acctId, cardOrderId, alertId } = awaited;
  const orders = await deps.cardOrders.ofAccount(acctId);
  const own = orders.find(({ progress }) => progress.cardOrderId === cardOrderId)?.progress;
  if (own === undefined || own.activated !== null || own.used !== null || own.closed !== null) return 'none';
  // A later order of the same account replaces this one.
  if (orders.some(({ progress }) => (progress.shipped ?? '') > (own.shipped ?? ''))) return 'none';
  const shipped = await deps.alerts.get(alertId);
  if (shipped?.kind !== 'card-shipping') return 'none';

  const account = await deps.reload(acctId);
  if (account === null) {
    deps.log.warn({ acctId }, 'the card API did not answer whether a card was activated; will ask again later');
    return 'unknown';
  }
  const { event } = shipped;
  const card = toCardFacts(acctId, account, whichCard(event));
  const isReplaced = account.cards.some(({ cardId }) => (cardId ?? 0) > (card.cardId ?? 0));
  if (card.status !== 'INACTIVE' || isReplaced) return 'none';
  const id = contentId('evt_', ['reminder', event.id]);
  return ActivationReminder.parse({
    ...shipped,
    kind: 'activation-reminder',
    event: { ...event, id },
    card,
    outcomes: [],
  });
}
