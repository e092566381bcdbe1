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

export interface StillToWarnDeps {
  readonly links: Pick<Links, 'ofAccount'>;
  readonly preferences: Pick<Preferences, 'isOn'>;
  readonly warned: Pick<Warned, 'has'>;
}

interface WarnBothDeps extends StillToWarnDeps {
  /** How long (ms) to wait before asking again, because of quiet hours of a channel or a person; 0: not at all. */
  readonly quietLeftMs: (to: string) => Promise<number>;
  readonly postNotice: (channel: string, id: string, message: Message) => Promise<void>;
  readonly notifyUnasked: (userId: string, id: string, message: Message) => Promise<void>;
  readonly warned: Pick<Warned, 'has' | 'add'>;
}

type WarningKind = 'expiring-cards' | 'failing-subscriptions';

/** A channel, or the person who holds the card. */
interface Recipient {
  readonly to: string;
  readonly audience: 'team' | 'holder';
  /** When the person got the card, UTC ISO 8601; null: a channel. */
  readonly linkedAt: string | null;
}

/** What a channel and the holder of a card are warned of. */
interface Reason {
  readonly channel: string;
  readonly acctId: number;
  readonly id: string;
}

/**
 * The id of a warning to one recipient. Each has its own: whoever switches a warning on again, or is linked to a card later,
 * was not warned when the other was.
 */
const idFor = ({ audience, to }: Recipient, id: string): string => (audience === 'team' ? id : `${id}-${to}`);

/** Finds who is still to be warned: the channel and the card's holder, unless they switched the warning off. */
export function createStillToWarn({ links, preferences, warned }: StillToWarnDeps) {
  return async function stillToWarn(kind: WarningKind, { channel, acctId, id }: Reason) {
    const link = await links.ofAccount(acctId);
    const each: Recipient[] = [{ to: channel, audience: 'team', linkedAt: null }];
    if (link !== null) each.push({ to: link.userId, audience: 'holder', linkedAt: link.at });
    const isToWarn = await Promise.all(
      each.map(
        async (recipient) => (await preferences.isOn(recipient.to, kind)) && !(await warned.has(idFor(recipient, id))),
      ),
    );
    return each.filter((_, index) => isToWarn[index]);
  };
}

/** Warns a channel and the card's holder, each once, outside their quiet hours. Idempotent. */
export type WarnBoth = ReturnType<typeof createWarnBoth>;

export function createWarnBoth(deps: WarnBothDeps) {
  const { postNotice, notifyUnasked, quietLeftMs, warned } = deps;
  const stillToWarn = createStillToWarn(deps);

  /**
   * @param prepare runs only if somebody is to be warned now. `messageId`: that of the reason, or another one. `messageFor`:
   * null if the recipient has no reason to be warned.
   * @returns milliseconds until the next run, or null when done.
   */
  return async function warnBoth(
    kind: WarningKind,
    reason: Reason & { readonly keptMs: number },
    prepare: () => Promise<{
      readonly messageId: string;
      readonly messageFor: (recipient: Recipient) => Message | null;
    }>,
  ): Promise<number | null> {
    const all = await stillToWarn(kind, reason);
    const quietMs = await Promise.all(all.map(({ to }) => quietLeftMs(to)));
    const recipients = all.filter((_, index) => quietMs[index] === 0);
    const laterMs = quietMs.filter((ms) => ms > 0);
    const againMs = laterMs.length === 0 ? null : Math.min(...laterMs);
    if (recipients.length === 0) return againMs;
    const { messageId, messageFor } = await prepare();
    for (const recipient of recipients) {
      const message = messageFor(recipient);
      if (message === null) continue;
      const send = recipient.audience === 'team' ? postNotice : notifyUnasked;
      await send(recipient.to, idFor(recipient, messageId), message);
      await warned.add(idFor(recipient, reason.id), reason.keptMs);
    }
    return againMs;
  };
}
