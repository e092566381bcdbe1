import type { ActionVerb } from '../../templates/actions/action-result.ts';
import type { Lease } from '../core/lock.ts';
import type { Resolved } from './action.ts';
import type { ActionTools } from './action-tools.ts';
import type { Reports } from './report.ts';

/**
 * Changes a card under its account's lock: what was asked is on record first, and what has come to its end is not done
 * again, only told.
 */
export type ChangeOnce = (
  resolved: Resolved,
  verb: ActionVerb,
  change: (lease: Lease) => Promise<unknown>,
) => Promise<void>;

interface Deps extends Pick<ActionTools, 'progress' | 'record' | 'withLock'> {
  readonly reports: Pick<Reports, 'resume'>;
}

export function createChangeOnce({ progress, record, withLock, reports }: Deps): ChangeOnce {
  return async function changeOnce({ action, acctId, cardId }, verb, change) {
    await record(action, { event: 'asked', isFirst: true, acctId, cardId });
    await withLock(`account:${acctId}`, async (lease) => {
      const known = await reports.resume(action, verb, await progress.read(action.id));
      if (known === null) await change(lease);
    });
  };
}
