import { notLinked, notPermitted } from '../../templates/policy/not-permitted.ts';
import { answerReplacedBy, type Resolved } from '../actions/action.ts';
import { isUnsent, reported } from '../actions/action-state.ts';
import type { ActionRun, ActionTools, Responses, Rights } from '../actions/action-tools.ts';
import { askOthers, othersAllowed } from '../actions/ask-others.ts';
import { type Cause, causeOf, type Failures } from '../actions/fail-action.ts';
import { askPermissionOf } from '../approvals/ask-permission.ts';
import type { DropApproval } from '../approvals/in-flight.ts';
import type { ApprovalClick } from '../approvals/request.ts';
import { AppError, CardApiError } from '../core/errors.ts';
import type { ResolveCard } from '../directory/resolve-card.ts';
import type { RaiseAmounts } from '../limits/raise-amount.ts';
import { type Decision, groupAsked, isForSomeCards, mayAsk } from '../policy/decide-action.ts';
import { lateOrder } from '../virtual-cards/permit-order.ts';
import type { OrderVirtualAction } from '../virtual-cards/verbs.ts';
import { type ActionOf, entryOf, insteadOf, isAsHolder, type Verb, type VerbAction, type verbs } from './verbs.ts';

/** The function that performs each verb. Verbs about one card also receive that card. */
export type Handlers = {
  readonly [V in Verb]: (
    given: (typeof verbs)[V] extends { readonly isOfCard: true } ? Resolved<ActionOf<V>> : ActionOf<V>,
    run: ActionRun,
  ) => Promise<unknown>;
};

interface Deps {
  readonly rights: Pick<Rights, 'mayAct'>;
  readonly permit: PermitAction;
  readonly resolveCard: ResolveCard;
  readonly recordLook: ReturnType<typeof createRecordSeen>;
  readonly handlers: Handlers;
  /** Called when the job of an action is over, whether it ended with an error or not. */
  readonly dropUnsent: (action: VerbAction) => Promise<void>;
  /** Whether others were asked to approve the action. */
  readonly hasRequest: (actionId: string) => Promise<boolean>;
  readonly failures: ReturnType<typeof createFailuresOfVerbs>;
}

/**
 * Worker half of an action: ask the policy, find the card, perform it once, record it, report it.
 *
 * Runs at least once per action. Each account is processed by one action at a time: of two simultaneous requests the
 * second finds the change already made. The person always gets an answer.
 *
 * The returned function throws errors that are worth a retry. On the last attempt it still throws unexpected errors, so
 * that they are recorded, and none whose cause the person was told.
 */
export function createPerformAction(deps: Deps): (asked: VerbAction, run: ActionRun) => Promise<void> {
  return async function performAction(asked, run) {
    const action = meant(asked);
    if (!(await deps.failures.isOver(action))) await attempt(action, run);
    // Also after a refusal that was complete already: its worker may have died before this.
    await deps.dropUnsent(action);
  };

  async function attempt(asked: VerbAction, run: ActionRun): Promise<void> {
    let action = asked;
    let resolved: Resolved = { action, acctId: 0, cardId: null };
    try {
      const permitted = await deps.permit(action);
      if (permitted === null) return;
      action = permitted;
      const { isOfCard = false, isLook = false, recordsLooks = false } = entryOf(action.verb);
      if (isOfCard) {
        const card = await deps.resolveCard(action);
        if (card === null) return;
        const ofCard = await deps.permit(card.action, card.acctId).catch(async (error: unknown) => {
          // Who may decide is not known, but whoever may see the card reads which one it is.
          if (await deps.rights.mayAct(card.action, card.acctId)) resolved = card;
          throw error;
        });
        if (ofCard === null) return;
        action = ofCard;
        resolved = { ...card, action };
      }
      if (isLook && !recordsLooks) await deps.recordLook(action, isOfCard ? resolved : null);
      await handle(action, resolved, run);
    } catch (error) {
      // Whoever only wants to see something can ask again. More calls would keep the card service from what others need.
      const isUnseen = error instanceof CardApiError && entryOf(action.verb).isLook === true;
      const mayHelpAgain = !(error instanceof AppError) || (error.retryable && !isUnseen);
      if (mayHelpAgain && !run.isLast) {
        const cause = causeOf(error);
        if (cause !== null) await deps.failures.notifyRetrying(resolved, cause);
        throw error;
      }
      // Others can still approve it, so it has not failed. Its handler continues with the request.
      if (await deps.hasRequest(action.id)) return await handle(action, resolved, run);
      await deps.failures.fail(action, resolved, causeOf(error));
      if (causeOf(error) !== null) return;
      await deps.dropUnsent(action);
      throw error;
    }
  }

  async function handle(action: VerbAction, resolved: Resolved, run: ActionRun): Promise<void> {
    // The verb's entry decides which of the two it takes. A test checks that the table and the handlers agree.
    const handler = deps.handlers[action.verb] as (given: VerbAction | Resolved, run: ActionRun) => Promise<unknown>;
    await handler(entryOf(action.verb).isOfCard === true ? resolved : action, run);
  }
}

/** Records that somebody has seen something. @param card null: the verb is about no card, but its target may be. */
export function createRecordSeen({ recordLook, accountOf }: Pick<ActionTools, 'recordLook' | 'accountOf'>) {
  return async function recordSeen(action: VerbAction, card: Resolved | null): Promise<void> {
    const acctId = card === null ? await accountOf(action.target) : card.acctId;
    const seen = action.verb === 'look' ? action.seen : null;
    await recordLook(action, { acctId, cardId: card?.cardId ?? null, seen });
  };
}

interface FailDeps extends Pick<ActionTools, 'isRefused'> {
  /** Fails an approval that will not be retried. The error is null when the cause is Cardbell's, not the card API's. */
  readonly failApproval: (click: ApprovalClick, error: Cause) => Promise<void>;
  /** The same for an order that one person made alone. */
  readonly failOrder: (action: OrderVirtualAction, error: Cause) => Promise<void>;
  readonly failures: Pick<Failures, 'failAction' | 'isGivenUp' | 'notifyRetrying'>;
}

/** How an action of any verb ends without success, and what people read while it is tried again. */
export function createFailuresOfVerbs({ isRefused, failApproval, failOrder, failures }: FailDeps) {
  return {
    /** True for an action that an earlier attempt refused or gave up. Completes its report if parts are missing. */
    isOver: async (action: VerbAction): Promise<boolean> =>
      (await isRefused(action)) || (await failures.isGivenUp(action)),
    async fail(action: VerbAction, resolved: Resolved, cause: Cause): Promise<void> {
      if (isApproval(action)) await failApproval(action, cause);
      else if (action.verb === 'order-virtual') await failOrder(action, cause);
      else await failures.failAction(resolved, cause);
    },
    notifyRetrying: failures.notifyRetrying,
  };
}

interface DropDeps extends Pick<ActionTools, 'progress'> {
  readonly dropApproval: DropApproval;
  readonly raises: Pick<RaiseAmounts, 'forget'>;
}

/**
 * Drops what an action that sent nothing may have left: its approval in flight, and its raise, which counts once it is
 * allowed. An attempt that was allowed may have died before it sent anything. Idempotent.
 */
export function createDropUnsent({ progress, dropApproval, raises }: DropDeps): (action: VerbAction) => Promise<void> {
  return async function dropUnsent(action) {
    if (isApproval(action)) await dropApproval(action);
    else if (!mayRaise.has(action.verb)) return;
    const written = await progress.read(action.id);
    if (isUnsent(written) || written.state === 'failed' || written.state === 'waiting') await raises.forget(action);
  };
}

/** Not the end of a temporary change: what is kept counts, although nothing of it is sent. */
const mayRaise: ReadonlySet<Verb> = new Set(['limit', 'allow', 'order-virtual']);

function isApproval(action: VerbAction): action is ApprovalClick {
  return action.verb === 'emergency-override' || (action.verb === 'decide' && action.approve);
}

/** An approver who links a card to themselves claims it, like everyone else, so another person confirms it. */
function meant(action: VerbAction): VerbAction {
  if (action.verb !== 'link' || action.subject !== action.actor.userId) return action;
  const { subject: _subject, ...rest } = action;
  return { ...rest, verb: 'claim', confirmed: false };
}

interface PermitDeps extends Pick<ActionTools, 'progress' | 'putChoice'> {
  readonly rights: Pick<Rights, 'authorize' | 'groupOfCard' | 'rolesNow' | 'whoMay'>;
  readonly responses: Pick<Responses, 'askAgain' | 'refuse' | 'refuseWith'>;
}

type Refusing = Extract<Decision, { kind: 'refused' }>;

/**
 * Checks whether the person may do this, with their current roles, before the worker does anything. Checked again once
 * the card is known: its group may have its own people, and it may be the person's own card. Rules about the amount are
 * checked where the amount is known.
 *
 * @returns the action with these roles. Null: not permitted, or it waited too long; the person has been told.
 */
type PermitAction = <A extends VerbAction>(asked: A, acctId?: number) => Promise<A | null>;

export function createPermitAction(deps: PermitDeps): PermitAction {
  return async function permitAction<A extends VerbAction>(asked: A, acctId?: number) {
    const replaced = answerReplacedBy(asked);
    // Before anything is answered, also if it is refused or fails.
    if (replaced !== null) await deps.progress.answerReplaced(replaced);
    const { permission } = entryOf(asked.verb);
    const roles = await deps.rights.rolesNow(asked, acctId ?? groupAsked(permission));
    const action: A = { ...asked, roles, asHolder: isAsHolder(asked.verb, roles) };
    // Permitted before it was sent, so its outcome has to be determined.
    const written = await deps.progress.read(action.id);
    if (written?.state === 'sending' || reported(written) !== null) return action;
    // Once the card is known, so that the record is the same.
    const isWhole = acctId !== undefined || entryOf(action.verb).isOfCard !== true;
    const isAskedAgain = isWhole && written?.state === 'asked' && written.isAskedAgain === true;
    const decision = isAskedAgain ? null : await deps.rights.authorize(action, acctId === undefined ? {} : { acctId });
    if (decision === null || decision.kind === 'late')
      await (action.target.kind === 'order'
        ? deps.responses.refuse(action, lateOrder)
        : deps.responses.askAgain(action, acctId === undefined ? {} : { acctId }));
    else if (decision.kind === 'refused') await refuse(decision, asked, action, acctId);
    else return action;
    return null;
  };

  async function refuse({ why, who }: Refusing, asked: VerbAction, action: VerbAction, acctId?: number): Promise<void> {
    const { permission } = entryOf(action.verb);
    const { role, doing } = permission;
    const group = acctId === undefined ? groupAsked(permission) : ((await deps.rights.groupOfCard(acctId)) ?? null);
    const isByRole = !mayAsk(permission, action.roles);
    const askValue = await deps.putChoice(askPermissionOf(action), null);
    if (acctId !== undefined && (asked.asHolder || !isByRole)) {
      const other = { ...(await askOthers(action, who, group, deps)), askValue };
      const no = isByRole ? notLinked() : { why, whoCan: other };
      return await deps.responses.refuse(action, no, { acctId, isNotPermitted: true });
    }
    const ofAnyCard = await deps.rights.rolesNow(asked);
    const people = {
      isExternal: false,
      isForSomeCards: isForSomeCards(permission, ofAnyCard),
      whoMay: await othersAllowed(action, role, group, deps),
    };
    const instead = insteadOf(action.verb, ofAnyCard);
    const message = notPermitted({ doing, role, ...people, instead, askValue });
    await deps.responses.refuseWith(action, message, { why, acctId: acctId ?? null, isNotPermitted: true });
  }
}
