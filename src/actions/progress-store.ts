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
  type ReportedState,
  type SendingState,
} from './action-state.ts';

/** A job that failed is kept for 14 days, and may be run again on the last one. */
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
     * Goes on to the next state, where {@link mayFollow} allows it.
     *
     * @returns what stands now: another state than the given one is what somebody else came to.
     */
    write: async (actionId: string, next: ActionState): Promise<ActionState> =>
      (await store.change(actionId, (current) => (mayFollow(current, next) ? next : null))).stands ?? next,
    /**
     * Goes on to `sending`, or to its end, where nobody has yet: for what must never be sent twice, or after it was given up,
     * not even by a process that stood still and goes on.
     *
     * @returns null when it is for the caller to go on; otherwise what stands.
     */
    async begin(actionId: string, next: SendingState | ReportedState): Promise<ActionState | null> {
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
/** Of one status or rule. */
const ASKED_KEPT_MAX = 20;

/** A change of a card, and when it was asked for. */
type AskedChange = Pick<Action, 'id' | 'verb' | 'askedAt'>;
/** Which verbs count when it is asked whether somebody else changed the same. */
type Counts = (verb: string) => boolean;

/** Which action changed a card's status, or a rule of it, last; and which of them was asked for last. */
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
    /** `id` changed it last: what was sent before can no longer be seen. */
    async changed(acctId: number, expected: Expected, asked: AskedChange): Promise<void> {
      const change = redis.multi();
      for (const subject of subjectsOf(acctId, expected)) {
        change.set(latestKey(subject), `${asked.verb} ${asked.id}`, 'EX', LATEST_KEPT_SECONDS);
        noteAsked(change, subject, asked);
      }
      await change.exec();
    },
    /** It was so already when somebody asked for it: what was asked for earlier must not change it any more. */
    async alreadyInEffect(acctId: number, expected: Expected, asked: AskedChange): Promise<void> {
      const change = redis.multi();
      for (const subject of subjectsOf(acctId, expected)) noteAsked(change, subject, asked);
      await change.exec();
    },
    /** The change was certainly not made: it stands in nobody's way. */
    async notMade(acctId: number, expected: Expected, { verb, id }: Omit<AskedChange, 'askedAt'>): Promise<void> {
      for (const subject of subjectsOf(acctId, expected)) await redis.zrem(askedKey(subject), `${verb} ${id}`);
    },
    /** True when somebody asked for a change of the same later, and that one came first. */
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
      counts?: Counts,
    ): Promise<boolean> {
      const latest = await changedBy(acctId, expected, counts);
      return latest.some((changer) => changer !== id && !followed.includes(changer));
    },
  };
}
