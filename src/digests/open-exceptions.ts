import { countOf } from '../../templates/core/blocks.ts';
import { withFunds } from '../../templates/virtual-cards/order.ts';
import type { FactsOf } from '../actions/action-tools.ts';
import { blocksIn, changesFromNow } from '../approvals/request.ts';
import { expiryOf } from '../approvals/request-expiry.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { ruleMoves } from '../limits/rule-words.ts';
import { undecided } from '../limits/temporary-change.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';

/** A deviation from the card's permanent rules, or a pending decision. */
export interface OpenException {
  /** `temporary`: ends automatically. `asking`: expired, and someone must decide. `request`: not decided yet. */
  readonly kind: 'temporary' | 'asking' | 'request';
  readonly card: CardFacts;
  /** The change from one value to another, unescaped. */
  readonly change: string;
  /** Slack user who requested it. */
  readonly by: string;
  /** UTC ISO 8601. */
  readonly since: string;
  readonly endsAt: string;
}

interface Deps {
  readonly requests: Pick<Requests, 'open'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly factsOf: FactsOf;
}

/** Soonest end first. */
export async function openExceptions({ requests, temporaryChanges, factsOf }: Deps): Promise<OpenException[]> {
  const [changes, open] = await Promise.all([temporaryChanges.all(), requests.open()]);
  // Nothing has shown the others. Their own messages say so.
  const seen = changes.filter(({ certainty }) => certainty !== 'unconfirmed');
  const temporary = seen.map(async (one): Promise<OpenException> => {
    const { acctId, by, openedAt, endsAt, state } = one;
    const kind = state === 'open' ? 'temporary' : 'asking';
    const change = ruleMoves(undecided(one));
    return { kind, card: await factsOf(acctId), change, by: by.userId, since: openedAt, endsAt };
  });
  const waiting = open.map((request): OpenException => {
    const { card, orderCents, action } = request;
    const blocks = blocksIn(request).length;
    const ofCard = orderCents === null ? ruleMoves(changesFromNow(request)) : `virtual card${withFunds(orderCents)}`;
    const change = blocks > 0 ? `block ${countOf(blocks, 'card')}` : ofCard;
    return {
      kind: 'request',
      card,
      change,
      by: action.actor.userId,
      since: action.askedAt,
      endsAt: expiryOf(request).at,
    };
  });
  return [...(await Promise.all(temporary)), ...waiting].toSorted((a, b) => a.endsAt.localeCompare(b.endsAt));
}
