import { declineList } from '../../templates/alerts/decline-list.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuseUnclear } from '../actions/record-refusal.ts';
import { formatDuration, readDuration } from '../core/duration.ts';
import { CardApiError, PayloadError } from '../core/errors.ts';
import type { TransactionEvent } from '../core/event.ts';
import type { Resolved } from '../directory/resolve-card.ts';

const DEFAULT_MS = 7 * 24 * 3_600_000;
const ALERTS_MAX = 50;

/** `/card declines CARD [7d]`: what the card service says, and what came as webhooks; the same decline counts once. */
export async function listDeclines({ action, acctId, cardId }: Resolved, deps: ActionDeps): Promise<void> {
  const words = action.details === '' ? [] : action.details.replace(/^for /i, '').split(' ');
  const asked = words.length === 0 ? { ms: DEFAULT_MS, words: 0 } : readDuration(words);
  if (asked === null || asked.words < words.length) {
    const why = `“${action.details.slice(0, 40)}” is no time that I can look back.`;
    return await refuseUnclear(action, { why, usage: '/card declines CARD [7d]' }, deps, { acctId, cardId });
  }
  const to = deps.now();
  const from = new Date(to.getTime() - asked.ms);
  const [account, told, fetched] = await Promise.all([
    deps.directory.account(acctId),
    toldDeclines(acctId, deps),
    fetchedDeclines(acctId, { from, to }, deps),
  ]);
  const byId = new Map([...(fetched ?? []), ...told].map((event) => [event.id, event]));
  const declines = [...byId.values()]
    .filter(({ occurredAt }) => Date.parse(occurredAt) >= from.getTime())
    .toSorted((one, other) => other.occurredAt.localeCompare(one.occurredAt));
  const message = declineList({
    card: deps.toFacts(acctId, account, cardId === null ? {} : { cardId }),
    since: formatDuration(asked.ms),
    isComplete: fetched !== null,
    declines: declines.map(({ id, occurredAt, amountCents, merchant, decline }) => ({
      id,
      occurredAt,
      amountCents,
      merchant: merchant.name,
      code: decline?.code ?? '',
      message: decline?.message ?? '',
    })),
  });
  await deps.answer(action, message);
}

/** The newest that came as webhooks. */
async function toldDeclines(acctId: number, deps: ActionDeps): Promise<TransactionEvent[]> {
  const ids = await deps.history.recentAlerts(acctId, 'declines', ALERTS_MAX);
  const stored = await Promise.all(ids.map((id) => deps.alerts.get(id)));
  return stored.flatMap((one) => (one !== null && 'remedy' in one.alert ? [one.alert.event] : []));
}

/** All that the card service remembers. Null: it cannot be asked now. */
async function fetchedDeclines(
  acctId: number,
  window: { from: Date; to: Date },
  deps: ActionDeps,
): Promise<TransactionEvent[] | null> {
  try {
    const rows = await deps.card.listAccountNetworkTransactions(acctId, window);
    return rows.flatMap((row) => {
      const event = readable(row, deps);
      return event?.kind === 'decline' ? [event] : [];
    });
  } catch (error) {
    if (error instanceof CardApiError) return null;
    throw error;
  }
}

function readable(row: Record<string, unknown>, { routing }: ActionDeps): TransactionEvent | null {
  try {
    return routing.toMissed(row);
  } catch (error) {
    if (error instanceof PayloadError) return null;
    throw error;
  }
}
