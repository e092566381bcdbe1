import type { ActionVerb } from '../../templates/actions/action-result.ts';
import type { Resolved } from './action.ts';
import type { ActionDeps } from './deps.ts';
import { auditRecord, notify } from './report.ts';

/**
 * Changes a card under its account's lock: what was asked is on record first, and what has come to its end is not done
 * again, only told.
 */
export async function changeOnce(
  { action, acctId, cardId }: Resolved,
  verb: ActionVerb,
  change: () => Promise<unknown>,
  deps: ActionDeps,
): Promise<void> {
  if ((await deps.progress.read(action.id)) === null) {
    await deps.audit.append(auditRecord(action, 'asked', { acctId, cardId }, deps));
    await deps.progress.write(action.id, { state: 'asked' });
  }
  await deps.withLock(`account:${acctId}`, async () => {
    const written = await deps.progress.read(action.id);
    if (written?.state === 'told') return;
    if (written?.state === 'settled') return await notify(action, verb, written, deps);
    await change();
  });
}
