import { countInbox, countJobs } from '../../bench/under-way.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** Each step stores the next one before it is removed itself, so a later check sees it. */
const LOOKS = 3;
/** Each look asks Redis for thirty numbers. */
const LOOK_MS = 50;

/** Longer than the two minutes in which a change is verified. */
const DEADLINE_MS = 150_000;

/** Waits until all work in flight is done: inbox, jobs, messages and changes being verified. */
export async function quiet({ store }: Pick<RunningCardbell, 'store'>, deadlineMs = DEADLINE_MS): Promise<void> {
  let looks = 0;
  await until(
    async () => {
      looks = (await isQuiet(store)) ? looks + 1 : 0;
      return looks === LOOKS;
    },
    'nothing is under way any more',
    deadlineMs,
    LOOK_MS,
  );
}

/** Waits until every alert so far is posted or held in a channel, whatever else is still under way. */
export async function alertsDone({ store }: Pick<RunningCardbell, 'store'>, channel: string): Promise<void> {
  const outbox = ['queue', 'sending'].map((part) => `{cardbell:out:${channel}}:${part}`);
  await until(async () => {
    const left = await Promise.all([
      countInbox(store),
      countJobs(store, ['alerts', 'bursts']),
      store.exists(...outbox),
    ]);
    return left.every((one) => one === 0);
  }, 'no earlier alert is under way');
}

async function isQuiet(store: RunningCardbell['store']): Promise<boolean> {
  const counts = await Promise.all([
    countInbox(store),
    countJobs(store, ['actions', 'alerts', 'bursts', 'outbox', 'updates']),
    store.zcard('{cardbell:state}:actions-awaited'),
  ]);
  const outboxes = await store.keys('{cardbell:out:*');
  return counts.every((one) => one === 0) && !outboxes.some((one) => /:(queue|sending|edits)$/.test(one));
}
