import type { ApprovalRequest } from '../../src/approvals/request.ts';
import type { StoredMessage } from '../../workspace/server.ts';
import { alterRecord } from './alter-record.ts';
import { waitUntilTracked } from './message-tracked.ts';
import type { RunningCardbell } from './running-cardbell.ts';
import { wakeJob } from './wake-job.ts';

/** Makes the request of a message older, and runs its scheduled job now. */
export async function ageRequest(store: RunningCardbell['store'], request: StoredMessage, ms: number): Promise<void> {
  const id = /req_\w+/.exec(JSON.stringify(request.blocks))?.[0] ?? '';
  const key = `{cardbell:state}:request:${id}`;
  await waitUntilTracked(store, { kind: 'request', id });
  const earlier = (at: string): string => new Date(Date.parse(at) - ms).toISOString();
  await alterRecord<ApprovalRequest>(store, 'request', [key], ({ action, expiresAt }) => ({
    action: { ...action, askedAt: earlier(action.askedAt) },
    expiresAt: earlier(expiresAt),
  }));
  await wakeJob(store, `age-${id}`);
}
