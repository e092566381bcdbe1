import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** Each step stores what follows it before it is removed itself, so a later look sees it. */
const LOOKS = 3;

const states = ['wait', 'active', 'prioritized', 'delayed'] as const;

/** Waits until everything that was begun is done: inbox, jobs, messages and changes that are looked for. */
export async function quiet({ store }: Pick<RunningCardbell, 'store'>, deadlineMs = 60_000): Promise<void> {
  let looks = 0;
  await until(
    async () => {
      looks = (await isQuiet(store)) ? looks + 1 : 0;
      return looks === LOOKS;
    },
    'nothing is under way any more',
    deadlineMs,
  );
}

async function isQuiet(store: RunningCardbell['store']): Promise<boolean> {
  const key = (queue: string, state: string): string => `{cardbell:queue}:${queue}:${state}`;
  const count = (queue: string, state: string): Promise<number> =>
    state === 'wait' || state === 'active' ? store.llen(key(queue, state)) : store.zcard(key(queue, state));
  const counts = await Promise.all([
    store.xlen('{cardbell:in}:webhooks'),
    store.xlen('{cardbell:in}:actions'),
    store.zcard('{cardbell:state}:actions-awaited'),
    ...['actions', 'alerts', 'bursts', 'outbox', 'updates'].flatMap((queue) =>
      states.map((state) => count(queue, state)),
    ),
  ]);
  const outboxes = await store.keys('{cardbell:out:*');
  return counts.every((one) => one === 0) && !outboxes.some((one) => /:(queue|sending|edits)$/.test(one));
}
