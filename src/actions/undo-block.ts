import type { Refusal } from '../../templates/policy/refusal.ts';
import { decide } from '../policy/decide.ts';
import type { Action } from './action.ts';
import type { Block } from './block-store.ts';
import { changeStatus } from './change-status.ts';
import type { ActionDeps } from './deps.ts';
import { refuse } from './record-refusal.ts';
import { notify } from './report.ts';
import { statusVerbs, type UndoBlockAction } from './verbs.ts';

/**
 * *Undo*, within a minute, by who blocked: the card is as active as it was before.
 *
 * Never what somebody else wants as well: they were told that the card is blocked, and rely on it.
 *
 * @throws CardApiError when the job should run again.
 */
export async function undoBlock(action: UndoBlockAction, deps: ActionDeps): Promise<void> {
  const blockId = action.target.actionId;
  const block = await deps.blocks.get(blockId);
  const no = (why: string, whoCan: Refusal['whoCan'] = 'An approver can unblock the card.') =>
    refuse(action, { what: 'Undoing the block', why, whoCan }, deps, { acctId: block?.acctId ?? null });
  if (block === null) return await no('That can be undone for a minute only.');
  const ageMs = Date.parse(action.askedAt) - Date.parse(block.at);
  const isOwnAction = block.by === action.actor.userId;
  const question = { roles: action.roles, isOwnCard: false, isOwnAction, ageMs };
  const decision = decide(statusVerbs.undo_block.permission, question, deps);
  if (decision.kind === 'refused') return await no(decision.why);

  const { acctId, cardId } = block;
  const unblock = unblockOf(action, block);
  await deps.withLock(`account:${acctId}`, async () => {
    const written = await deps.progress.read(action.id);
    if (written?.state === 'told') return;
    if (written?.state === 'settled') return await notify(unblock, 'unblock', written, deps);
    const whyNot = written === null ? await whyNotMine(blockId, block, deps) : null;
    if (whyNot !== null) return await no(whyNot.why, whyNot.whoCan);
    await changeStatus('unblock', { action: unblock, acctId, cardId }, deps);
  });
}

/** *Undo* as the change of the card that it makes. */
export function unblockOf(action: Action, { acctId, cardId, alertId }: Block): Action {
  return { ...action, target: { kind: 'card', acctId, cardId, alertId } };
}

/** Why the block that stands now is not only that of who made it; null when it is. */
async function whyNotMine(
  blockId: string,
  { acctId, cardId, by }: Block,
  deps: ActionDeps,
): Promise<Pick<Refusal, 'why' | 'whoCan'> | null> {
  const other = (await deps.blocks.wantedBy(acctId)).find((userId) => userId !== by);
  if (other !== undefined) {
    const whoCan = { text: 'An approver can unblock the card; first ask', userIds: [other] };
    return { why: 'Somebody else wants this card blocked as well.', whoCan };
  }
  if (await wasBlockedOutside(blockId, acctId, cardId, deps)) {
    const since = 'This card was unblocked and blocked again outside Slack since then.';
    return { why: since, whoCan: 'An approver can unblock the card.' };
  }
  const isOld = await deps.confirmations.isSuperseded(acctId, { kind: 'status', status: 'BLOCKED', cardId }, blockId);
  const why = 'This card was unblocked and blocked again since then.';
  return isOld ? { why, whoCan: 'An approver can unblock the card.' } : null;
}

/** The card service told of another block after the one that was made here. */
async function wasBlockedOutside(
  blockId: string,
  acctId: number,
  cardId: number | null,
  { history }: ActionDeps,
): Promise<boolean> {
  const own = await history.confirmedBy(acctId, 'BLOCKED', blockId);
  if (own === null || cardId === null) return false;
  const statuses = await history.statuses(cardId);
  const at = statuses.findIndex(({ eventId }) => eventId === own);
  return at !== -1 && statuses.slice(at + 1).some(({ status }) => status === 'BLOCKED');
}

/** The minute is over: *Undo* leaves the alert. */
export async function endUndo(blockId: string, deps: ActionDeps): Promise<void> {
  const block = await deps.blocks.get(blockId);
  if (block === null || block.alertId === null) return;
  const alert = await deps.alerts.get(block.alertId);
  const outcome = alert?.outcomes.find(({ control }) => control?.kind === 'undo' && control.id === blockId);
  if (outcome === undefined) return;
  await deps.alerts.setOutcome(block.alertId, blockId, { ...outcome, control: null });
  await deps.updateMessages(block.alertId);
}
