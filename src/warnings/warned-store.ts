import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';
import { firstWithin } from '../core/time-window.ts';
import type { Links } from '../holders/link-store.ts';
import type { Preferences } from '../holders/preference-store.ts';
import type { Message } from '../slack/message.ts';

/** Which warnings were given, so that each is given once. */
export type Warned = ReturnType<typeof createWarned>;

export function createWarned(redis: RedisClient) {
  const keyOf = (id: string): string => stateKey(`warned:${id}`);
  const messageKey = (id: string): string => stateKey(`warning-message:${id}`);
  return {
    has: async (id: string): Promise<boolean> => (await redis.exists(keyOf(id))) === 1,
    /** Call this last: after a crash the warning is repeated under its id, which adds nothing. */
    add: async (id: string, ttlMs: number): Promise<void> =>
      void (await redis.set(keyOf(id), '1', 'PX', Math.max(1, Math.ceil(ttlMs)))),
    /**
     * The id of the message that gives a warning: the first that was chosen. Several jobs may find the same reason to warn,
     * and the first may have been killed after it had posted its message.
     */
    async messageOf(id: string, messageId: string, ttlMs: number): Promise<string> {
      return (await firstWithin(redis, ttlMs, messageKey(id), messageId)) ?? messageId;
    },
  };
}

export interface WarnDeps {
  readonly links: Pick<Links, 'ofAccount'>;
  readonly preferences: Pick<Preferences, 'isOn'>;
  readonly postNotice: (channel: string, id: string, message: Message) => Promise<void>;
  readonly notifyDirectly: (userId: string, id: string, message: Message) => Promise<void>;
  readonly warned: Warned;
  readonly now: () => Date;
}

/** Warns a channel and the card's holder, unless they switched the warning off. Idempotent by id. */
export function createWarnBoth({ links, preferences, postNotice, notifyDirectly }: WarnDeps) {
  return async function warnBoth(
    kind: 'expiring-cards' | 'failing-subscriptions',
    { channel, acctId, id }: { readonly channel: string; readonly acctId: number; readonly id: string },
    messageFor: (audience: 'team' | 'holder') => Message,
  ): Promise<void> {
    if (await preferences.isOn(channel, kind)) await postNotice(channel, id, messageFor('team'));
    const userId = (await links.ofAccount(acctId))?.userId;
    if (userId !== undefined && (await preferences.isOn(userId, kind)))
      await notifyDirectly(userId, `${id}-holder`, messageFor('holder'));
  };
}
