import { recoveryStarted } from '../../templates/recovery/recovery-started.ts';
import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { auditRecord } from '../actions/report.ts';

/** Somebody wants to be sure that nothing was missed: writes it down, starts it, and says where to look. */
export async function startRecovery(action: Action, deps: ActionDeps): Promise<void> {
  if (action.target.kind !== 'since') throw new Error('a recovery without a beginning');
  const from = deps.momentOf(action.target.since, action.askedAt);
  if (from === null || from >= action.askedAt) {
    const why = from === null ? 'There is no such date.' : 'That is not in the past.';
    const whoCan = 'Write `/card recover 2h` or `/card recover 2026-11-20T09:00`.';
    return await refuse(action, { what: 'Your recovery', why, whoCan }, deps);
  }
  if ((await deps.progress.read(action.id)) === null) {
    const facts = { acctId: null, cardId: null, detail: `what was missed since ${from}` };
    await deps.audit.append(auditRecord(action, 'done', facts, deps));
    await deps.progress.write(action.id, { state: 'asked' });
  }
  await deps.recoverGap({ id: action.id, from, to: action.askedAt, cause: 'asked' });
  await deps.answer(action, recoveryStarted({ from, channel: deps.opsChannel }));
}
