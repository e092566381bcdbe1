import { requestDecided, requestUnconfirmed } from '../../templates/holders/holder-request.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Progress } from '../actions/progress-store.ts';
import type { CardFacts } from '../core/card-facts.ts';
import {
  type ApprovalInFlight,
  type ClosedRequest,
  isAboutRules,
  type LimitRequest,
  orderIn,
  unconfirmedApproval,
} from './request.ts';
import type { Requests } from './request-store.ts';

interface Deps extends Pick<ActionTools, 'outcomes' | 'answer' | 'now'> {
  readonly requests: Pick<Requests, 'save'>;
  /** Brings a request's message up to date, soon. */
  readonly updateRequest: (requestId: string) => Promise<void>;
  readonly holderNotices: Pick<HolderNotices, 'notifyDecided'>;
}

/** A request is decided: keeps that, brings its messages up to date, and tells the one who asked. Safe to repeat. */
export type ResolveRequest = (request: ClosedRequest) => Promise<void>;

export function createResolveRequest(deps: Deps): ResolveRequest {
  return async function resolveRequest(request) {
    await deps.requests.save(withoutOrder(request));
    await deps.updateRequest(request.id);
    if (request.state === 'denied') await markAlert(request, 'An approver said no');
    if (request.state === 'expired') await markAlert(request, 'Nobody decided in time');
    if (request.action.verb === 'ask') return await deps.holderNotices.notifyDecided(request);
    // What an approval did, its own result tells.
    if (request.state === 'denied' || request.state === 'expired') await tellRefused(request);
  };

  /** The alert that it was asked from no longer waits. */
  async function markAlert(request: ClosedRequest, text: string): Promise<void> {
    const { target, actor, id } = request.action;
    if (target.kind !== 'alert' || !isAboutRules(request)) return;
    const state = unconfirmedApproval(request) === null ? 'failed' : 'unknown';
    const outcome = { verb: 'limit', by: actor.userId, at: deps.now().toISOString(), state, text } as const;
    await deps.outcomes.show(target.alertId, id, outcome);
  }

  async function tellRefused(request: Extract<ClosedRequest, { state: 'denied' | 'expired' }>): Promise<void> {
    const isRaise = isAboutRules(request);
    const what = isRaise ? 'Your raise' : orderIn(request) === null ? 'Blocking these cards' : 'Your order';
    const changed =
      unconfirmedApproval(request) === null
        ? {}
        : { changed: 'Whether an earlier approval changed anything is not certain.' };
    if (request.state === 'expired') {
      const why = 'Nobody decided within 24 hours, so the request expired.';
      return await deps.answer(request.action, refusal({ what, why, whoCan: 'Ask again.', ...changed }));
    }
    const note = request.note === '' ? '' : ` Their note: “${request.note}”`;
    const why = `Another approver said no.${note}`;
    const whoCan = { text: 'Denied by', userIds: [request.decision.by] };
    await deps.answer(request.action, refusal({ what, why, whoCan, ...changed }));
  }
}

/** What somebody filled into the form of an order is kept no longer than until it is decided. */
function withoutOrder(request: ClosedRequest): ClosedRequest {
  const order = orderIn(request);
  return order === null ? request : { ...request, action: { ...order, target: { kind: 'order', sealed: '' } } };
}

interface HolderDeps extends Pick<ActionTools, 'notifyDirectly'> {
  readonly progress: Pick<Progress, 'read'>;
  /** The same facts, with the name of the spending ruleset that the card follows. */
  readonly nameRuleset: (card: CardFacts) => Promise<CardFacts>;
}

/** Tells a holder what became of what they asked for. Safe to repeat. */
export interface HolderNotices {
  /**
   * An approval is told only once the card service shows the change, or has not shown it in time: who decides and who
   * looks at the card both try, and the later of the two knows.
   */
  notifyDecided(request: ClosedRequest): Promise<void>;
  /** Somebody approved, and nothing shows what became of it. */
  notifyUnconfirmed(request: LimitRequest, approval: ApprovalInFlight): Promise<void>;
}

export function createHolderNotices({ progress, nameRuleset, notifyDirectly }: HolderDeps): HolderNotices {
  return {
    async notifyDecided(request) {
      const { id, action, state } = request;
      const messageId = `${id}-${state}`;
      if (state !== 'approved' && state !== 'overridden') {
        return await notifyDirectly(action.actor.userId, messageId, requestDecided(request));
      }
      const result = reported(await progress.read(request.decision.actionId))?.result;
      const confirmation = result?.confirmation;
      if (confirmation === 'sent') return;
      const isConfirmed = confirmation === undefined || confirmation === 'confirmed';
      // By the change itself the card may have left the ruleset that it followed when it was asked.
      const followed = result === undefined ? request.card : { ...request.card, ruleset: result.card.ruleset };
      const shown = { ...request, card: await nameRuleset(followed) };
      await notifyDirectly(action.actor.userId, messageId, requestDecided(shown, { isConfirmed }));
    },
    async notifyUnconfirmed(request, approval) {
      const messageId = `${request.id}-unconfirmed-${approval.actionId}`;
      await notifyDirectly(request.action.actor.userId, messageId, requestUnconfirmed(request, approval));
    },
  };
}
