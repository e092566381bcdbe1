import { requestReminder } from '../../templates/approvals/request-notes.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { Role } from '../policy/decide.ts';
import { PATIENCE_MS } from '../policy/decide.ts';
import type { Message } from '../slack/message.ts';
import type { Execution } from './execute-approval.ts';
import { type OpenRequest, openedAtMs } from './request.ts';
import type { Requests } from './request-store.ts';
import type { ResolveRequest } from './resolve-request.ts';

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

interface Deps extends Pick<ActionTools, 'withLock' | 'now'> {
  readonly requests: Pick<Requests, 'get' | 'save' | 'open' | 'remind'>;
  readonly execution: Pick<Execution, 'whyNotYet'>;
  readonly expire: ExpireRequest;
  readonly postReminder: PostReminder;
  readonly updateRequest: (requestId: string) => Promise<void>;
}

/**
 * A request that nobody answers: after a quarter of an hour the approvers are reminded and operators may break the
 * glass; after a day it ends. Safe to repeat, at any time.
 *
 * The returned function answers the milliseconds after which to look again, or null when the request is decided.
 */
export function createAgeRequest(deps: Deps): (requestId: string) => Promise<number | null> {
  return async function ageRequest(requestId) {
    return await deps.withLock(`request:${requestId}`, async () => {
      const request = await deps.requests.get(requestId);
      if (request?.state !== 'open') return null;
      const now = deps.now().getTime();
      if (now > Date.parse(request.expiresAt)) {
        if ((await deps.execution.whyNotYet(request)) !== null) return VERIFIED_MS;
        await deps.expire(request);
        return null;
      }
      const remindAt = openedAtMs(request) + PATIENCE_MS;
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
      const isDue = deps.now().getTime() >= openedAtMs(other) + PATIENCE_MS;
      if (isDue && other.remindedAt === null && (await deps.requests.remind(other.id, remindedAt))) {
        await deps.updateRequest(other.id);
      }
    }
  }
}

/** Reminds the approvers of a group of requests, the first of which is due. Safe to repeat. */
export type PostReminder = (waiting: readonly [OpenRequest, ...OpenRequest[]]) => Promise<void>;

interface ReminderDeps {
  /** Whom to mention: user ids and user group ids. */
  readonly whoMay: (role: Role, group: string | null) => Promise<readonly string[]>;
  /** Posts for the approvers; the id makes repeating it nothing. */
  readonly postToApprovals: (id: string, message: Message, group: string | null) => Promise<void>;
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
