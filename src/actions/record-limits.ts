import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Action } from './action.ts';

/** Refusals of one person within this time are told together. */
const WINDOW_SECONDS = 60;
const KEPT_SECONDS = 24 * 3600;
/** Questions of one person within this time count together. */
const QUESTIONS_SECONDS = 3600;

export type RefusalCounts = ReturnType<typeof createRefusalCounts>;

/** How often people are refused, so that one person cannot fill the record, which is kept for good. */
export function createRefusalCounts(redis: RedisClient) {
  const firstKey = (userId: string): string => stateKey(`refused-first:${userId}`);
  const countKey = (first: string): string => stateKey(`refused-more:${first}`);
  return {
    /**
     * Notes a refusal. Safe to repeat.
     *
     * @returns null for the first within a minute, which goes on record at once; for any other the first one's id, and when
     * the minute is over.
     */
    async note({
      id,
      verb,
      actor,
    }: Pick<Action, 'id' | 'verb' | 'actor'>): Promise<{ readonly first: string; readonly leftMs: number } | null> {
      const key = firstKey(actor.userId);
      await redis.set(key, id, 'EX', WINDOW_SECONDS, 'NX');
      const first = await redis.get(key);
      if (first === null || first === id) return null;
      await redis.multi().sadd(countKey(first), `${verb} ${id}`).expire(countKey(first), KEPT_SECONDS).exec();
      return { first, leftMs: Math.max(0, await redis.pttl(key)) };
    },
    /** The verbs that were refused after the first, each with how often. */
    async counted(first: string): Promise<ReadonlyMap<string, number>> {
      const verbs = new Map<string, number>();
      for (const member of await redis.smembers(countKey(first))) {
        const [verb = ''] = member.split(' ', 1);
        verbs.set(verb, (verbs.get(verb) ?? 0) + 1);
      }
      return verbs;
    },
    /** How often somebody who was refused has asked others within an hour, with this action. Safe to repeat. */
    async questions({ id, actor }: Pick<Action, 'id' | 'actor'>): Promise<number> {
      const key = stateKey(`refused-asked:${actor.userId}`);
      const answers = await redis.multi().sadd(key, id).expire(key, QUESTIONS_SECONDS, 'NX').scard(key).exec();
      return Number(answers?.[2]?.[1] ?? 0);
    },
    forget: async (first: string): Promise<void> => void (await redis.del(countKey(first))),
  };
}

/** One person's looks at one card within this time are one record: it says who has seen what, and does not fill up. */
const LOOK_SECONDS = 3600;

/** One look: who looked at what, in which way, and the action or the opening by which they did. */
export interface Look {
  readonly id: string;
  readonly verb: string;
  readonly userId: string;
  /** Null: at no card in particular. */
  readonly acctId: number | null;
}

export type Looks = ReturnType<typeof createLooks>;

/** Who looked at what lately. */
export function createLooks(redis: RedisClient) {
  return {
    /** Whether a look goes on record. Safe to repeat. */
    async isFirst({ id, verb, userId, acctId }: Look): Promise<boolean> {
      const key = stateKey(`looked:${userId}:${verb}:${acctId ?? ''}`);
      await redis.set(key, id, 'EX', LOOK_SECONDS, 'NX');
      return (await redis.get(key)) === id;
    },
  };
}
