import { settingSetSince } from '../../templates/actions/setting-words.ts';
import type { Lease, LockName, WithLock } from '../core/lock.ts';
import type { SettingOrder } from '../core/setting-order.ts';
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
 */
export type SetInOrder = (subject: LockName, action: Action, set: (lease: Lease) => Promise<void>) => Promise<void>;

export function createSetInOrder({ withLock, settingOrder, record, responses }: Deps): SetInOrder {
  return (subject, action, set) =>
    withLock(subject, async (lease) => {
      if (await settingOrder.begin(subject, action)) return await set(lease);
      await record(action, setSince);
      await responses.answer(action, settingSetSince());
    });
}
