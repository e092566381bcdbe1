import type { StoredMessage } from '../../workspace/server.ts';
import { waitUntilTracked } from './message-tracked.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { wakeJob } from './wake-job.ts';

/** Time passes for the request of a message: what would look after it then wakes now. */
export async function ageRequest(store: RunningCardbell['store'], request: StoredMessage, ms: number): Promise<void> {
  const id = /req_\w+/.exec(JSON.stringify(request.blocks))?.[0] ?? '';
  const key = `{cardbell:state}:request:${id}`;
  await waitUntilTracked(store, { kind: 'request', id });
  const kept = JSON.parse((await store.get(key)) ?? '{}');
  const earlier = (at: string): string => new Date(Date.parse(at) - ms).toISOString();
  const action = { ...kept.action, askedAt: earlier(kept.action.askedAt) };
  await store.set(key, JSON.stringify({ ...kept, action, expiresAt: earlier(kept.expiresAt) }));
  await wakeJob(store, `expire-${id}`);
}
