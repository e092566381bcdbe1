import { alertIdOf } from '../actions/action.ts';
import { saveUndecided } from '../core/decided-record.ts';
import { stateKey } from '../core/keys.ts';
import { commit, createOpenRecordStore, type OpenRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import { REQUEST_MS } from '../policy/decide-action.ts';
import { ApprovalRequest, type OpenRequest } from './request.ts';

const KEPT_SECONDS = 30 * 24 * 3600;
/** Per account. */
const KEPT_MAX = 50;
/** As long as no emergency override may do what was denied: no number of later requests may push a denial out. */
const DENIED_MS = REQUEST_MS;

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
  const lists = createRequestLists(redis);
  async function read(ids: readonly string[]): Promise<ApprovalRequest[]> {
    return (await Promise.all(ids.map(store.get))).filter((request) => request !== null);
  }
  async function changeOpen(id: string, next: (request: OpenRequest) => OpenRequest): Promise<ApprovalRequest | null> {
    const { isChanged, stands } = await store.change(id, (now) => (now?.state === 'open' ? next(now) : null));
    return isChanged ? stands : null;
  }
  return {
    /** @returns the stored request: this one, or that of an earlier attempt with what others decided since. */
    async add(request: ApprovalRequest): Promise<ApprovalRequest> {
      await lists.add(request);
      return (await store.change(request.id, (stands) => (stands === null ? request : null))).stands ?? request;
    },
    /** @throws TooLateError when the lock was lost and someone else decided meanwhile. That decision stays. */
    async save(request: ApprovalRequest): Promise<void> {
      // Written first: an id without a request is skipped.
      await lists.add(request);
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
    /** Requests for an account within the last 30 days, newest first. `paid`: its purchase was paid without it. */
    requestsOf: async (acctId: number) =>
      (await read(await lists.ids(acctId))).map(({ id, state, paidAt }) => ({
        id,
        state: state === 'expired' && paidAt !== undefined ? ('paid' as const) : state,
      })),
    /** Requests for an account that were denied since this time, at most 24 hours ago. */
    deniedSince: async (acctId: number, sinceMs: number) =>
      (await read(await lists.deniedIds(acctId, sinceMs))).filter(
        (request) => request.state === 'denied' && Date.parse(request.decision.at) > sinceMs,
      ),
    /** Who approved a change of an account's card that was requested from this alert. */
    async approversOf(acctId: number, alertId: string): Promise<string[]> {
      const asked = (await read(await lists.ids(acctId))).filter(
        ({ state, action }) => state === 'approved' && alertIdOf(action) === alertId,
      );
      return asked.flatMap(({ approvals }) => approvals.map(({ by }) => by));
    },
    /** Undecided requests, oldest first. */
    open: async (): Promise<OpenRequest[]> => (await store.open()).filter((request) => request.state === 'open'),
  };
}

/** Which requests there were for an account. */
function createRequestLists(redis: RedisClient) {
  const keyOf = (acctId: number): string => stateKey(`requests-of:${acctId}`);
  const deniedKeyOf = (acctId: number): string => stateKey(`requests-denied:${acctId}`);
  const ids = (acctId: number): Promise<string[]> => redis.zrevrange(keyOf(acctId), 0, -1);
  return {
    /** Newest first. */
    ids,
    /** All that were denied since this time are among them. */
    async deniedIds(acctId: number, sinceMs: number): Promise<string[]> {
      const denied = await redis.zrangebyscore(deniedKeyOf(acctId), sinceMs, '+inf');
      // An older version lists a denial among all requests only.
      return [...new Set([...denied, ...(await ids(acctId))])];
    },
    async add(request: ApprovalRequest): Promise<void> {
      const { id, acctId, action } = request;
      const key = keyOf(acctId);
      const askedAtMs = Date.parse(action.askedAt);
      const change = redis
        .multi()
        .zadd(key, askedAtMs, id)
        .zremrangebyscore(key, '-inf', askedAtMs - KEPT_SECONDS * 1000)
        .zremrangebyrank(key, 0, -KEPT_MAX - 1)
        .expire(key, KEPT_SECONDS);
      if (request.state === 'denied') {
        const deniedKey = deniedKeyOf(acctId);
        const deniedAtMs = Date.parse(request.decision.at);
        change
          .zadd(deniedKey, deniedAtMs, id)
          .zremrangebyscore(deniedKey, '-inf', deniedAtMs - DENIED_MS)
          .pexpire(deniedKey, DENIED_MS);
      }
      await commit(change);
    },
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
