import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { countWithin, firstWithin } from '../core/time-window.ts';
import { type Action, alertIdOf } from './action.ts';
import type { RecordAction } from './record.ts';

/** Refusals of one person within this time share one record. */
const WINDOW_MS = 60_000;
const KEPT_SECONDS = 24 * 3600;
/** Questions of one person within this time are counted together. */
const QUESTIONS_MS = 3_600_000;

export type RefusalCounts = ReturnType<typeof createRefusalCounts>;

/** Counts refusals, so that one person cannot flood the audit log, which is kept permanently. */
export function createRefusalCounts(redis: RedisClient) {
  const firstKey = (userId: string): string => stateKey(`refused-first:${userId}`);
  const countKey = (first: string): string => stateKey(`refused-more:${first}`);
  const takenKey = (first: string): string => stateKey(`refused-taken:${first}`);
  return {
    /**
     * Counts a refusal. Idempotent.
     *
     * @param isNotPermitted the person has no right to do it; otherwise it was a mistake.
     * @returns null for the first refusal within a minute, which is recorded at once. For all others, the first one's
     * id and the time until the minute is over.
     */
    async note(
      { id, verb, actor }: Pick<Action, 'id' | 'verb' | 'actor'>,
      isNotPermitted = true,
    ): Promise<{ readonly first: string; readonly leftMs: number } | null> {
      const key = firstKey(actor.userId);
      const first = await firstWithin(redis, WINDOW_MS, key, id);
      if (first === null || first === id) return null;
      await redis
        .multi()
        // Two words as older versions wrote them: those of the last minute may be waiting.
        .sadd(countKey(first), isNotPermitted ? `${verb} ${id}` : `${verb} ${id} mistake`)
        .expire(countKey(first), KEPT_SECONDS)
        .exec();
      return { first, leftMs: Math.max(0, await redis.pttl(key)) };
    },
    /**
     * Takes what was refused after the first refusal, for one record: the verbs of the refusals and of the mistakes, and
     * the id of one of them. The same until `forget`; what is counted meanwhile is taken after that. Null: there is
     * nothing.
     */
    async take(first: string) {
      const [counted, taken] = [countKey(first), takenKey(first)];
      if ((await redis.exists(counted)) === 1) await redis.renamenx(counted, taken);
      const all = (await redis.smembers(taken)).toSorted().map((member) => member.split(' '));
      const verbsOf = (counted: readonly string[][]): string[] => counted.map(([verb = '']) => verb);
      const isMistake = ([, , how]: readonly string[]): boolean => how === 'mistake';
      const id = all[0]?.[1];
      if (id === undefined) return null;
      const refused = verbsOf(all.filter((one) => !isMistake(one)));
      return { id, refused, mistakes: verbsOf(all.filter(isMistake)) };
    },
    /** How often a refused person has asked others within an hour, including this action. Idempotent. */
    questions: ({ id, actor }: Pick<Action, 'id' | 'actor'>): Promise<number> =>
      countWithin(redis, QUESTIONS_MS, stateKey(`refused-asked:${actor.userId}`), id),
    /** Ends what was taken, once it is on record. */
    forget: async (first: string): Promise<void> => void (await redis.del(takenKey(first))),
  };
}

/** One person's views of one card within this time are one record: it shows who saw what without filling up. */
const LOOK_MS = 3_600_000;

/** One view: who looked at what, how, and the action or form they used. */
interface Look extends Pick<Action, 'id' | 'verb'> {
  readonly userId: string;
  /** The account of the card, or the alert if it concerns no account; null: neither. */
  readonly subject: number | string | null;
}

export type Looks = ReturnType<typeof createLooks>;

export function createLooks(redis: RedisClient) {
  return {
    /** Whether to record this view. Idempotent. */
    async isFirst({ id, verb, userId, subject }: Look): Promise<boolean> {
      const key = stateKey(`looked:${userId}:${verb}:${subject ?? ''}`);
      return (await firstWithin(redis, LOOK_MS, key, id)) === id;
    },
  };
}

/** What of a card a person looked at. */
interface Looked {
  readonly acctId: number | null;
  readonly cardId: number | null;
  /** What was shown; null: the verb says it. */
  readonly seen: string | null;
}

/** Records who has seen what of which card, once an hour. Call it before it is shown. Idempotent. */
export type RecordLook = (action: Action, looked: Looked) => Promise<void>;

interface Deps {
  readonly looks: Looks;
  readonly record: RecordAction;
}

export function createRecordLook({ looks, record }: Deps): RecordLook {
  return async function recordLook(action, { acctId, cardId, seen }) {
    const { id, verb, actor } = action;
    const look = { id, verb: seen ?? verb, userId: actor.userId, subject: acctId ?? alertIdOf(action) };
    if (!(await looks.isFirst(look))) return;
    await record(action, { event: 'asked', acctId, cardId, ...(seen !== null && { detail: seen }) });
  };
}
