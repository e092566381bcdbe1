import { refusal } from '../../templates/refusal.ts';
import { Action } from '../authority/action.ts';
import { judge } from '../authority/policy.ts';
import { changeStatus } from './change-status.ts';
import type { PerformDeps } from './deps.ts';
import { tell } from './report.ts';

/**
 * *Undo*, within a minute, by who blocked: the card is as active as it was before.
 *
 * @throws CardApiError when the job should run again.
 */
export async function undoBlock(action: Action, deps: PerformDeps): Promise<void> {
  const blockId = action.target.kind === 'action' ? action.target.actionId : '';
  const no = (why: string) =>
    deps.answer(action, refusal({ what: 'Undoing the block', why, whoCan: 'An approver can unblock the card.' }));
  const block = await deps.blocks.get(blockId);
  if (block === null) return await no('That can be undone for a minute only.');
  const ageMs = Date.parse(action.askedAt) - Date.parse(block.at);
  const isOwnDeed = block.by === action.actor.userId;
  const verdict = judge({ deed: 'undo_block', roles: action.roles, isOwnCard: false, isOwnDeed, ageMs }, deps);
  if (verdict.kind === 'refused') return await no(verdict.why);

  const { acctId, cardId, alertId } = block;
  const unblock = Action.parse({ ...action, target: { kind: 'card', acctId, cardId, alertId } });
  await deps.withLock(`account:${acctId}`, async () => {
    const written = await deps.journal.read(action.id);
    if (written?.state === 'told') return;
    if (written?.state === 'settled') return await tell(unblock, 'unblock', written, deps);
    await changeStatus('unblock', { action: unblock, acctId, cardId }, deps);
  });
}

/** The minute is over: *Undo* leaves the alert. */
export async function endUndo(blockId: string, deps: PerformDeps): Promise<void> {
  const block = await deps.blocks.get(blockId);
  if (block === null || block.alertId === null) return;
  const stored = await deps.alerts.get(block.alertId);
  const outcome = stored?.alert.outcomes.find(({ control }) => control?.kind === 'undo' && control.id === blockId);
  if (outcome === undefined) return;
  await deps.alerts.setOutcome(block.alertId, blockId, { ...outcome, control: null });
  await deps.updateMessages(block.alertId);
}
