import type { ChainableCommander } from 'ioredis';
import { ruleKeys } from '../card-api/rule-change.ts';
import { stateKey } from '../core/keys.ts';
import { createOpenRecordStore } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Action } from './action.ts';
import {
  ActionState,
  type AwaitedChange,
  awaitedOf,
  type Expected,
  mayFollow,
  type RefusedState,
  type ReportedState,
  type SendingState,
} from './action-state.ts';

/** A failed job is kept for 14 days and may be run again on the last day. */
const KEPT_SECONDS = 15 * 24 * 3600;

/** How far each action got. */
export type Progress = ReturnType<typeof createProgress>;

export function createProgress(redis: RedisClient) {
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
     * Moves to the next state if {@link mayFollow} allows it.
     *
     * @returns the current state. It differs from the given one if another worker got there first.
     */
    write: async (actionId: string, next: ActionState): Promise<ActionState> =>
      (await store.change(actionId, (current) => (mayFollow(current, next) ? next : null))).stands ?? next,
    /**
     * Moves to `sending`, or to its end, if nobody has yet. For writes that must never be sent twice or after being
     * refused or given up, not even by a process that was paused and resumes.
     *
     * @returns null when the caller may continue; otherwise the current state.
     */
    async begin(actionId: string, next: SendingState | RefusedState | ReportedState): Promise<ActionState | null> {
      const isFirst = (current: ActionState | null): boolean => current === null || current.state === 'asked';
      const { stands, isChanged } = await store.change(actionId, (current) => (isFirst(current) ? next : null));
      return isChanged ? null : stands;
    },
    /** Changes that wait for verification. Polled regularly, so that a lost timer loses no change. */
    awaited: async (): Promise<AwaitedChange[]> =>
      (await store.open()).map(awaitedOf).filter((awaited) => awaited !== null),
  };
}

/** Longer than any change waits for confirmation. */
const LATEST_KEPT_SECONDS = 3600;
/** Per status or rule. */
const ASKED_KEPT_MAX = 20;

type AskedChange = Pick<Action, 'id' | 'verb' | 'askedAt'>;
/** Which verbs count when checking whether someone else changed the same thing. */
type Counts = (verb: string) => boolean;

/** Which action last changed a card's status or a rule, and which one was requested last. */
export type LatestChanges = ReturnType<typeof createLatestChanges>;

const changers = (members: readonly string[]): { readonly verb: string; readonly id: string }[] =>
  members.map((member) => {
    const [verb = '', id = ''] = member.split(' ');
    return { verb, id };
  });

export function createLatestChanges(redis: RedisClient) {
  const subjectsOf = (acctId: number, expected: Expected): string[] =>
    (expected.kind === 'status' ? ['status'] : ruleKeys(expected.changes)).map((subject) => `${acctId}:${subject}`);
  const latestKey = (subject: string): string => stateKey(`changed:${subject}`);
  const askedKey = (subject: string): string => stateKey(`change-asked:${subject}`);
  const noteAsked = (change: ChainableCommander, subject: string, { id, verb, askedAt }: AskedChange): void => {
    change
      .zadd(askedKey(subject), Date.parse(askedAt), `${verb} ${id}`)
      .zremrangebyrank(askedKey(subject), 0, -ASKED_KEPT_MAX - 1)
      .expire(askedKey(subject), KEPT_SECONDS);
  };
  const changedBy = async (acctId: number, expected: Expected, counts: Counts = () => true): Promise<string[]> => {
    const latest = await redis.mget(subjectsOf(acctId, expected).map(latestKey));
    return changers(latest.filter((member) => member !== null))
      .filter(({ verb }) => counts(verb))
      .map(({ id }) => id);
  };
  return {
    /** Records that `id` changed it last. Earlier changes can no longer be observed. */
    async changed(acctId: number, expected: Expected, asked: AskedChange): Promise<void> {
      const change = redis.multi();
      for (const subject of subjectsOf(acctId, expected)) {
        change.set(latestKey(subject), `${asked.verb} ${asked.id}`, 'EX', LATEST_KEPT_SECONDS);
        noteAsked(change, subject, asked);
      }
      await change.exec();
    },
    /** It was already in effect when someone asked for it. Earlier requests must not change it any more. */
    async alreadyInEffect(acctId: number, expected: Expected, asked: AskedChange): Promise<void> {
      const change = redis.multi();
      for (const subject of subjectsOf(acctId, expected)) noteAsked(change, subject, asked);
      await change.exec();
    },
    /** The change was certainly not made, so it must not block others. */
    async notMade(acctId: number, expected: Expected, { verb, id }: Omit<AskedChange, 'askedAt'>): Promise<void> {
      for (const subject of subjectsOf(acctId, expected)) await redis.zrem(askedKey(subject), `${verb} ${id}`);
    },
    /** True when someone asked for a change of the same thing later and it was done first. */
    async isOvertaken(
      acctId: number,
      expected: Expected,
      { id, askedAt }: Omit<AskedChange, 'verb'>,
      counts: Counts = () => true,
    ): Promise<boolean> {
      for (const subject of subjectsOf(acctId, expected)) {
        const later = await redis.zrangebyscore(askedKey(subject), `(${Date.parse(askedAt)}`, '+inf');
        if (changers(later).some((changer) => changer.id !== id && counts(changer.verb))) return true;
      }
      return false;
    },
    /** The actions that last changed it or parts of it; empty: none recently. */
    changedBy,
    /**
     * True when another action has changed the same thing since.
     *
     * @param followed the actions that changed it before. `id` may have crashed before it recorded its own change.
     */
    async isSuperseded(
      acctId: number,
      expected: Expected,
      id: string,
      followed: readonly string[] = [],
      counts?: Counts,
    ): Promise<boolean> {
      const latest = await changedBy(acctId, expected, counts);
      return latest.some((changer) => changer !== id && !followed.includes(changer));
    },
  };
}
