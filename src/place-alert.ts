import type { Alert, TransactionAlert } from './alert/alert.ts';
import { mayBeCardTesting } from './alert/card-testing.ts';
import { blockedRule, episodeRule } from './alert/episode.ts';
import type { CardTesting } from './store/card-testing.ts';
import type { Episodes } from './store/episodes.ts';
import type { Trail } from './store/trail.ts';

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
}

/** Decides how an alert appears in a channel. The same answer however often it is asked. */
export type PlaceAlert = (alert: Alert, channel: string) => Promise<Placement>;

interface Deps {
  readonly episodes: Episodes;
  readonly cardTesting: CardTesting;
  readonly trail: Pick<Trail, 'note'>;
}

const ownMessage: Placement = { toldBy: null, threadId: null, broadcast: false, warning: null };

/** Groups what belongs together: repeats into one message, steps of a story into one thread. */
export function createPlaceAlert({ episodes, cardTesting, trail }: Deps): PlaceAlert {
  return async function placeAlert(alert, channel) {
    if ('remedy' in alert && alert.event.kind === 'decline') return await placeDecline(alert, channel);
    return ownMessage;
  };

  async function placeDecline(alert: TransactionAlert, channel: string): Promise<Placement> {
    const { event } = alert;
    // What a block stops needs no second warning.
    if (alert.remedy?.kind === 'unblock') {
      const leader = await episodes.join(channel, event, blockedRule(event));
      return await repeated(leader, 'The card is blocked: declines that follow are counted in one message');
    }
    const warning = mayBeCardTesting(event) ? await cardTesting.join(channel, event, alert.card) : null;
    const leader = await episodes.join(channel, event, episodeRule(event));
    const placement = await repeated(leader, 'The same card, merchant and reason: repeats are counted in one message');
    if (warning === null) return placement;
    const text = `Several cards were declined at this merchant: it belongs to the warning ${warning.warningId}.`;
    await trail.note(event.id, { step: 'grouped', channel, text });
    // Each stays an alert with its own controls, out of everybody's way: in the warning's thread.
    return { ...placement, threadId: warning.warningId, warning };

    async function repeated(leader: string, why: string): Promise<Placement> {
      if (leader === event.id) return ownMessage;
      await trail.note(event.id, { step: 'grouped', channel, text: `${why}, that of ${leader}.` });
      return { ...ownMessage, toldBy: leader };
    }
  }
}
