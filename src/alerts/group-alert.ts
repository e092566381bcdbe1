import { type AggregationGroups, aggregationRule, blockedRule } from './aggregation-group-store.ts';
import type { Alert, TransactionAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { CardLifecycle, Threading } from './card-lifecycle.ts';
import type { CardOrders } from './card-order-store.ts';
import { type CardTesting, mayBeCardTesting } from './card-testing-store.ts';
import type { EventLog } from './event-log.ts';
import type { FraudCases } from './fraud-case-store.ts';
import type { Purchases } from './purchase-store.ts';

/** How an alert appears in one channel. */
export interface Grouping extends Threading {
  /** The alert whose message also shows this one; null when it gets its own message. */
  readonly shownBy: string | null;
  /** The card-testing warning of this alert, and whether this alert caused it. */
  readonly warning: { readonly warningId: string; readonly isCause: boolean } | null;
}

/**
 * Decides how an alert appears in a channel, and which messages change with it. Repeated calls give the same answer.
 *
 * @param channel null when it is posted nowhere: earlier messages still change.
 */
export type GroupAlert = (alert: Alert, channel: string | null) => Promise<Grouping>;

interface Deps {
  readonly aggregationGroups: Pick<AggregationGroups, 'join'>;
  readonly cardTesting: Pick<CardTesting, 'join'>;
  readonly purchases: Pick<Purchases, 'join' | 'joinStarted'>;
  readonly cardLifecycle: CardLifecycle;
  readonly cardOrders: Pick<CardOrders, 'blockThread'>;
  readonly fraudCases: Pick<FraudCases, 'openOf' | 'channels' | 'addChannel'>;
  readonly alerts: Pick<Alerts, 'setTimeline'>;
  readonly eventLog: Pick<EventLog, 'note'>;
}

const ownMessage: Grouping = { shownBy: null, threadId: null, broadcast: false, warning: null, changes: [] };

const ofBlocked = 'The card is blocked: declines that follow are counted in one message';
const ofRepeat = 'The same card, merchant, place, reason and amount: repeats are counted in one message';

/** While the account has an open fraud case, its thread collects declines, status changes and shipments. */
function isCollected({ kind, event }: Alert): boolean {
  return event.kind === 'decline'
    ? kind === 'transaction'
    : event.kind === 'card-status' || event.kind === 'card-shipping';
}

/** Groups related alerts: repeats into one message, the steps of a timeline into one thread. */
export function createGroupAlert(deps: Deps): GroupAlert {
  const { aggregationGroups, cardTesting, cardOrders, fraudCases, eventLog } = deps;
  const groupStep = createGroupStep(deps);

  return async function groupAlert(alert, channel) {
    if (channel === null) return await groupStep(alert, false);
    const { acctId } = alert.event;
    const [grouping, caseId] = await Promise.all([
      groupByKind(alert, channel),
      isCollected(alert) && acctId !== null ? fraudCases.openOf(acctId) : null,
    ]);
    if (caseId === null) return grouping;
    const channels = await fraudCases.channels(caseId);
    // An alert that arrives before the case is announced starts the thread, so it also shows in the channel.
    if (channels.length === 0) return { ...grouping, threadId: caseId, broadcast: true };
    return channels.includes(channel) ? { ...grouping, threadId: caseId } : grouping;
  };

  async function groupByKind(alert: Alert, channel: string): Promise<Grouping> {
    if (alert.kind === 'transaction' && alert.event.kind === 'decline') return await groupDecline(alert, channel);
    if (alert.kind !== 'fraud-case') return await groupStep(alert, true);
    const caseId = alert.joins ?? alert.event.id;
    await fraudCases.addChannel(caseId, channel);
    // The message about the block may have started the thread already. The case still shows in the channel.
    return { ...ownMessage, threadId: caseId, broadcast: true };
  }

  async function groupDecline(alert: TransactionAlert, channel: string): Promise<Grouping> {
    const { event } = alert;
    const isBlocked = alert.remedy?.kind === 'unblock';
    const note = (text: string): Promise<void> => eventLog.note(event.id, { step: 'grouped', channel, text });
    // The declines of a blocked card need no warning, because the card is already safe.
    const warning = !isBlocked && mayBeCardTesting(event) ? await cardTesting.join(channel, event, alert.card) : null;
    const block = isBlocked ? await cardOrders.blockThread(event.acctId) : null;
    const rule = isBlocked ? blockedRule(event, block) : aggregationRule(event);
    const leader = await aggregationGroups.join(channel, event, rule, alert.late);
    const isRepeat = leader !== event.id;
    const grouping = isRepeat ? { ...ownMessage, shownBy: leader, changes: [leader] } : ownMessage;
    if (isRepeat) await note(`${isBlocked ? ofBlocked : ofRepeat}, that of ${leader}.`);
    if (isBlocked) return { ...grouping, threadId: block };
    if (warning === null) return grouping;
    await note(`Several cards were declined at this merchant: it belongs to the warning ${warning.warningId}.`);
    // It keeps its own alert and buttons, but in the thread of the warning.
    return { ...grouping, threadId: warning.warningId, warning };
  }
}

/** Groups what has a state that all messages about it show, in any channel: a purchase, a card's way to its holder. */
function createGroupStep({ purchases, cardLifecycle, alerts }: Deps) {
  return async function groupStep(alert: Alert, isPosted: boolean): Promise<Grouping> {
    switch (alert.kind) {
      case 'transaction':
        return alert.event.kind === 'decline' ? ownMessage : await groupSpend(alert, isPosted);
      case 'card-status':
        return { ...ownMessage, ...(await cardLifecycle.status(alert)) };
      case 'card-shipping':
      case 'activation-reminder':
        return { ...ownMessage, ...(await cardLifecycle.shipping(alert)) };
      case 'fraud-case':
      case 'card-testing':
      case 'virtual-card':
        return ownMessage;
    }
  };

  /** The first message of a purchase shows its state. Later steps are quiet replies. */
  async function groupSpend({ event }: TransactionAlert, isPosted: boolean): Promise<Grouping> {
    const joined = await purchases[isPosted ? 'join' : 'joinStarted'](event, async ({ others, ...own }) => {
      for (const [id, timeline] of [[event.id, own] as const, ...others]) await alerts.setTimeline(id, timeline);
    });
    if (joined === null) return ownMessage;
    return { ...ownMessage, threadId: `purchase-${joined.leaderId}`, changes: [...joined.others.keys()] };
  }
}
