import { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { QUEUE_PREFIX, stateKey } from '../../src/core/keys.ts';
import { createLinks } from '../../src/holders/link-store.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { alterRecord } from '../support/alter-record.ts';
import { people } from '../support/people.ts';
import { until } from '../support/until.ts';
import type { ChaosCluster } from './cluster.ts';
import { type ChaosEvent, markPattern } from './events.ts';

/** Which card is for what, so that each write can be told from every other. */
export interface Cards {
  /** Blocked and unblocked. */
  readonly status: readonly number[];
  readonly limit: readonly number[];
  /** Their limit is raised for a time, and goes back to {@link BASE}. */
  readonly temporary: readonly number[];
  /** Hugo's, who asks for more. */
  readonly linked: readonly number[];
  /** Changed in the portal as well. */
  readonly portal: number;
  /** The card of an alert about one event that may be acted on; null: another. */
  ofAlert(message: StoredMessage): number | null;
  /** A card without temporary change that has waited long enough for its last click to be done. */
  free(): number | undefined;
}

export const BASE = 200;
const APART_MS = 4000;

/** Shares the sandbox's plain cards out, and links those of Hugo. */
export async function dealCards(
  { sandbox, store }: Pick<ChaosCluster, 'sandbox' | 'store'>,
  sent: readonly ChaosEvent[],
): Promise<Cards> {
  const plain = sandbox.accounts().filter(({ CardList, SpendingRulesetId, IsVirtual, SpendRules }) => {
    const { WeeklySpendLimit, MonthlySpendLimit } = SpendRules;
    const isWide = [WeeklySpendLimit, MonthlySpendLimit].every((limit) => limit === null || limit >= 1000);
    const isPlain = SpendingRulesetId === null && !IsVirtual && isWide;
    return isPlain && CardList.length === 1 && CardList[0]?.CardStatus === 'ACTIVE';
  });
  const [portal = 0, a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, ...status] = plain.map(({ AcctId }) => AcctId);
  const [temporary, linked, limit] = [
    [a, b],
    [c, d],
    [e, f],
  ];
  const at = new Date().toISOString();
  const links = createLinks(store);
  for (const acctId of linked)
    await links.link({ acctId, userId: people.hugo, provedBy: 'approver', by: people.zoe, at });
  const usedAt = new Map<number, number>();
  return {
    status,
    limit,
    temporary,
    linked,
    portal,
    ofAlert({ text, blocks }) {
      const marks = new Set(`${text} ${JSON.stringify(blocks)}`.match(markPattern));
      const [mark = ''] = marks;
      const event = sent.findLast((one) => one.mark === mark);
      return marks.size === 1 && event?.kind === 'decline' ? event.acctId : null;
    },
    free() {
      const now = performance.now();
      const found = temporary.find((acctId) => {
        const account = sandbox.accounts().find(({ AcctId }) => AcctId === acctId);
        return account?.SpendRules.DailySpendLimit === BASE && now - (usedAt.get(acctId) ?? 0) > APART_MS;
      });
      if (found !== undefined) usedAt.set(found, now);
      return found;
    },
  };
}

/** Brings the time of temporary changes of these cards to its end, as if two hours had passed, and waits for it. */
export async function endTemporaryChanges(store: Redis, acctIds: readonly number[]): Promise<void> {
  const key = stateKey('temporary-changes');
  const isOpen = async (id: string): Promise<boolean> => (await store.hexists(key, id)) === 1;
  const queue = new Queue('maintenance', { connection: store as never, prefix: QUEUE_PREFIX });
  try {
    for (const [id, text] of Object.entries(await store.hgetall(key))) {
      const change = JSON.parse(text) as { acctId: number };
      if (!acctIds.includes(change.acctId)) continue;
      const endsAt = new Date(Date.now() - 1000).toISOString();
      await alterRecord(store, 'temporary change', [key, id], () => ({ endsAt }));
      const job = await queue.getJob(`temporary-change-${id}`);
      if (await job?.isDelayed()) await job?.promote();
      await until(async () => !(await isOpen(id)), `temporary limit ${id} goes back: ${text}`);
    }
  } finally {
    await queue.close();
  }
}
