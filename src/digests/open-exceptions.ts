import { blocksIn } from '../approvals/request.ts';
import type { Requests } from '../approvals/request-store.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { formatCents } from '../core/money.ts';
import { ruleMoves } from '../limits/rule-words.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';

/** What is not as the card's rules say for good, or waits for somebody. */
export interface OpenException {
  /** `temporary`: it ends by itself. `asking`: its time is over, and somebody has to decide. `request`: nobody has decided yet. */
  readonly kind: 'temporary' | 'asking' | 'request';
  readonly card: CardFacts;
  /** From what to what, raw. */
  readonly change: string;
  /** Slack user who asked for it. */
  readonly by: string;
  /** UTC ISO 8601. */
  readonly since: string;
  readonly endsAt: string;
}

interface Deps {
  readonly requests: Pick<Requests, 'open'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'all'>;
  readonly factsOf: (acctId: number) => Promise<CardFacts>;
}

/** Soonest end first. */
export async function openExceptions({ requests, temporaryChanges, factsOf }: Deps): Promise<OpenException[]> {
  const [changes, open] = await Promise.all([temporaryChanges.all(), requests.open()]);
  const temporary = changes.map(
    async ({ acctId, changes: made, by, openedAt, endsAt, state }): Promise<OpenException> => {
      const kind = state === 'open' ? 'temporary' : 'asking';
      return { kind, card: await factsOf(acctId), change: ruleMoves(made), by: by.userId, since: openedAt, endsAt };
    },
  );
  const waiting = open.map((request): OpenException => {
    const { card, changes: asked, orderCents, action, expiresAt } = request;
    const blocks = blocksIn(request).length;
    const ofCard = orderCents === null ? ruleMoves(asked) : `virtual card with ${formatCents(orderCents)}`;
    const change = blocks > 0 ? `block ${blocks} cards` : ofCard;
    return { kind: 'request', card, change, by: action.actor.userId, since: action.askedAt, endsAt: expiresAt };
  });
  return [...(await Promise.all(temporary)), ...waiting].toSorted((a, b) => a.endsAt.localeCompare(b.endsAt));
}
