import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import type { Signer } from '../core/sign.ts';
import type { Action } from './action.ts';

/** An action as the web process hands it over: who asked for what, when and from which message, signed. */
interface SignedAction {
  readonly action: Action;
  readonly signature: string;
}

/** What waited longer is not done any more. Long before that, what loosens a card is asked again. */
const TOO_OLD_MS = 7 * 24 * 3_600_000;
/** Clocks of two machines may differ by this much. */
const AHEAD_MS = 5 * 60_000;
/** A worker that dies while it hands on an entry lets it be handed on again, at once. Later it is a replay. */
const HANDED_ON_AGAIN_MS = 60_000;
/** Longer than an action counts, so that it cannot be repeated. */
const REMEMBERED_SECONDS = 8 * 24 * 3600;

export interface Rejection {
  readonly why: string;
  /** A crash of ours explains it, so nobody needs to know. */
  readonly isOurs: boolean;
}

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
     * Why an action is not to be performed; null when it is. An entry in Redis proves nothing by itself.
     *
     * @param attempt the same job may start again after a crash, or because Redis came back older: then it is ours.
     */
    async whyNot(
      { action, signature }: SignedAction,
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
    /** It was performed, and is not performed again. Safe to repeat. */
    async performed(action: Action): Promise<void> {
      await redis.set(keyOf(action), now().getTime(), 'EX', REMEMBERED_SECONDS);
    },
  };
}

function rejection(why: string, isOurs = false): Rejection {
  return { why, isOurs };
}
