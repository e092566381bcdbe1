import { alertIdOf } from '../actions/action.ts';
import { saveUndecided } from '../core/decided-record.ts';
import { stateKey } from '../core/keys.ts';
import { commit, createOpenRecordStore, type OpenRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import { ApprovalRequest, type OpenRequest } from './request.ts';

const KEPT_SECONDS = 30 * 24 * 3600;
/** Per account. */
const KEPT_MAX = 50;

export type Requests = ReturnType<typeof createRequests>;

/**
 * Requests by id. Changes happen under the request's lock, so plain reads and writes are enough. Requests are signed,
 * because their contents and approvals are carried out.
 *
 * @param signer null in the web process, which only shows requests.
 */
export function createRequests(redis: RedisClient, signer: Signer | null) {
  const store = createOpenRecordStore({
    redis,
    schema: ApprovalRequest,
    signer,
    idOf: ({ id }) => id,
    keyOf: (id) => stateKey(`request:${id}`),
    ttlSeconds: KEPT_SECONDS,
    openKey: stateKey('requests-open'),
    orderOf: ({ state, action }) => (state === 'open' ? Date.parse(action.askedAt) : null),
  });
  const withAskers = keepingAskers(store);
  const ofAccount = (acctId: number): string => stateKey(`requests-of:${acctId}`);
  async function ofCard(acctId: number): Promise<ApprovalRequest[]> {
    const ids = await redis.zrevrange(ofAccount(acctId), 0, -1);
    return (await Promise.all(ids.map(store.get))).filter((request) => request !== null);
  }
  async function list({ id, acctId, action }: ApprovalRequest): Promise<void> {
    const key = ofAccount(acctId);
    const askedAtMs = Date.parse(action.askedAt);
    const change = redis
      .multi()
      .zadd(key, askedAtMs, id)
      .zremrangebyscore(key, '-inf', askedAtMs - KEPT_SECONDS * 1000)
      .zremrangebyrank(key, 0, -KEPT_MAX - 1)
      .expire(key, KEPT_SECONDS);
    await commit(change);
  }
  async function changeOpen(id: string, next: (request: OpenRequest) => OpenRequest): Promise<ApprovalRequest | null> {
    const { isChanged, stands } = await store.change(id, (now) => (now?.state === 'open' ? next(now) : null));
    return isChanged ? stands : null;
  }
  return {
    /** @returns the stored request: this one, or that of an earlier attempt with what others decided since. */
    async add(request: ApprovalRequest): Promise<ApprovalRequest> {
      await list(request);
      return (await store.change(request.id, (stands) => (stands === null ? request : null))).stands ?? request;
    },
    /** @throws TooLateError when the lock was lost and someone else decided meanwhile. That decision stays. */
    async save(request: ApprovalRequest): Promise<void> {
      // Written first: an id without a request is skipped.
      await list(request);
      await saveUndecided(withAskers, request);
    },
    get: store.get,
    /**
     * Records that approvers were reminded, unless the request was decided meanwhile. @returns the request with
     * the reminder; null: it was decided.
     */
    remind: (id: string, remindedAt: string) => changeOpen(id, (request) => ({ ...request, remindedAt })),
    /** The same for somebody else who asked for what the request is about. */
    addAsker: (id: string, userId: string) =>
      changeOpen(id, (request) => ({ ...request, askedToo: [...new Set(request.askedToo).add(userId)] })),
    /** Requests for an account within the last 30 days, newest first. */
    requestsOf: async (acctId: number) => (await ofCard(acctId)).map(({ id, state }) => ({ id, state })),
    /** Requests for an account that were denied since this time. */
    deniedSince: async (acctId: number, sinceMs: number) =>
      (await ofCard(acctId)).filter(
        (request) => request.state === 'denied' && Date.parse(request.decision.at) > sinceMs,
      ),
    /** Who approved a change of an account's card that was requested from this alert. */
    async approversOf(acctId: number, alertId: string): Promise<string[]> {
      const asked = (await ofCard(acctId)).filter(
        ({ state, action }) => state === 'approved' && alertIdOf(action) === alertId,
      );
      return asked.flatMap(({ approvals }) => approvals.map(({ by }) => by));
    },
    /** Undecided requests, oldest first. */
    open: async (): Promise<OpenRequest[]> => (await store.open()).filter((request) => request.state === 'open'),
  };
}

/**
 * Whoever adds an asker does not hold the lock, so that asker is not in what the owner of the lock has read before. Nobody is
 * ever removed.
 */
function keepingAskers({ change }: Pick<OpenRecordStore<ApprovalRequest>, 'change'>) {
  return {
    change: ((id, next) =>
      change(id, (stands) => {
        const request = next(stands);
        const askedToo = [...new Set([...(stands?.askedToo ?? []), ...(request?.askedToo ?? [])])];
        return request && { ...request, ...(askedToo.length > 0 && { askedToo }) };
      })) satisfies typeof change,
  };
}
