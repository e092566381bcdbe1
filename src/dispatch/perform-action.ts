import type { Resolved } from '../actions/action.ts';
import type { Attempt } from '../actions/action-tools.ts';
import type { Looks } from '../actions/look-store.ts';
import type { RecordAction } from '../actions/record.ts';
import { AppError, CardApiError } from '../core/errors.ts';
import type { ResolveCard } from '../directory/resolve-card.ts';
import type { PermitAction } from './permit-action.ts';
import { type Action, type ActionOf, entryOf, type Verb, type verbs } from './verbs.ts';

/** Who does what is asked for: what is about one card gets that card as well. */
export type Handlers = {
  readonly [V in Verb]: (
    given: (typeof verbs)[V]['isOfCard'] extends true ? Resolved<ActionOf<V>> : ActionOf<V>,
    attempt: Attempt,
  ) => Promise<unknown>;
};

interface Deps {
  readonly permit: PermitAction;
  readonly resolveCard: ResolveCard;
  readonly record: RecordAction;
  readonly looks: Looks;
  /** Whose card something is about. */
  readonly accountOf: (target: Action['target']) => Promise<number | null>;
  readonly handlers: Handlers;
  /** An approval that is not tried again. The error is null when the fault is ours, not the card API's. */
  readonly failApproval: (
    click: ActionOf<'decide' | 'emergency-override'>,
    error: CardApiError | null,
  ) => Promise<void>;
  readonly failures: {
    /** Any other action that is not tried again. */
    readonly failAction: (resolved: Resolved, error: CardApiError | null) => Promise<void>;
    /** It was given up, and whoever asked was told so. */
    readonly isGivenUp: (action: Action) => Promise<boolean>;
  };
}

/**
 * Worker half of an action: ask the policy, find the card, do it once, write it down, tell.
 *
 * Runs at least once for each action. One account is worked on by one action at a time, so what two people press at
 * once happens one after the other, and the second finds it done. However it ends, the person hears of it.
 *
 * The returned function throws whatever makes it worth running again; also on the last attempt what should never happen,
 * for the record.
 */
export function createPerformAction(deps: Deps): (asked: Action, attempt: Attempt) => Promise<void> {
  return async function performAction(asked, attempt) {
    let action = meant(asked);
    let resolved: Resolved = { action, acctId: 0, cardId: null };
    if (await deps.failures.isGivenUp(action)) return;
    try {
      const permitted = await deps.permit(action);
      if (permitted === null) return;
      action = permitted;
      const { isOfCard, isLook = false } = entryOf(action.verb);
      if (isOfCard) {
        const card = await deps.resolveCard(action);
        if (card === null) return;
        const ofCard = await deps.permit(card.action, card.acctId);
        if (ofCard === null) return;
        action = ofCard;
        resolved = { ...card, action };
      }
      if (isLook) await recordLook(action, isOfCard ? resolved : { cardId: null });
      // Which of the two a verb takes stands in its entry; a test holds the table and the handlers together.
      const handle = deps.handlers[action.verb] as (given: Action | Resolved, attempt: Attempt) => Promise<unknown>;
      await handle(isOfCard ? resolved : action, attempt);
    } catch (error) {
      const mayHelpAgain = !(error instanceof AppError) || error.retryable;
      if (mayHelpAgain && !attempt.isLast) throw error;
      const answer = error instanceof CardApiError ? error : null;
      if (action.verb === 'emergency-override' || (action.verb === 'decide' && action.approve))
        await deps.failApproval(action, answer);
      else await deps.failures.failAction(resolved, answer);
      if (answer === null) throw error;
    }
  };

  /** Who has seen what of which card. */
  async function recordLook(action: Action, card: { readonly acctId?: number; readonly cardId: number | null }) {
    const acctId = card.acctId ?? (await deps.accountOf(action.target));
    const seen = action.verb === 'look' ? action.seen : null;
    const look = { id: action.id, verb: seen ?? action.verb, userId: action.actor.userId, acctId };
    if (!(await deps.looks.isFirst(look))) return;
    await deps.record(action, { event: 'asked', acctId, cardId: card.cardId, ...(seen !== null && { detail: seen }) });
  }
}

/** An approver who links a card to nobody but themselves claims it, as everybody else does: somebody else confirms. */
function meant(action: Action): Action {
  if (action.verb !== 'link' || action.subject !== action.actor.userId) return action;
  const { subject: _subject, ...rest } = action;
  return { ...rest, verb: 'claim', confirmed: false };
}
