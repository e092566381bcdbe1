import { requestReminder } from '../../templates/approvals/request-notes.ts';
import { requestDecided, requestUnconfirmed } from '../../templates/holders/holder-request.ts';
import { refusal } from '../../templates/policy/refusal.ts';
import { reported } from '../actions/action-state.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Progress } from '../actions/progress-store.ts';
import { REMIND_AFTER_MS } from '../policy/decide-action.ts';
import type { Execution } from './execute-approval.ts';
import {
  type ApprovalInFlight,
  type ClosedRequest,
  isAboutRules,
  type LimitRequest,
  type OpenRequest,
  openedAtMs,
  orderIn,
  unconfirmedApproval,
} from './request.ts';
import type { Requests } from './request-store.ts';

interface Deps extends Pick<ActionTools, 'outcomes' | 'answer' | 'now' | 'updateRequest'> {
  readonly requests: Pick<Requests, 'save'>;
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
    if (request.state === 'withdrawn') await markAlert(request, 'It was withdrawn');
    if (request.action.verb === 'ask' || request.state === 'withdrawn')
      return await deps.holderNotices.notifyDecided(request);
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
    const isOwn = request.decision.by === request.action.actor.userId;
    const why = isOwn ? `You denied your own request.${note}` : `Another approver said no.${note}`;
    const whoCan = { text: 'Denied by', userIds: [request.decision.by] };
    await deps.answer(request.action, refusal({ what, why, whoCan, ...changed }));
  }
}

/** What somebody filled into the form of an order is kept no longer than until it is decided. */
function withoutOrder(request: ClosedRequest): ClosedRequest {
  const order = orderIn(request);
  return order === null ? request : { ...request, action: { ...order, target: { kind: 'order', sealed: '' } } };
}

interface HolderDeps extends Pick<ActionTools, 'notifyDirectly' | 'nameRuleset'> {
  readonly progress: Pick<Progress, 'read'>;
}

/** Tells a holder what became of what they asked for. Safe to repeat. */
export type HolderNotices = ReturnType<typeof createHolderNotices>;

export function createHolderNotices({ progress, nameRuleset, notifyDirectly }: HolderDeps) {
  return {
    /**
     * An approval is told only once the card service shows the change, or has not shown it in time: who decides and who
     * looks at the card both try, and the later of the two knows.
     */
    async notifyDecided(request: ClosedRequest): Promise<void> {
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
    /** Somebody approved, and nothing shows what became of it. */
    async notifyUnconfirmed(request: LimitRequest, approval: ApprovalInFlight): Promise<void> {
      const messageId = `${request.id}-unconfirmed-${approval.actionId}`;
      await notifyDirectly(request.action.actor.userId, messageId, requestUnconfirmed(request, approval));
    },
  };
}

/** By then an approval is confirmed, or it is clear that nothing will confirm it. */
const VERIFIED_MS = 3 * 60_000;

/** Nobody decided in time. Silence never approves. Runs under the request's lock. */
export type ExpireRequest = (request: OpenRequest) => Promise<void>;

interface ExpireDeps extends Pick<ActionTools, 'record'> {
  readonly resolve: ResolveRequest;
}

export function createExpireRequest({ record, resolve }: ExpireDeps): ExpireRequest {
  return async function expireRequest(request) {
    const { action, acctId, card, id } = request;
    const detail = `${id} expired without a decision`;
    await record(action, { event: 'ended', isByItself: true, acctId, cardId: card.cardId, detail });
    await resolve({ ...request, state: 'expired' });
  };
}

interface AgeDeps extends Pick<ActionTools, 'withLock' | 'now' | 'updateRequest'> {
  readonly requests: Pick<Requests, 'get' | 'save' | 'open' | 'remind'>;
  readonly execution: Pick<Execution, 'stop'>;
  readonly expire: ExpireRequest;
  readonly postReminder: PostReminder;
}

/**
 * A request that nobody answers: after a quarter of an hour the approvers are reminded and operators may break the
 * glass; after a day it ends. Safe to repeat, at any time.
 *
 * The returned function answers the milliseconds after which to look again, or null when the request is decided.
 */
export function createAgeRequest(deps: AgeDeps): (requestId: string) => Promise<number | null> {
  return async function ageRequest(requestId) {
    return await deps.withLock(`request:${requestId}`, async () => {
      const request = await deps.requests.get(requestId);
      if (request?.state !== 'open') return null;
      const now = deps.now().getTime();
      if (now > Date.parse(request.expiresAt)) {
        if ((await deps.execution.stop(request)) !== null) return VERIFIED_MS;
        await deps.expire(request);
        return null;
      }
      const remindAt = openedAtMs(request) + REMIND_AFTER_MS;
      if (request.remindedAt === null && now < remindAt) return remindAt - now + 1;
      if (request.remindedAt === null) await remind(request);
      return Date.parse(request.expiresAt) - now + 1;
    });
  };

  /** One reminder for all that the approvers of the group have waiting; those that are due as well need none of their own. */
  async function remind(request: OpenRequest): Promise<void> {
    const open = (await deps.requests.open()).filter(
      ({ id, card }) => id !== request.id && card.group === request.card.group,
    );
    await deps.postReminder([request, ...open]);
    const remindedAt = deps.now().toISOString();
    await deps.requests.save({ ...request, remindedAt });
    await deps.updateRequest(request.id);
    for (const other of open) {
      const isDue = deps.now().getTime() >= openedAtMs(other) + REMIND_AFTER_MS;
      if (isDue && other.remindedAt === null && (await deps.requests.remind(other.id, remindedAt))) {
        await deps.updateRequest(other.id);
      }
    }
  }
}

/** Reminds the approvers of a group of requests, the first of which is due. Safe to repeat. */
type PostReminder = (waiting: readonly [OpenRequest, ...OpenRequest[]]) => Promise<void>;

interface ReminderDeps extends Pick<ActionTools, 'whoMay' | 'postToApprovals'> {
  /** Address of a request's message; null: it has none. */
  readonly requestLink: (requestId: string) => Promise<string | null>;
}

export function createPostReminder({ whoMay, postToApprovals, requestLink }: ReminderDeps): PostReminder {
  return async function postReminder(waiting) {
    const [{ id, card }] = waiting;
    const linked = await Promise.all(
      waiting.map(async (request) => ({ request, link: await requestLink(request.id) })),
    );
    const reminder = requestReminder(linked, await whoMay('approver', card.group));
    await postToApprovals(`${id}-reminder`, reminder, card.group);
  };
}
