import { stateKey } from './keys.ts';
import type { RedisClient } from './redis.ts';

/** As long as the progress of an action. */
const KEPT_SECONDS = 15 * 24 * 3600;

/** An action that sets something. */
interface Asked {
  readonly id: string;
  /** UTC ISO 8601. */
  readonly askedAt: string;
}

/** Which action last set who may do something: the holder of a card, or a delegate. */
type SettingOrder = ReturnType<typeof createSettingOrder>;

export function createSettingOrder(redis: RedisClient) {
  const keyOf = (subject: string): string => stateKey(`set-last:${subject}`);
  return {
    note: async (subject: string, { id, askedAt }: Asked): Promise<void> =>
      void (await redis.set(keyOf(subject), `${id} ${askedAt}`, 'EX', KEPT_SECONDS)),
    /** Null: not known. */
    async last(subject: string): Promise<Asked | null> {
      const text = await redis.get(keyOf(subject));
      if (text === null) return null;
      const [id = '', askedAt = ''] = text.split(' ');
      return { id, askedAt };
    },
  };
}

/**
 * Call before the first record of an action that sets something, under a lock of its subject.
 *
 * @returns false when another action has set the same that was asked for later: this one waited, or runs again after a
 * crash. The newer setting stays.
 */
export type BeginSetting = (action: Asked, subject: string) => Promise<boolean>;

interface Deps {
  readonly settingOrder: SettingOrder;
}

export function createBeginSetting({ settingOrder }: Deps): BeginSetting {
  return async function beginSetting(action, subject) {
    const last = await settingOrder.last(subject);
    if (last !== null && last.id !== action.id && last.askedAt > action.askedAt) return false;
    await settingOrder.note(subject, action);
    return true;
  };
}
