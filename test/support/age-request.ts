import { Queue } from 'bullmq';
import type { StoredMessage } from '../../workspace/server.ts';
import { messageTracked } from './message-tracked.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { until } from './until.ts';

/** Time passes for the request of a message: what would look after it then wakes now. */
export async function ageRequest(store: RunningCardbell['store'], request: StoredMessage, ms: number): Promise<void> {
  const id = /req_\w+/.exec(JSON.stringify(request.blocks))?.[0] ?? '';
  const key = `{cardbell:state}:request:${id}`;
  const read = async () => JSON.parse((await store.get(key)) ?? '{}');
  await messageTracked(store, { kind: 'request', id });
  const queue = new Queue('maintenance', { connection: store as never, prefix: '{cardbell:queue}' });
  try {
    await until(async () => (await queue.getJob(`expire-${id}`))?.isDelayed() ?? false, 'somebody looks after it');
    const kept = await read();
    const earlier = (at: string): string => new Date(Date.parse(at) - ms).toISOString();
    const action = { ...kept.action, askedAt: earlier(kept.action.askedAt) };
    await store.set(key, JSON.stringify({ ...kept, action, expiresAt: earlier(kept.expiresAt) }));
    await (await queue.getJob(`expire-${id}`))?.promote();
  } finally {
    await queue.close();
  }
}
