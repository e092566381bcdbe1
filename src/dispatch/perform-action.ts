import { notPermitted } from '../../templates/policy/not-permitted.ts';
import type { Resolved } from '../actions/action.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionRun, ActionTools } from '../actions/action-tools.ts';
import type { RecordAction } from '../actions/record.ts';
import type { Looks } from '../actions/record-limits.ts';
import { askPermissionOf } from '../approvals/ask-permission.ts';
import { AppError, CardApiError } from '../core/errors.ts';
import { commandCode } from '../core/installation.ts';
import type { ResolveCard } from '../directory/resolve-card.ts';
import { type Decision, mayAsk, type Role } from '../policy/decide-action.ts';
import { type Action, type ActionOf, entryOf, isAsHolder, type Verb, type verbs } from './verbs.ts';

/** Who does what is asked for: what is about one card gets that card as well. */
export type Handlers = {
  readonly [V in Verb]: (
    given: (typeof verbs)[V] extends { readonly isOfCard: true } ? Resolved<ActionOf<V>> : ActionOf<V>,
    run: ActionRun,
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
export function createPerformAction(deps: Deps): (asked: Action, run: ActionRun) => Promise<void> {
  return async function performAction(asked, run) {
    let action = meant(asked);
    let resolved: Resolved = { action, acctId: 0, cardId: null };
    if (await deps.failures.isGivenUp(action)) return;
    try {
      const permitted = await deps.permit(action);
      if (permitted === null) return;
      action = permitted;
      const { isOfCard = false, isLook = false } = entryOf(action.verb);
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
      const handle = deps.handlers[action.verb] as (given: Action | Resolved, run: ActionRun) => Promise<unknown>;
      await handle(isOfCard ? resolved : action, run);
    } catch (error) {
      const mayHelpAgain = !(error instanceof AppError) || error.retryable;
      if (mayHelpAgain && !run.isLast) throw error;
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

interface PermitDeps
  extends Pick<
    ActionTools,
    | 'authorize'
    | 'rolesNow'
    | 'askAgain'
    | 'progress'
    | 'recordRefusal'
    | 'refuse'
    | 'answer'
    | 'whoMay'
    | 'putChoice'
    | 'groupOfCard'
  > {}

type Refusing = Extract<Decision, { kind: 'refused' }>;

/**
 * Before the worker does anything that somebody asked for: whether they may, by the roles that they have now. Asked again
 * as soon as it is clear which card is meant: its group may have people of its own, and it may be the person's own card.
 * What it takes because of the amount is decided where that is known.
 *
 * @returns the action with these roles. Null: they may not, or it waited too long; they have been told.
 */
type PermitAction = <A extends Action>(asked: A, acctId?: number) => Promise<A | null>;

export function createPermitAction(deps: PermitDeps): PermitAction {
  return async function permitAction<A extends Action>(asked: A, acctId?: number) {
    const roles = await deps.rolesNow(asked, acctId);
    const action: A = { ...asked, roles, asHolder: isAsHolder(asked.verb, roles) };
    // It was permitted before it was sent: what became of it has to be found out.
    const written = await deps.progress.read(action.id);
    if (written?.state === 'sending' || reported(written) !== null) return action;
    const decision = await deps.authorize(action, acctId === undefined ? {} : { acctId });
    if (decision.kind === 'late') await deps.askAgain(action, acctId === undefined ? {} : { acctId });
    else if (decision.kind === 'refused') await refuse(decision, asked, action, acctId);
    else return action;
    return null;
  };

  async function refuse({ why, who }: Refusing, asked: Action, action: Action, acctId?: number): Promise<void> {
    const { permission } = entryOf(action.verb);
    const { role, doing } = permission;
    const group = acctId === undefined ? undefined : ((await deps.groupOfCard(acctId)) ?? null);
    const whoMay = async (needed: Role | null) => (needed === null ? [] : await deps.whoMay(needed, group));
    const isByRole = !mayAsk(permission, action.roles);
    if (acctId !== undefined && (asked.asHolder || !isByRole)) {
      const userIds = (await whoMay(who)).filter((id) => id !== action.actor.userId);
      const other = {
        text: who === 'approver' ? 'Ask another approver.' : 'Ask another operator or an approver.',
        userIds,
        askValue: await deps.putChoice(askPermissionOf(action), null),
      };
      const no = isByRole ? notLinked() : { why, whoCan: other };
      return await deps.refuse(action, { what: null, ...no }, { acctId });
    }
    await deps.recordRefusal(action, { why, acctId: acctId ?? null });
    const askValue = await deps.putChoice(askPermissionOf(action), null);
    await deps.answer(action, notPermitted({ doing, role, isExternal: false, whoMay: await whoMay(role), askValue }));
  }
}

const notLinked = () => ({
  why: 'This card is not linked to you.',
  whoCan: `If it should be yours, say so with ${commandCode('link')} and the last four digits.`,
});
