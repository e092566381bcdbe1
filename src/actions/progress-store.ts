import type { Cluster, Redis } from 'ioredis';
import { stateKey } from '../core/keys.ts';
import { createOpenRecordStore } from '../core/record-store.ts';
import { ActionState, type AwaitedChange, awaitedOf, mayFollow, type SendingState } from './action-state.ts';

const KEPT_SECONDS = 8 * 24 * 3600;

/** How far each action got. */
export interface Progress {
  read(actionId: string): Promise<ActionState | null>;
  /**
   * Goes on to the next state, where {@link mayFollow} allows it.
   *
   * @returns what stands now: another state than the given one is what somebody else came to.
   */
  write(actionId: string, next: ActionState): Promise<ActionState>;
  /**
   * Goes on to `sending` where nobody has yet: for what must never be sent twice, not even by a process that stood
   * still and goes on.
   *
   * @returns null when it is for the caller to send; otherwise what stands.
   */
  begin(actionId: string, next: SendingState): Promise<ActionState | null>;
  /** Changes that somebody looks for: read again and again, so that none outlives a lost timer. */
  awaited(): Promise<AwaitedChange[]>;
}

export function createProgress(redis: Redis | Cluster): Progress {
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
    write: async (actionId, next) =>
      (await store.change(actionId, (current) => (mayFollow(current, next) ? next : null))).stands ?? next,
    async begin(actionId, next) {
      const isFirst = (current: ActionState | null): boolean => current === null || current.state === 'asked';
      const { stands, isChanged } = await store.change(actionId, (current) => (isFirst(current) ? next : null));
      return isChanged ? null : stands;
    },
    awaited: async () => (await store.open()).map(awaitedOf).filter((awaited) => awaited !== null),
  };
}
