import { recoveryStarted } from '../../templates/recovery/recovery-started.ts';
import type { Action } from '../actions/action.ts';
import type { Reply } from '../actions/reply.ts';
import type { Gap } from '../core/gap.ts';
import type { Since } from '../core/since.ts';

interface Deps {
  /** A moment that a person wrote, UTC ISO 8601; null when there is no such date. */
  readonly momentOf: (since: Since, askedAt: string) => string | null;
  /** Starts the search for what was missed. */
  readonly recoverGap: (gap: Gap) => Promise<void>;
  /** Where progress is shown. */
  readonly opsChannel: string;
  readonly reply: Pick<Reply, 'answer' | 'record' | 'refuse'>;
}

/** `/card recover …`: somebody wants to be sure that nothing was missed. Puts it on record, starts it, says where to look. */
export function createStartRecovery({ momentOf, recoverGap, opsChannel, reply }: Deps) {
  return async function startRecovery(action: Action): Promise<void> {
    if (action.target.kind !== 'since') throw new Error('a recovery without a beginning');
    const from = momentOf(action.target.since, action.askedAt);
    if (from === null || from >= action.askedAt) {
      const why = from === null ? 'There is no such date.' : 'That is not in the past.';
      const whoCan = 'Write `/card recover 2h` or `/card recover 2026-11-20T09:00`.';
      return await reply.refuse(action, { what: 'Your recovery', why, whoCan });
    }
    await reply.record(action, { did: null, detail: `what was missed since ${from}` });
    await recoverGap({ id: action.id, from, to: action.askedAt, cause: 'asked' });
    await reply.answer(action, recoveryStarted({ from, channel: opsChannel }));
  };
}
