import type { Alert, TransactionAlert } from './alert/alert.ts';
import { blockedRule, episodeRule } from './alert/episode.ts';
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
}

/** Decides how an alert appears in a channel. The same answer however often it is asked. */
export type PlaceAlert = (alert: Alert, channel: string) => Promise<Placement>;

interface Deps {
  readonly episodes: Episodes;
  readonly trail: Pick<Trail, 'note'>;
}

const ownMessage: Placement = { toldBy: null, threadId: null, broadcast: false };

/** Groups what belongs together: repeats into one message, steps of a story into one thread. */
export function createPlaceAlert({ episodes, trail }: Deps): PlaceAlert {
  return async function placeAlert(alert, channel) {
    if ('remedy' in alert && alert.event.kind === 'decline') return await placeDecline(alert, channel);
    return ownMessage;
  };

  async function placeDecline({ event, remedy }: TransactionAlert, channel: string): Promise<Placement> {
    const isBlocked = remedy?.kind === 'unblock';
    const leader = await episodes.join(channel, event, isBlocked ? blockedRule(event) : episodeRule(event));
    if (leader === event.id) return ownMessage;
    const why = isBlocked
      ? 'The card is blocked: declines that follow from the block are counted in one message'
      : 'The same card, merchant and reason: repeats are counted in one message';
    await trail.note(event.id, { step: 'grouped', channel, text: `${why}, that of ${leader}.` });
    return { ...ownMessage, toldBy: leader };
  }
}
