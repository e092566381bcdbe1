import type { Action } from './action.ts';
import type { ActionDeps } from './deps.ts';
import { auditRecord } from './report.ts';

/** What was asked for is so already: nothing changes, and that it was asked is on record. Safe to repeat. */
export async function recordUnchanged(
  action: Action,
  { acctId = null, cardId = null }: { readonly acctId?: number | null; readonly cardId?: number | null },
  deps: ActionDeps,
): Promise<void> {
  await deps.audit.append(auditRecord(action, 'unchanged', { acctId, cardId, detail: 'so already' }, deps));
}
