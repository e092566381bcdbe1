import { cardHandle } from '../../templates/core/card-words.ts';
import type { Refusal } from '../../templates/policy/refusal.ts';
import { commandCode } from '../core/installation.ts';
import { UNDO_MS } from '../policy/decide-action.ts';
import { type Action, alertIdOf, type Resolved } from './action.ts';
import { isUnsent, type Outcome, type Result, reported } from './action-state.ts';
import type { ActionRun, ActionTools, Responses, Rights } from './action-tools.ts';
import type { Block, Blocks } from './block-store.ts';
import type { ChangeUnlessKnown } from './change-once.ts';
import type { ChangeStatus } from './change-status.ts';
import type { LatestChanges, Progress } from './progress-store.ts';
import type { OutcomesOnAlerts } from './report.ts';
import type { StatusHistory } from './send-status.ts';
import { type UndoBlockAction, undoTooLate } from './verbs.ts';

export interface OfferDeps extends Pick<ActionTools, 'now'> {
  readonly blocks: Pick<Blocks, 'keep'>;
  /** Removes *Undo* after {@link UNDO_MS}. */
  readonly scheduleUndoEnd: (actionId: string, atMs: number) => Promise<void>;
}

/**
 * The person who blocked a card can undo it for {@link UNDO_MS}.
 *
 * Only if the card was active before: a new card cannot be made new again. Not for someone who acted only as the
 * cardholder, because people cannot unblock their own card, and not of what others have approved. Nor of a fraud report:
 * its card stays blocked until the case is closed.
 */
export async function offerUndo(
  { action, acctId, cardId, isApproved }: Resolved,
  before: string | null,
  { blocks, scheduleUndoEnd, now }: OfferDeps,
): Promise<Pick<Result, 'control'>> {
  const mayUndo = isApproved !== true && action.roles.some((role) => role !== 'holder');
  const isReport = 'isFraud' in action && action.isFraud === true;
  if (action.verb !== 'block' || isReport || before !== 'active' || !mayUndo) return {};
  const at = now();
  const until = new Date(at.getTime() + UNDO_MS);
  const alertId = alertIdOf(action);
  const by = action.actor.userId;
  await blocks.keep({ actionId: action.id, acctId, cardId, alertId, by, at: at.toISOString() });
  if (alertId !== null) await scheduleUndoEnd(action.id, until.getTime());
  return { control: { kind: 'undo', id: action.id, until: until.toISOString() } };
}

interface Deps extends Pick<ActionTools, 'factsOf'> {
  readonly rights: Pick<Rights, 'authorize' | 'rolesNow' | 'isOwnCard'>;
  readonly responses: Pick<Responses, 'refuse'>;
  readonly blocks: Pick<Blocks, 'get'>;
  readonly whyNotUndo: WhyNotUndo;
  readonly changeUnlessKnown: ChangeUnlessKnown;
  readonly changeStatus: ChangeStatus;
}

/**
 * *Undo*, within {@link UNDO_MS}, by the person who blocked: makes the card active again.
 *
 * Refused if someone else also wants the card blocked: they were told that it is blocked and rely on it.
 *
 * The returned function throws CardApiError when the job should be retried.
 */
export function createUndoBlock(deps: Deps): (action: UndoBlockAction, run: ActionRun) => Promise<void> {
  return async function undoBlock(action, run) {
    const block = await deps.blocks.get(action.target.actionId);
    const about = { acctId: block?.acctId ?? null };
    const what = 'Undoing the block';
    const refuse = (why: string, whoCan: string, isNotPermitted = false) =>
      deps.responses.refuse(action, { what, why, whoCan }, { ...about, isNotPermitted });
    if (block === null) return await refuse(undoTooLate, 'An approver can unblock the card.');
    const ageMs = Date.parse(action.askedAt) - Date.parse(block.at);
    const isOwnAction = block.by === action.actor.userId;
    const { acctId, cardId } = block;
    const decision = await deps.rights.authorize(action, { acctId, isOwnAction, ageMs });
    if (decision.kind === 'refused') return await refuse(decision.why, await whoUnblocks(action, block), true);

    const unblock = { action: unblockOf(action, block), acctId, cardId };
    await deps.changeUnlessKnown('unblock', unblock, run, async (locked, written) => {
      const whyNot = isUnsent(written) ? await deps.whyNotUndo(block) : null;
      if (whyNot !== null)
        return await deps.responses.refuse(
          action,
          { what, ...whyNot, whoCan: whyNot.whoCan ?? (await whoUnblocks(action, block)) },
          about,
        );
      await deps.changeStatus('unblock', unblock, locked);
    });
  };

  async function whoUnblocks(action: UndoBlockAction, { acctId, cardId }: Block): Promise<string> {
    const mayUnblock =
      (await deps.rights.rolesNow(action, acctId)).includes('approver') &&
      !(await deps.rights.isOwnCard(action.actor.userId, acctId));
    if (!mayUnblock) return 'An approver can unblock the card.';
    const card = await deps.factsOf(acctId, { cardId, last4: null });
    return `You can unblock the card: ${commandCode(`unblock ${cardHandle(card)}`)}.`;
  }
}

/** *Undo* as the card change that it makes. */
export function unblockOf(action: Action, { acctId, cardId, alertId }: Block): Action {
  return { ...action, target: { kind: 'card', acctId, cardId, alertId } };
}

interface WhyNotDeps {
  readonly progress: Pick<Progress, 'read'>;
  readonly latestChanges: Pick<LatestChanges, 'changedBy' | 'blocksWanted'>;
  readonly history: Pick<StatusHistory, 'confirmedBy' | 'statuses'>;
}

/** Why the current block is not only the work of this person, and whom to ask first; null when it is. */
type WhyNotUndo = (
  block: Block,
) => Promise<(Pick<Refusal, 'why' | 'isOutdated' | 'isUnsure'> & Partial<Pick<Refusal, 'whoCan'>>) | null>;

export function createWhyNotUndo({ latestChanges, history, progress }: WhyNotDeps): WhyNotUndo {
  return async function whyNotUndo(block) {
    const { actionId, acctId, cardId, by } = block;
    const wantedBy = (await latestChanges.blocksWanted(acctId)).flatMap((wanted) => wanted.by ?? []);
    const other = wantedBy.find((userId) => userId !== by);
    if (other !== undefined) {
      const whoCan = { text: 'An approver can unblock the card; first ask', userIds: [other] };
      return { why: 'Somebody else wants this card blocked as well.', whoCan };
    }
    if (await wasBlockedOutside(block, history))
      return { why: 'This card was unblocked and blocked again outside Slack since then.', isOutdated: true };
    const changedLater = async (counts?: (verb: string) => boolean) => {
      const latest = await latestChanges.changedBy(acctId, { kind: 'status', status: 'BLOCKED', cardId }, counts);
      return latest.find((changer) => changer !== actionId);
    };
    const later = await changedLater();
    if (later === undefined) return null;
    if ((await changedLater((verb) => verb === 'block')) !== undefined)
      return { why: 'This card was unblocked and blocked again since then.', isOutdated: true };
    const state = await progress.read(later);
    if (state?.state === 'sending' || reported(state)?.result.state === 'unknown') {
      const whoCan = 'Look at the card again in two minutes.';
      return { why: 'An unblock was sent already, but the card service has not answered yet.', whoCan, isUnsure: true };
    }
    return { why: 'This card was unblocked already.', whoCan: 'Nothing is left to undo.', isOutdated: true };
  };
}

/** The card service reported another block after this one. */
async function wasBlockedOutside(
  { actionId, acctId, cardId }: Block,
  history: WhyNotDeps['history'],
): Promise<boolean> {
  const own = await history.confirmedBy(acctId, 'BLOCKED', actionId);
  if (own === null || cardId === null) return false;
  const statuses = await history.statuses(cardId);
  const at = statuses.findIndex(({ eventId }) => eventId === own);
  return at !== -1 && statuses.slice(at + 1).some(({ status }) => status === 'BLOCKED');
}

interface EndUndoDeps extends Pick<ActionTools, 'withLock'> {
  readonly blocks: Pick<Blocks, 'get'>;
  readonly alerts: { get(id: string): Promise<{ outcomes: readonly Outcome[] } | null> };
  readonly outcomes: Pick<OutcomesOnAlerts, 'show'>;
}

/** {@link UNDO_MS} is over: removes *Undo* from the alert. Under the account's lock, because the block may be verified now. */
export function createEndUndo({ blocks, alerts, outcomes, withLock }: EndUndoDeps): (blockId: string) => Promise<void> {
  return async function endUndo(blockId) {
    const block = await blocks.get(blockId);
    if (block === null || block.alertId === null) return;
    const { acctId, alertId } = block;
    await withLock(`account:${acctId}`, async (lease) => {
      const alert = await alerts.get(alertId);
      const outcome = alert?.outcomes.find(({ control }) => control?.kind === 'undo' && control.id === blockId);
      if (outcome === undefined) return;
      await lease.confirm();
      await outcomes.show(alertId, blockId, { ...outcome, control: null });
    });
  };
}
