import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** What a step leaves behind shows in the next look at the latest: it is written before the step itself is taken off. */
const LOOKS = 3;

const states = ['wait', 'active', 'prioritized', 'delayed'] as const;

/** Waits until nothing that was begun is under way: inbox, jobs, messages and confirmations are done. */
export async function quiet({ store }: Pick<RunningCardbell, 'store'>): Promise<void> {
  let looks = 0;
  await until(async () => {
    looks = (await isQuiet(store)) ? looks + 1 : 0;
    return looks === LOOKS;
  }, 'nothing is under way any more');
}

async function isQuiet(store: RunningCardbell['store']): Promise<boolean> {
  const key = (queue: string, state: string): string => `{cardbell:queue}:${queue}:${state}`;
  const count = (queue: string, state: string): Promise<number> =>
    state === 'wait' || state === 'active' ? store.llen(key(queue, state)) : store.zcard(key(queue, state));
  const counts = await Promise.all([
    store.xlen('{cardbell:in}:webhooks'),
    store.xlen('{cardbell:in}:actions'),
    store.hlen('{cardbell:state}:confirmations'),
    ...['actions', 'alerts', 'outbox', 'updates'].flatMap((queue) => states.map((state) => count(queue, state))),
  ]);
  const outboxes = await store.keys('{cardbell:out:*');
  return counts.every((one) => one === 0) && !outboxes.some((one) => /:(queue|sending)$/.test(one));
}
