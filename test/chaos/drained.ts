import { setTimeout as sleep } from 'node:timers/promises';
import { countInbox, countJobs } from '../../bench/under-way.ts';
import { lateOf } from '../../src/actions/action-state.ts';
import { createProgress } from '../../src/actions/progress-store.ts';
import { FIRST_SEARCH_MS } from '../../src/outbox/late-copies.ts';
import { createOutbox } from '../../src/outbox/outbox-store.ts';
import type { ChaosCluster } from './cluster.ts';

/** Long enough to be sure: each step stores the next one before it is removed itself. */
const QUIET_MS = 2000;
/** Longest wait between two attempts. */
const SOON_MS = 120_000;

/** Work in flight: in the inbox, a queue or an outbox, or pending checks for late copies. */
async function leftOf({ store }: Pick<ChaosCluster, 'store'>): Promise<Record<string, number>> {
  const edits = await store.keys('{cardbell:out:*}:edits');
  return {
    inbox: await countInbox(store),
    awaited: await awaitedIn(store),
    jobs: await jobsOf(store),
    outbox: await messagesOf(store),
    edits: sum(await Promise.all(edits.map((key) => store.zcard(key)))),
    copies: await copiesLookedFor(store),
  };
}

/** Those that were reported as not shown are looked at for minutes more, while nobody waits for them. */
async function awaitedIn(store: ChaosCluster['store']): Promise<number> {
  const progress = createProgress(store);
  const ids = (await progress.awaited()).map(({ action }) => action.id);
  const states = await Promise.all(ids.map((id) => progress.read(id)));
  return states.filter((state) => lateOf(state) === null).length;
}

/** Number of events and messages in flight. */
export async function inFlight({ store }: Pick<ChaosCluster, 'store'>): Promise<number> {
  return sum(await Promise.all([countInbox(store), jobsOf(store), messagesOf(store)]));
}

/** Alerts held back by quiet hours are not in flight. */
const jobsOf = (store: ChaosCluster['store']): Promise<number> =>
  countJobs(store, ['alerts', 'bursts', 'actions', 'updates', 'outbox'], Date.now() + SOON_MS);

async function messagesOf(store: ChaosCluster['store']): Promise<number> {
  const outbox = createOutbox(store);
  const channels = await outbox.channels();
  return sum(await Promise.all(channels.map((channel) => outbox.waiting(channel))));
}

/** First checks for late copies of reposted messages. The last check, minutes later, never finds any here. */
async function copiesLookedFor(store: ChaosCluster['store']): Promise<number> {
  const delayed = await store.zrange('{cardbell:queue}:maintenance:delayed', '0', '-1', 'WITHSCORES');
  let count = 0;
  for (let index = 0; index < delayed.length; index += 2) {
    const [id = '', score = '0'] = delayed.slice(index, index + 2);
    // BullMQ stores the time in the upper bits.
    if (id.startsWith('copies-') && Number(score) / 0x1000 < Date.now() + FIRST_SEARCH_MS) count += 1;
  }
  return count;
}

/** Remaining steps per item: each inbox event becomes jobs, and each job becomes messages. */
const stepsLeft = { service: 100, inbox: 10, jobs: 5 } as const;

/**
 * Waits until nothing is in flight, however slow the machine is.
 *
 * @param stuckSeconds gives up after this long without progress. Longer than any intended wait.
 * @returns the number of items still in flight.
 */
export async function drained(
  cluster: Pick<ChaosCluster, 'store'>,
  inFlight: () => number,
  { stuckSeconds, say }: { readonly stuckSeconds: number; readonly say: (line: string) => void },
): Promise<number> {
  let [fewest, movedAt] = [Number.POSITIVE_INFINITY, performance.now()];
  let quietSince = performance.now();
  let lastSaid = performance.now();
  for (;;) {
    const left = { service: inFlight(), ...(await leftOf(cluster)) };
    if (sum(Object.values(left)) > 0) quietSince = performance.now();
    if (performance.now() - quietSince > QUIET_MS) return 0;
    const steps = sum(Object.entries(left).map(([what, count]) => count * ((stepsLeft as Rates)[what] ?? 1)));
    if (steps < fewest) [fewest, movedAt] = [steps, performance.now()];
    if (performance.now() - movedAt > stuckSeconds * 1000) {
      say(`no progress for ${stuckSeconds} s: ${JSON.stringify(left)}`);
      return sum(Object.values(left));
    }
    if (performance.now() - lastSaid > 10_000) {
      lastSaid = performance.now();
      say(`left: ${JSON.stringify(left)}`);
    }
    await sleep(150);
  }
}

type Rates = Readonly<Record<string, number>>;
const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);
