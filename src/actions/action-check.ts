import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import type { Action } from './action.ts';

/** Older actions are not performed. Actions that loosen a card are asked again long before this. */
const TOO_OLD_MS = 7 * 24 * 3_600_000;
/**
 * Redis' clock may have been set back since, or a replica with another clock took over. An action is remembered for a day
 * longer than it is valid, so it cannot be replayed.
 */
const AHEAD_MS = 24 * 3_600_000;
/**
 * If a worker dies while passing on an entry, the entry may be passed on again within this time. Later it counts as a
 * replay.
 */
const HANDED_ON_AGAIN_MS = 60_000;
/** Longer than an action is valid, so that it cannot be replayed. */
const REMEMBERED_SECONDS = 8 * 24 * 3600;

export const NOT_SIGNED = 'it is not signed by the web process, or was changed since';

interface Deps {
  readonly redis: RedisClient;
  readonly signer: Pick<Signer, 'verify'>;
  readonly now: () => Date;
}

export function createActionCheck({ redis, signer, now }: Deps) {
  const keyOf = ({ id }: Action): string => stateKey(`performed:${id}`);
  return {
    /**
     * Why an action must not be performed; null when it may. An entry in Redis alone proves nothing.
     *
     * @param signed the action as the web process passes it on: who asked for what, when, and from which message.
     * @param attempt.starts how often the job has started. It can start again after a crash, or when Redis restored
     * older data; that is not a replay. Ask at each start, first of all: a replay is then found when its job first starts.
     */
    async whyNot(
      { action, signature }: { readonly action: Action; readonly signature: string },
      { starts }: { readonly starts: number },
    ): Promise<Rejection | null> {
      if (!signer.verify(action, signature)) return rejection(NOT_SIGNED);
      const ageMs = now().getTime() - Date.parse(action.askedAt);
      if (!(ageMs <= TOO_OLD_MS)) return rejection('it is more than a week old');
      if (ageMs < -AHEAD_MS) return rejection('it is dated in the future');
      const performedAt = await redis.get(keyOf(action));
      if (performedAt === null) return null;
      const isRecent = now().getTime() - Number(performedAt) < HANDED_ON_AGAIN_MS;
      return rejection('it was performed before', starts > 1 || isRecent);
    },
    /** Marks the action as performed, so that it is not performed again. Idempotent. */
    async performed(action: Action): Promise<void> {
      await redis.set(keyOf(action), now().getTime(), 'EX', REMEMBERED_SECONDS);
    },
  };
}

export type Rejection = ReturnType<typeof rejection>;

/** @param isOurs explained by a crash of Cardbell itself, so nobody needs to be notified. */
function rejection(why: string, isOurs = false) {
  return { why, isOurs };
}
