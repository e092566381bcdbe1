import { settingSetSince } from '../../templates/actions/setting-words.ts';
import type { Lease, LockName, WithLock } from '../core/lock.ts';
import { beginParts, type SettingOrder } from '../core/setting-order.ts';
import type { Action } from './action.ts';
import type { Responses } from './action-tools.ts';
import { type RecordAction, setSince } from './record.ts';

interface Deps {
  readonly withLock: WithLock;
  readonly settingOrder: SettingOrder;
  readonly record: RecordAction;
  readonly responses: Pick<Responses, 'answer'>;
}

/**
 * Sets something of a channel or a person, one action at a time. An action that waited, or runs again after a crash, does not
 * replace what somebody has asked for later: it is recorded as superseded, and the person is told.
 *
 * @param subject what is set: also the name of its lock.
 * @param set gets the parts that nobody has set later.
 * @param parts what the action sets, if something else can be set by itself.
 */
export type SetInOrder = <Part extends string>(
  subject: LockName,
  action: Action,
  set: (lease: Lease, parts: readonly Part[]) => Promise<void>,
  parts?: readonly Part[],
) => Promise<void>;

export function createSetInOrder({ withLock, settingOrder, record, responses }: Deps): SetInOrder {
  return (subject, action, set, parts) =>
    withLock(subject, async (lease) => {
      const newest = await beginParts(settingOrder, subject, parts ?? [], action);
      const isNewest = parts === undefined ? await settingOrder.begin(subject, action) : newest.length > 0;
      if (isNewest) await set(lease, newest);
      else await tellSetSince(action, { record, responses });
    });
}

/** Records that something was set again since, and tells the person that it stays. */
export async function tellSetSince(action: Action, { record, responses }: Pick<Deps, 'record' | 'responses'>) {
  await record(action, setSince);
  await responses.answer(action, settingSetSince());
}
