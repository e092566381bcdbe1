import { refusal } from '../../templates/policy/refusal.ts';
import { fromStored } from '../core/unknown-fields.ts';
import { type Action, UnreadableAction } from './action.ts';
import type { ActionTools } from './action-tools.ts';

interface Deps extends Pick<ActionTools, 'record' | 'answer' | 'hasBegun'> {
  /** Behind "to": `block cards`, also of a verb that this version does not know. */
  readonly doingOf: (verb: string) => string;
}

/**
 * An action that a newer version took, and that this one cannot read, is not tried again: that is on record, and whoever
 * asked is told. It stays among the failed jobs, from where it can be replayed.
 */
export function createFailUnreadable({ record, answer, hasBegun, doingOf }: Deps): (data: unknown) => Promise<void> {
  return async function failUnreadable(data) {
    const action = toUnreadableAction(data);
    // Not even who asked can be read: ops hear of the failed job.
    if (action === null) return;
    await record(action, { event: 'failed', detail: 'asked of a newer version of Cardbell; this one cannot read it' });
    const isCertain = await hasBegun(action).then(
      (isBegun) => !isBegun,
      () => false,
    );
    await answer(
      action,
      refusal({
        what: `Your request to ${doingOf(action.verb)}`,
        why: 'Cardbell is being updated, and an older version got your request, which it cannot read.',
        whoCan: 'Ask again in a few minutes.',
        ...(isCertain ? {} : { changed: 'It is not certain whether anything changed: look at the card first.' }),
      }),
    );
  };
}

/** Null: it cannot be read at all. */
export function toUnreadableAction(data: unknown): Action | null {
  try {
    return fromStored(UnreadableAction, data);
  } catch {
    return null;
  }
}
