import type { Resolved } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { failAction } from '../actions/fail-action.ts';
import { auditRecord } from '../actions/report.ts';
import { AppError, CardApiError } from '../core/errors.ts';
import { composeApprovals } from './compose-approvals.ts';
import { composeResolveCard } from './compose-channels.ts';
import { createHandlers } from './handlers.ts';
import { type Action, entryOf } from './verbs.ts';

/**
 * Worker half of an action: find the card, do it once, write it down, tell.
 *
 * Runs at least once for each action. One account is worked on by one action at a time, so what two people press at
 * once happens one after the other, and the second finds it done. However it ends, the person hears of it.
 *
 * @throws whatever makes it worth running again; also on the last attempt what should never happen, for the record.
 */
export async function performAction(asked: Action, deps: ActionDeps): Promise<void> {
  const action = meant(asked);
  let resolved: Resolved = { action, acctId: 0, cardId: null };
  try {
    const { isOfCard, isLook = false } = entryOf(action.verb);
    if (isOfCard) {
      const card = await composeResolveCard(deps)(action);
      if (card === null) return;
      resolved = card;
    }
    const { acctId, cardId } = isOfCard ? resolved : { acctId: null, cardId: null };
    if (isLook) await deps.audit.append(auditRecord(action, 'asked', { acctId, cardId }, deps));
    // Which of the two a verb takes stands in its entry; a test holds the table and the handlers together.
    const handle = createHandlers(deps)[action.verb] as (given: Action | Resolved) => Promise<unknown>;
    await handle(isOfCard ? resolved : action);
  } catch (error) {
    const mayHelpAgain = !(error instanceof AppError) || error.retryable;
    if (mayHelpAgain && !deps.isLastAttempt) throw error;
    const answer = error instanceof CardApiError ? error : null;
    const isApproval = action.verb === 'break_glass' || (action.verb === 'decide' && action.approve);
    if (isApproval) await composeApprovals(deps).failApproval(action, answer);
    else await failAction(resolved, answer, deps);
    if (answer === null) throw error;
  }
}

/** An approver who links a card to nobody but themselves claims it, as everybody else does: somebody else confirms. */
function meant(action: Action): Action {
  if (action.verb !== 'link' || action.subject !== action.actor.userId) return action;
  const { subject: _subject, ...rest } = action;
  return { ...rest, verb: 'claim', confirmed: false };
}
