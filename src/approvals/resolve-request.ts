import { requestReminder } from '../../templates/approvals/request-notes.ts';
import { requestDecided, sameRequestEnded } from '../../templates/holders/holder-request.ts';
import { alertIdOf, withoutForm } from '../actions/action.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionTools, Rights } from '../actions/action-tools.ts';
import type { Progress } from '../actions/progress-store.ts';
import { decisionOf } from '../core/decided-record.ts';
import type { Lease } from '../core/lock.ts';
import type { TemporaryChanges } from '../limits/temporary-change-store.ts';
import { ruleVerbOf } from '../limits/verbs.ts';
import { REQUEST_OVERDUE_MS } from '../policy/decide-action.ts';
import { withAnswers } from './block-all.ts';
import type { EndRequest } from './paid-request.ts';
import {
  type ApprovalInFlight,
  type ApprovalRequest,
  accountIn,
  approversWithoutAnswer,
  type ClosedRequest,
  hasMadeChange,
  isAboutRules,
  isChanged,
  isInOwnName,
  isOverdue,
  type MadeRequest,
  type OpenRequest,
  orderIn,
  overdueAtMs,
  unconfirmedApproval,
} from './request.ts';
import { expiryOf, isAmendmentOver, isExpired, untilEndMs } from './request-expiry.ts';
import type { Requests } from './request-store.ts';

interface Deps extends Pick<ActionTools, 'outcomes' | 'now' | 'updateRequest' | 'notifyDirectly' | 'nameRuleset'> {
  readonly requests: Pick<Requests, 'save' | 'get'>;
  readonly progress: Pick<Progress, 'read'>;
  readonly temporaryChanges: Pick<TemporaryChanges, 'get'>;
}

/** What becomes of a request that is decided. Idempotent. */
export type RequestEnds = ReturnType<typeof createRequestEnds>;

export function createRequestEnds(deps: Deps) {
  return {
    /** Stores the decision, updates the request's messages and notifies the person who asked. */
    async resolve(request: ClosedRequest): Promise<void> {
      await deps.requests.save(withoutOrder(request));
      await deps.updateRequest(request.id);
      if (!hasMadeChange(request)) await markAlert(request, deps);
      // Somebody may have asked for the same since the request was read.
      const askedToo = (await deps.requests.get(request.id))?.askedToo;
      await notifyDecided({ ...request, askedToo });
    },
    notifyDecided,
  };

  /**
   * An approval is reported only after the card service shows the change, or fails to show it in time. Both the
   * decision and the verification call this; the later of the two has the result.
   */
  async function notifyDecided(request: ClosedRequest): Promise<void> {
    const { id, action, state } = request;
    const messageId = `${id}-${state}`;
    if (!hasMadeChange(request)) {
      await deps.notifyDirectly(action.actor.userId, messageId, requestDecided(request));
      return await tellOthers(request, messageId);
    }
    const result = reported(await deps.progress.read(request.decision.actionId))?.result;
    const confirmation = result?.confirmation;
    if (confirmation === 'sent') return;
    // The change itself may have taken the card out of the ruleset it followed.
    const followed = result === undefined ? request.card : { ...request.card, ruleset: result.card.ruleset };
    const shown = { ...request, card: await deps.nameRuleset(followed) };
    const { temporaryChangeId } = request;
    const made = temporaryChangeId === null ? null : await deps.temporaryChanges.get(temporaryChangeId);
    // A change that got no answer decides its request only when it is found in effect.
    const isFound = confirmation === 'confirmed' || result?.state === 'unknown';
    const isConfirmed = confirmation === undefined || isFound;
    const endsAt = made?.endsAt ?? null;
    // Before anything showed it, somebody took it back, lowered or shortened it. Its holder has read that.
    const isTakenBack = made?.state === 'ended' && made.closedBy !== null;
    const isOver = action.verb === 'ask' && (isTakenBack || made?.isLost === true);
    if (isToldApart(request, madeBy(request)) && !isOver)
      await deps.notifyDirectly(action.actor.userId, messageId, requestDecided(shown, { isConfirmed, endsAt }));
    // What they asked for as well is done, unless something else was.
    if (isChanged(request)) await tellOthers(shown, messageId);
  }

  /** Everybody else who asked for the same. */
  async function tellOthers(request: ClosedRequest, messageId: string): Promise<void> {
    for (const userId of request.askedToo ?? [])
      if (userId !== decisionOf(request)?.by)
        await deps.notifyDirectly(userId, `${messageId}-${userId}`, sameRequestEnded(request));
  }
}

type DecidedChange = Pick<ApprovalInFlight, 'kind' | 'by' | 'changes' | 'term' | 'note'>;

/** Whether the change does not tell the person who asked what was decided: somebody else is told of it, or left a note. */
export function isToldApart(request: ApprovalRequest, approval: DecidedChange): boolean {
  const { action } = request;
  if (action.verb === 'ask') return true;
  const isMore = isInOwnName(request, approval) || approval.note !== '';
  return isAboutRules(request) && isMore && approval.by !== action.actor.userId;
}

/** What the approval or override that made its change decided. */
function madeBy({ state, decision, changes, term, note }: MadeRequest): DecidedChange {
  return { kind: state === 'overridden' ? 'override' : 'approval', by: decision.by, changes, term, note };
}

type UnmadeRequest = Exclude<ClosedRequest, MadeRequest>;

const endWords: Readonly<Record<UnmadeRequest['state'], string>> = {
  denied: 'An approver said no',
  expired: 'The request expired',
  withdrawn: 'It was withdrawn',
};

/** The original alert no longer waits. */
async function markAlert(request: UnmadeRequest, { outcomes, now }: Pick<Deps, 'outcomes' | 'now'>): Promise<void> {
  const { actor, id, verb: asked } = request.action;
  const alertId = alertIdOf(request.action);
  if (alertId === null || !isAboutRules(request)) return;
  await outcomes.show(alertId, id, {
    verb: ruleVerbOf(request.changes),
    by: actor.userId,
    // Of a request that ended by itself, always the same: this may run again.
    at: request.state === 'expired' ? (request.paidAt ?? expiryOf(request).at) : now().toISOString(),
    state: unconfirmedApproval(request) === null ? 'failed' : 'unknown',
    text: request.paidAt === undefined ? endWords[request.state] : 'The purchase was paid',
    closed: { how: request.paidAt === undefined ? request.state : 'paid', by: decisionOf(request)?.by ?? null },
    asHolder: asked === 'ask',
  });
}

/** An order's form data is kept only until the decision. */
function withoutOrder(request: ClosedRequest): ClosedRequest {
  const order = orderIn(request);
  return order === null ? request : { ...request, action: withoutForm(order) };
}

/** After this time an approval is confirmed, or will not be confirmed any more. */
const VERIFIED_MS = 3 * 60_000;

/** Nobody decided in time. Silence never approves. Runs under the request's lock. */
export type ExpireRequest = (request: OpenRequest, lease: Lease) => Promise<void>;

interface ExpireDeps extends Pick<ActionTools, 'record'> {
  readonly progress: Pick<Progress, 'read'>;
  readonly resolve: RequestEnds['resolve'];
}

export function createExpireRequest({ record, progress, resolve }: ExpireDeps): ExpireRequest {
  return async function expireRequest(request, lease) {
    await lease.confirm();
    const { action, card, id } = request;
    const detail =
      request.paidAt === undefined ? `${id} expired without a decision` : `${id} ended: its purchase was paid`;
    const acctId = accountIn(request);
    await record(action, { event: 'ended', isByItself: true, acctId, cardId: card.cardId, detail });
    await resolve({ ...(await withAnswers(request, { progress })), state: 'expired' });
  };
}

interface AgeDeps extends Pick<ActionTools, 'withLock' | 'now' | 'cardChanged'> {
  /** Posts its message unless there is one. */
  readonly postRequest: (request: OpenRequest) => Promise<void>;
  readonly requests: Pick<Requests, 'get'>;
  readonly endRequest: EndRequest;
  readonly resolve: RequestEnds['resolve'];
  readonly remind: ReturnType<typeof createRemindApprovers>;
}

/**
 * An unanswered request: after 15 minutes approvers are reminded and operators may use the emergency override; after a
 * day it expires. Idempotent at any time.
 *
 * The returned function returns the milliseconds until the next check, or null when the request is decided.
 */
export function createAgeRequest(deps: AgeDeps): (requestId: string) => Promise<number | null> {
  return async function ageRequest(requestId) {
    return await deps.withLock(`request:${requestId}`, async (lease) => {
      const request = await deps.requests.get(requestId);
      // A worker may have died before everybody was told.
      if (request?.state === 'expired') await deps.resolve(request);
      if (request?.state !== 'open') return null;
      const now = deps.now().getTime();
      if (isExpired(request, deps.now())) return (await deps.endRequest(request, lease)) ? null : VERIFIED_MS;
      // The action that asked may have failed for good before it was posted.
      await deps.postRequest(request);
      // Its card is read, and it shows what was asked for again.
      if (isAmendmentOver(request, deps.now())) await deps.cardChanged(request.acctId);
      const untilEnd = untilEndMs(request, deps.now());
      const overdueAt = overdueAtMs(request);
      if (!isOverdue(request) && now < overdueAt) return Math.min(untilEnd, overdueAt - now + 1);
      await deps.remind(request, lease);
      // An approver may change what it ends with meanwhile.
      return Math.min(untilEnd, LOOK_AGAIN_MS);
    });
  };
}

/** How often a request that may have expired earlier than planned is checked. */
const LOOK_AGAIN_MS = 3_600_000;

interface RemindDeps extends Pick<ActionTools, 'now' | 'updateRequest' | 'postToApprovals'> {
  readonly rights: Pick<Rights, 'whoMay'>;
  /** Link to a request's message; null: none. */
  readonly requestLink: (requestId: string) => Promise<string | null>;
  readonly requests: Pick<Requests, 'save' | 'open' | 'remind'>;
}

/**
 * Sends one reminder for all open requests of the group, unless an earlier one listed this request after at least half of
 * its time.
 */
export function createRemindApprovers(deps: RemindDeps) {
  return async function remindApprovers(request: OpenRequest, lease: Lease): Promise<void> {
    // After a crash, or because another request's reminder listed it, the message may not show yet that it is overdue.
    if (isOverdue(request)) return await deps.updateRequest(request.id);
    const open = (await deps.requests.open()).filter(
      ({ id, card }) => id !== request.id && card.group === request.card.group,
    );
    const isListed = request.remindedAt !== null;
    if (!isListed) await postReminder([request, ...open]);
    const remindedAt = deps.now().toISOString();
    await lease.confirm();
    await deps.requests.save({ ...request, remindedAt });
    await deps.updateRequest(request.id);
    // What has only begun to wait is reminded of when it has waited, too.
    const isOld = (other: OpenRequest) => overdueAtMs(other) - Date.parse(remindedAt) <= REQUEST_OVERDUE_MS / 2;
    for (const other of isListed ? [] : open.filter(isOld)) {
      if (isOverdue(other) || (await deps.requests.remind(other.id, remindedAt)) === null) continue;
      if (isOverdue({ ...other, remindedAt })) await deps.updateRequest(other.id);
    }
  };

  /** Reminds the approvers of a group of open requests, the first of which is due. Idempotent. */
  async function postReminder(waiting: readonly [OpenRequest, ...OpenRequest[]]): Promise<void> {
    const [{ id, card }] = waiting;
    const linked = await Promise.all(
      waiting.map(async (request) => ({ request, link: await deps.requestLink(request.id) })),
    );
    const approvers = await deps.rights.whoMay('approver', card.group);
    const wanted = approvers.filter((userId) =>
      waiting.some((request) => approversWithoutAnswer(request, [userId]).length > 0),
    );
    const reminder = requestReminder(linked, wanted);
    await deps.postToApprovals(`${id}-reminder`, reminder, card.group);
  }
}
