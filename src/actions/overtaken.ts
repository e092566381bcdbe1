import type { CardStatus, StatusRecord } from '../core/event.ts';
import type { Resolved } from './action.ts';
import type { LatestChanges } from './progress-store.ts';
import { countsAgainst, type StatusVerb, wantedStatus } from './send-status.ts';

/** What to say of an action that waited while somebody asked for something else, which was done first. */
export function overtaken(what: string): string {
  return `Somebody asked for another change of the ${what} after you did, so I did not make yours. Look at the card, and ask again if you still want it.`;
}

const changedOutside =
  'The card’s status was changed outside Slack after you asked, so I left it as it is. Look at the card, and ask again if you still want it.';

/**
 * Why the status of a card is not for an action to change, of which nothing was sent yet: what was decided later stands
 * already. Null: nothing speaks against it.
 */
export type WhyOvertaken = (verb: StatusVerb, resolved: Resolved) => Promise<string | null>;

interface Deps {
  readonly latestChanges: Pick<LatestChanges, 'isOvertaken'>;
  readonly history: {
    /** What the card service told of a card's status, oldest first. */
    statuses(cardId: number): Promise<readonly StatusRecord[]>;
    /** Whether an action of ours made, or will have made, the change that an event tells of. */
    isExpected(acctId: number, status: CardStatus, eventId: string): Promise<boolean>;
  };
}

export function createWhyOvertaken({ latestChanges, history }: Deps): WhyOvertaken {
  return async function whyOvertaken(verb, { action, acctId, cardId }) {
    const expects = { kind: 'status', status: wantedStatus[verb], cardId } as const;
    if (await latestChanges.isOvertaken(acctId, expects, action, countsAgainst(verb)))
      return overtaken('card’s status');
    const told = cardId === null ? [] : await history.statuses(cardId);
    const last = told.at(-1);
    if (last === undefined || !wouldUndo(verb, told)) return null;
    // By the service's clock and by ours: neither of them alone is to be trusted.
    const isLater = last.callbackAt > action.askedAt && last.receivedAt > action.askedAt;
    return isLater && !(await history.isExpected(acctId, last.status, last.eventId)) ? changedOutside : null;
  };
}

/** Whether the verb would take back what was told of the card last: {@link countsAgainst} of what was done outside. */
function wouldUndo(verb: StatusVerb, told: readonly StatusRecord[]): boolean {
  const [before, last] = [told.at(-2)?.status, told.at(-1)?.status];
  return verb === 'block' ? before === 'BLOCKED' && last === 'ACTIVE' : last === 'BLOCKED';
}
