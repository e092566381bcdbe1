import type { Cluster, Redis } from 'ioredis';
import { ruleKeys } from '../card-api/rule-change.ts';
import { stateKey } from '../core/keys.ts';
import { createOpenRecordStore } from '../core/record-store.ts';
import {
  ActionState,
  type AwaitedChange,
  awaitedOf,
  type Expected,
  mayFollow,
  type SendingState,
} from './action-state.ts';

/** A job that failed is kept for 14 days, and may be run again on the last one. */
const KEPT_SECONDS = 15 * 24 * 3600;

/** How far each action got. */
export type Progress = ReturnType<typeof createProgress>;

export function createProgress(redis: Redis | Cluster) {
  const store = createOpenRecordStore({
    redis,
    schema: ActionState,
    keyOf: (actionId) => stateKey(`progress:${actionId}`),
    ttlSeconds: KEPT_SECONDS,
    openKey: stateKey('actions-awaited'),
    orderOf(state) {
      const awaited = awaitedOf(state);
      return awaited === null ? null : Date.parse(awaited.sentAt);
    },
  });
  return {
    read: store.get,
    /**
     * Goes on to the next state, where {@link mayFollow} allows it.
     *
     * @returns what stands now: another state than the given one is what somebody else came to.
     */
    write: async (actionId: string, next: ActionState): Promise<ActionState> =>
      (await store.change(actionId, (current) => (mayFollow(current, next) ? next : null))).stands ?? next,
    /**
     * Goes on to `sending` where nobody has yet: for what must never be sent twice, not even by a process that stood
     * still and goes on.
     *
     * @returns null when it is for the caller to send; otherwise what stands.
     */
    async begin(actionId: string, next: SendingState): Promise<ActionState | null> {
      const isFirst = (current: ActionState | null): boolean => current === null || current.state === 'asked';
      const { stands, isChanged } = await store.change(actionId, (current) => (isFirst(current) ? next : null));
      return isChanged ? null : stands;
    },
    /** Changes that somebody looks for: read again and again, so that none outlives a lost timer. */
    awaited: async (): Promise<AwaitedChange[]> =>
      (await store.open()).map(awaitedOf).filter((awaited) => awaited !== null),
  };
}

/** Longer than anything waits for its confirmation. */
const LATEST_KEPT_SECONDS = 3600;

/** Which action changed a card's status, or a rule of it, last. */
export type LatestChanges = ReturnType<typeof createLatestChanges>;

export function createLatestChanges(redis: Redis | Cluster) {
  const keysOf = (acctId: number, expected: Expected): string[] => {
    const subjects = expected.kind === 'status' ? ['status'] : ruleKeys(expected.changes);
    return subjects.map((subject) => stateKey(`changed:${acctId}:${subject}`));
  };
  const changedBy = async (acctId: number, expected: Expected): Promise<string[]> =>
    (await redis.mget(keysOf(acctId, expected))).filter((id) => id !== null);
  return {
    /** `id` changed it last: what was sent before can no longer be seen. */
    async changed(acctId: number, expected: Expected, id: string): Promise<void> {
      const change = redis.multi();
      for (const key of keysOf(acctId, expected)) change.set(key, id, 'EX', LATEST_KEPT_SECONDS);
      await change.exec();
    },
    /** The actions that changed it last, or parts of it; none: nobody lately. */
    changedBy,
    /**
     * True when something else changed the same since.
     *
     * @param followed what had changed it before; `id` may have been killed before it could note its own change.
     */
    async isSuperseded(
      acctId: number,
      expected: Expected,
      id: string,
      followed: readonly string[] = [],
    ): Promise<boolean> {
      const latest = await changedBy(acctId, expected);
      return latest.some((changer) => changer !== id && !followed.includes(changer));
    },
  };
}
