import { declineList } from '../../templates/alerts/decline-list.ts';
import type { Action, Resolved } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { CardFacts } from '../core/card-facts.ts';
import { formatDuration, readDuration } from '../core/duration.ts';
import type { ReadTransactions } from './read-transactions.ts';
import { type RecentDeclines, shownDecline } from './show-card.ts';

const DEFAULT_MS = 7 * 24 * 3_600_000;
const ALERTS_MAX = 50;

interface Deps {
  readonly readTransactions: ReadTransactions;
  readonly recentDeclines: RecentDeclines;
  readonly factsOf: (acctId: number, cardId: number | null) => Promise<CardFacts>;
  readonly reply: Pick<ActionTools, 'answer' | 'refuseUnclear'>;
  readonly now: () => Date;
}

/** `/card declines CARD [7d]`: what the card service says, and what came as webhooks; the same decline counts once. */
export function createListDeclines({ readTransactions, recentDeclines, factsOf, reply, now }: Deps) {
  return async function listDeclines({
    action,
    acctId,
    cardId,
  }: Resolved<Action & { readonly details: string; readonly page: number }>): Promise<void> {
    const words = action.details === '' ? [] : action.details.replace(/^((for|the|last|past) )+/i, '').split(' ');
    const asked = words.length === 0 ? { ms: DEFAULT_MS, words: 0 } : readDuration(words);
    if (asked === null || asked.words < words.length) {
      const why = `“${action.details.slice(0, 40)}” is not a time I can look back. Write “7d” or “2 weeks”.`;
      return await reply.refuseUnclear(action, { why, usage: 'declines CARD [7d]' }, { acctId, cardId });
    }
    const to = now();
    const from = new Date(to.getTime() - asked.ms);
    const [facts, received, fetched] = await Promise.all([
      factsOf(acctId, cardId),
      recentDeclines(acctId, ALERTS_MAX),
      readTransactions(acctId, { from, to }),
    ]);
    const byId = new Map(
      [...(fetched ?? []).filter(({ kind }) => kind === 'decline'), ...received].map((event) => [event.id, event]),
    );
    const declines = [...byId.values()]
      .filter(({ occurredAt }) => Date.parse(occurredAt) >= from.getTime())
      .toSorted((a, b) => b.occurredAt.localeCompare(a.occurredAt));
    const message = declineList({
      card: facts,
      since: formatDuration(asked.ms),
      isComplete: fetched !== null,
      page: action.page,
      again: [facts.last4 ?? String(acctId), ...words].join(' '),
      declines: declines.map((event) => ({ id: event.id, ...shownDecline(event) })),
    });
    await reply.answer(action, message);
  };
}
