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

/** Assigns each card one purpose, so that all writes are distinguishable. */
export interface Cards {
  /** Blocked and unblocked. */
  readonly status: readonly number[];
  readonly limit: readonly number[];
  /** Cards whose limit is raised temporarily and then restored to {@link BASE}. */
  readonly temporary: readonly number[];
  /** Cards of Hugo, who requests raises. */
  readonly linked: readonly number[];
  /** A card that is also changed in the portal. */
  readonly portal: number;
  /** The card of an alert about a single event on a card meant for clicks, otherwise null. */
  ofAlert(message: StoredMessage): number | null;
  /** A card without a temporary change whose last click was long enough ago to be done. */
  free(): number | undefined;
}

export const BASE = 200;
const APART_MS = 4000;

/** Assigns the sandbox's plain cards to their purposes, and links Hugo's. */
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
  const links = createLinks(store, () => new Date());
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

/** Ends the temporary changes of these cards as if two hours had passed, and waits until they are restored. */
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
      await makeOlder(store, stateKey(`progress:${id}`));
      const job = await queue.getJob(`temporary-change-${id}`);
      if (await job?.isDelayed()) await job?.promote();
      await until(async () => !(await isOpen(id)), `temporary limit ${id} goes back: ${text}`);
    }
  } finally {
    await queue.close();
  }
}

/** An unconfirmed change is over only when the card service can no longer carry it out. */
async function makeOlder(store: Redis, progressKey: string): Promise<void> {
  const text = await store.get(progressKey);
  const progress = JSON.parse(text ?? '{}') as { at?: string };
  if (progress.at === undefined) return;
  const at = new Date(Date.parse(progress.at) - 2 * 3_600_000).toISOString();
  await store.set(progressKey, JSON.stringify({ ...progress, at }), 'KEEPTTL');
}
