import { type Action, alertIdOf } from './action.ts';
import type { RecordAction } from './record.ts';
import type { Looks } from './record-limits.ts';

/** What of a card a person looked at. */
interface Looked {
  readonly acctId: number | null;
  readonly cardId: number | null;
  /** What was shown; null: the verb says it. */
  readonly seen: string | null;
}

/** Records who has seen what of which card, once an hour. Call it before it is shown. Idempotent. */
export type RecordLook = (action: Action, looked: Looked) => Promise<void>;

interface Deps {
  readonly looks: Looks;
  readonly record: RecordAction;
}

export function createRecordLook({ looks, record }: Deps): RecordLook {
  return async function recordLook(action, { acctId, cardId, seen }) {
    const about = { acctId, alertId: alertIdOf(action) };
    const look = { id: action.id, verb: seen ?? action.verb, userId: action.actor.userId, ...about };
    if (!(await looks.isFirst(look))) return;
    await record(action, { event: 'asked', acctId, cardId, ...(seen !== null && { detail: seen }) });
  };
}
