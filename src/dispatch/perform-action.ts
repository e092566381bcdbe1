import { seen } from '../../templates/alerts/seen.ts';
import { cardOf } from '../../templates/core/card-words.ts';
import type { Action, Verb } from '../actions/action.ts';
import { changeStatus } from '../actions/change-status.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { failAction } from '../actions/fail-action.ts';
import { refuse } from '../actions/record-refusal.ts';
import { recordUnchanged } from '../actions/record-unchanged.ts';
import { auditRecord, notify } from '../actions/report.ts';
import { unblock } from '../actions/unblock.ts';
import { undoBlock } from '../actions/undo-block.ts';
import { AppError, CardApiError } from '../core/errors.ts';
import { type Resolved, tooOld } from '../directory/resolve-card.ts';
import { changeRule } from '../limits/change-rule.ts';
import { decideTemporaryChange } from '../limits/decide-temporary-change.ts';
import { fillForm } from '../limits/fill-form.ts';
import { composeApprovals } from './compose-approvals.ts';
import { composeHolders, composeRecognizePurchase } from './compose-holders.ts';
import { composeVirtualCards } from './compose-virtual-cards.ts';
import {
  composeLooks,
  composeResolveCard,
  composeSetDigest,
  composeStartRecovery,
  isChannelVerb,
  isNotificationVerb,
  performInChannel,
  performNotificationVerb,
} from './notification-verbs.ts';

/**
 * Worker half of an action: find the card, do it once, write it down, tell.
 *
 * Runs at least once for each action. One account is worked on by one action at a time, so what two people press at
 * once happens one after the other, and the second finds it done. However it ends, the person hears of it.
 *
 * @throws whatever makes it worth running again; also on the last attempt what should never happen, for the record.
 */
export async function performAction(action: Action, deps: ActionDeps): Promise<void> {
  let resolved: Resolved = { action, acctId: 0, cardId: null };
  try {
    if (action.verb === 'acknowledge') return await acknowledge(action, deps);
    if (action.verb === 'claim' || isAboutOneself(action)) return await composeHolders(deps).claimCard(action);
    if (action.verb === 'decide-claim') return await composeHolders(deps).decideClaim(action);
    if (action.verb === 'order-virtual')
      return await composeVirtualCards(deps).orderVirtual(action, { isLast: deps.isLastAttempt });
    if (action.verb === 'recover') return await composeStartRecovery(deps)(action);
    if (action.verb === 'digest') return await composeSetDigest(deps)(action);
    if (action.verb === 'remedy') return await fillForm(action, deps);
    if (action.verb === 'undo_block') return await undoBlock(action, deps);
    if (action.verb === 'take_back' || action.verb === 'settle_lease') return await decideTemporaryChange(action, deps);
    if (action.verb === 'decide' || action.verb === 'break_glass') {
      const name = action.target.kind === 'request' ? action.target.requestId : action.id;
      const { decideRequest, overrideRequest } = composeApprovals(deps);
      const decide = action.verb === 'decide' ? decideRequest : overrideRequest;
      return await deps.withLock(`request:${name}`, () => decide(action, { isLast: deps.isLastAttempt }));
    }
    // What was picked is the action that it stands for; by itself it is only ever refused.
    if (action.verb === 'choose') return;
    if (isChannelVerb(action.verb)) {
      if (looks.has(action.verb)) await deps.audit.append(auditRecord(action, 'asked', noCard, deps));
      return await performInChannel(action, action.verb, deps);
    }
    const found = await composeResolveCard(deps)(action);
    if (found === null) return;
    resolved = found;
    await act(found, action.verb, deps);
  } catch (error) {
    const mayHelpAgain = !(error instanceof AppError) || error.retryable;
    if (mayHelpAgain && !deps.isLastAttempt) throw error;
    const ofCardApi = error instanceof CardApiError ? error : null;
    const isApproval = action.verb === 'break_glass' || (action.verb === 'decide' && action.approve === true);
    if (isApproval) await composeApprovals(deps).failApproval(action, ofCardApi);
    else await failAction(resolved, ofCardApi, deps);
    if (!(error instanceof CardApiError)) throw error;
  }
}

/** What changes nothing: that it was asked for is all there is to record. */
const looks: ReadonlySet<Verb> = new Set(['show', 'declines', 'track', 'why', 'subscriptions', 'mutes']);
const noCard = { acctId: null, cardId: null };

/** An approver who links a card to nobody but themselves claims it, as everybody else does: somebody else confirms. */
function isAboutOneself({ verb, subject, actor }: Action): boolean {
  return verb === 'link' && subject === actor.userId;
}

/** Done without looking for a card first. */
type NotOfCard =
  | 'choose'
  | 'acknowledge'
  | 'claim'
  | 'decide-claim'
  | 'recover'
  | 'digest'
  | 'order-virtual'
  | 'remedy'
  | 'undo_block'
  | 'take_back'
  | 'settle_lease'
  | 'decide'
  | 'break_glass';

async function act(resolved: Resolved, verb: Exclude<Verb, NotOfCard>, deps: ActionDeps): Promise<void> {
  const { action, acctId, cardId } = resolved;
  const { progress } = deps;
  if (looks.has(verb)) await deps.audit.append(auditRecord(action, 'asked', { acctId, cardId }, deps));
  if (verb === 'show') return await composeLooks(deps).show(resolved);
  if (verb === 'link') return await composeHolders(deps).linkCard(resolved);
  if (verb === 'unlink') return await composeHolders(deps).unlinkCard(resolved);
  if (verb === 'recognize') return await composeRecognizePurchase(deps)(action);
  if (verb === 'resend-virtual') {
    const { resendVirtual } = composeVirtualCards(deps);
    return await deps.withLock(`account:${acctId}`, () => resendVirtual(resolved, { isLast: deps.isLastAttempt }));
  }
  if (isChannelVerb(verb)) return;
  if (isNotificationVerb(verb)) return await performNotificationVerb(resolved, verb, deps);
  if (verb === 'ask')
    return await deps.withLock(`account:${acctId}`, () => composeApprovals(deps).askForRaise(resolved));

  if ((await progress.read(action.id)) === null) {
    await deps.audit.append(auditRecord(action, 'asked', { acctId, cardId }, deps));
    await progress.write(action.id, { state: 'asked' });
  }
  await deps.withLock(`account:${acctId}`, async () => {
    const written = await progress.read(action.id);
    if (written?.state === 'told') return;
    if (written?.state === 'settled') return await notify(action, verb, written, deps);
    if (verb === 'limit' || verb === 'allow')
      await changeRule(resolved, null, deps, composeApprovals(deps).openRequest);
    else if (verb === 'unblock') await unblock(resolved, deps);
    else await changeStatus(verb, resolved, deps);
  });
}

async function acknowledge(action: Action, deps: ActionDeps): Promise<void> {
  if (action.target.kind !== 'alert') return;
  const { alertId } = action.target;
  await deps.withLock(`alert:${alertId}`, async () => {
    const stored = await deps.alerts.get(alertId);
    if (stored === null) return await refuse(action, tooOld, deps);
    const known = stored.alert.outcomes.find(({ verb }) => verb === 'acknowledge');
    if (known !== undefined) {
      // Done again after a crash, it is not another wish.
      const { acctId } = stored.alert.event;
      if (known.by !== action.actor.userId) await recordUnchanged(action, { acctId }, deps);
      return;
    }
    const at = deps.now().toISOString();
    const { channel, messageTs } = action.origin;
    if (messageTs !== null) await deps.alertMessages.seen(alertId, { channel, ts: messageTs });
    await deps.audit.append(auditRecord(action, 'done', { acctId: stored.alert.event.acctId, cardId: null }, deps));
    await deps.alerts.setOutcome(alertId, action.id, {
      verb: 'acknowledge',
      by: action.actor.userId,
      at,
      state: 'done',
      text: '',
    });
    await deps.updateMessages(alertId);
    // Pressed in a message that only this person sees: nothing there changes by itself.
    if (messageTs === null) await deps.answer(action, seen(cardOf(stored.alert)));
  });
}
