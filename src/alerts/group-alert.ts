import type { AggregationGroups } from './aggregation-group-store.ts';
import { aggregationRule, blockedRule } from './aggregation-rule.ts';
import type { Alert, TransactionAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { createCardLifecycle } from './card-lifecycle.ts';
import type { CardOrders } from './card-order-store.ts';
import { mayBeCardTesting } from './card-testing-rule.ts';
import type { CardTesting } from './card-testing-store.ts';
import type { EventLog } from './event-log.ts';
import type { Purchases } from './purchase-store.ts';

/** How an alert appears in one channel. */
export interface Grouping {
  /** The alert whose message tells it as well; null where it gets a message of its own. */
  readonly toldBy: string | null;
  /** The thread that its message belongs to. */
  readonly threadId: string | null;
  /** A reply that everybody in the channel must see. */
  readonly broadcast: boolean;
  /** The card-testing warning that it belongs to, and whether it brought that about. */
  readonly warning: { readonly warningId: string; readonly isCause: boolean } | null;
  /** Alerts whose messages say something else from now on. */
  readonly changes: readonly string[];
}

/** Decides how an alert appears in a channel. The same answer however often it is asked. */
export type GroupAlert = (alert: Alert, channel: string) => Promise<Grouping>;

interface Deps {
  readonly aggregationGroups: AggregationGroups;
  readonly cardTesting: CardTesting;
  readonly purchases: Purchases;
  readonly cardLifecycle: ReturnType<typeof createCardLifecycle>;
  readonly cardOrders: Pick<CardOrders, 'blockThread'>;
  readonly alerts: Pick<Alerts, 'setTimeline'>;
  readonly eventLog: Pick<EventLog, 'note'>;
}

const ownMessage: Grouping = { toldBy: null, threadId: null, broadcast: false, warning: null, changes: [] };

/** Groups what belongs together: repeats into one message, steps of a story into one thread. */
export function createGroupAlert(deps: Deps): GroupAlert {
  const { aggregationGroups, cardTesting, purchases, cardLifecycle, cardOrders, alerts, eventLog } = deps;

  return async function groupAlert(alert, channel) {
    switch (alert.kind) {
      case 'transaction':
        return alert.event.kind === 'decline' ? await groupDecline(alert, channel) : await groupSpend(alert);
      case 'card-status':
        return { ...ownMessage, ...(await cardLifecycle.status(alert)) };
      case 'card-shipping':
      case 'activation-reminder':
        return { ...ownMessage, ...(await cardLifecycle.shipping(alert)) };
      case 'card-testing':
      case 'virtual-card':
        return ownMessage;
    }
  };

  async function groupDecline(alert: TransactionAlert, channel: string): Promise<Grouping> {
    const { event } = alert;
    // What a block stops needs no second warning.
    const mayWarn = !isBlocked(alert) && mayBeCardTesting(event);
    const warning = mayWarn ? await cardTesting.join(channel, event, alert.card) : null;
    const leader = await aggregationGroups.join(channel, event, ruleOf(alert), alert.late);
    const grouping = leader === event.id ? ownMessage : { ...ownMessage, toldBy: leader, changes: [leader] };
    if (leader !== event.id) {
      const why = isBlocked(alert)
        ? 'The card is blocked: declines that follow are counted in one message'
        : 'The same card, merchant and reason: repeats are counted in one message';
      await eventLog.note(event.id, { step: 'grouped', channel, text: `${why}, that of ${leader}.` });
    }
    if (isBlocked(alert)) return { ...grouping, threadId: await cardOrders.blockThread(event.acctId) };
    if (warning === null) return grouping;
    const text = `Several cards were declined at this merchant: it belongs to the warning ${warning.warningId}.`;
    await eventLog.note(event.id, { step: 'grouped', channel, text });
    // Each stays an alert with its own controls, out of everybody's way: in the warning's thread.
    return { ...grouping, threadId: warning.warningId, warning };
  }

  /** Money that moved is quiet: the first message of a purchase says where it stands, the steps answer it. */
  async function groupSpend({ event }: TransactionAlert): Promise<Grouping> {
    const timeline = await purchases.join(event);
    await alerts.setTimeline(event.id, timeline);
    const threadId = `purchase-${timeline.leaderId}`;
    if (timeline.leaderId === event.id) return { ...ownMessage, threadId };
    await alerts.setTimeline(timeline.leaderId, timeline);
    return { ...ownMessage, threadId, changes: [timeline.leaderId] };
  }
}

function isBlocked({ remedy }: TransactionAlert): boolean {
  return remedy?.kind === 'unblock';
}

function ruleOf(alert: TransactionAlert) {
  return isBlocked(alert) ? blockedRule(alert.event) : aggregationRule(alert.event);
}
