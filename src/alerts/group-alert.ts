import type { Episodes } from './aggregation-group-store.ts';
import { blockedRule, episodeRule } from './aggregation-rule.ts';
import type { Alert, TransactionAlert } from './alert.ts';
import type { Alerts } from './alert-store.ts';
import type { createCardNews } from './card-lifecycle.ts';
import type { CardOrders } from './card-order-store.ts';
import { mayBeCardTesting } from './card-testing-rule.ts';
import type { CardTesting } from './card-testing-store.ts';
import type { Trail } from './event-log.ts';
import type { Purchases } from './purchase-store.ts';

/** How an alert appears in one channel. */
export interface Placement {
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
export type PlaceAlert = (alert: Alert, channel: string) => Promise<Placement>;

interface Deps {
  readonly episodes: Episodes;
  readonly cardTesting: CardTesting;
  readonly purchases: Purchases;
  readonly cardNews: ReturnType<typeof createCardNews>;
  readonly cardOrders: Pick<CardOrders, 'blockThread'>;
  readonly alerts: Pick<Alerts, 'setStory'>;
  readonly trail: Pick<Trail, 'note'>;
}

const ownMessage: Placement = { toldBy: null, threadId: null, broadcast: false, warning: null, changes: [] };

/** Groups what belongs together: repeats into one message, steps of a story into one thread. */
export function createPlaceAlert(deps: Deps): PlaceAlert {
  const { episodes, cardTesting, purchases, cardNews, cardOrders, alerts, trail } = deps;

  return async function placeAlert(alert, channel) {
    if ('changes' in alert) return { ...ownMessage, ...(await cardNews.status(alert)) };
    if ('isReminder' in alert) return { ...ownMessage, ...(await cardNews.shipping(alert)) };
    if (!('remedy' in alert)) return ownMessage;
    return alert.event.kind === 'decline' ? await placeDecline(alert, channel) : await placeSpend(alert);
  };

  async function placeDecline(alert: TransactionAlert, channel: string): Promise<Placement> {
    const { event } = alert;
    // What a block stops needs no second warning.
    const mayWarn = !isBlocked(alert) && mayBeCardTesting(event);
    const warning = mayWarn ? await cardTesting.join(channel, event, alert.card) : null;
    const leader = await episodes.join(channel, event, ruleOf(alert), alert.late);
    const placement = leader === event.id ? ownMessage : { ...ownMessage, toldBy: leader, changes: [leader] };
    if (leader !== event.id) {
      const why = isBlocked(alert)
        ? 'The card is blocked: declines that follow are counted in one message'
        : 'The same card, merchant and reason: repeats are counted in one message';
      await trail.note(event.id, { step: 'grouped', channel, text: `${why}, that of ${leader}.` });
    }
    if (isBlocked(alert)) return { ...placement, threadId: await cardOrders.blockThread(event.acctId) };
    if (warning === null) return placement;
    const text = `Several cards were declined at this merchant: it belongs to the warning ${warning.warningId}.`;
    await trail.note(event.id, { step: 'grouped', channel, text });
    // Each stays an alert with its own controls, out of everybody's way: in the warning's thread.
    return { ...placement, threadId: warning.warningId, warning };
  }

  /** Money that moved is quiet: the first message of a purchase says where it stands, the steps answer it. */
  async function placeSpend({ event }: TransactionAlert): Promise<Placement> {
    const story = await purchases.join(event);
    await alerts.setStory(event.id, story);
    const threadId = `purchase-${story.leaderId}`;
    if (story.leaderId === event.id) return { ...ownMessage, threadId };
    await alerts.setStory(story.leaderId, story);
    return { ...ownMessage, threadId, changes: [story.leaderId] };
  }
}

function isBlocked({ remedy }: TransactionAlert): boolean {
  return remedy?.kind === 'unblock';
}

function ruleOf(alert: TransactionAlert) {
  return isBlocked(alert) ? blockedRule(alert.event) : episodeRule(alert.event);
}
