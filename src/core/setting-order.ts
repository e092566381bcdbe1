import { stateKey } from './keys.ts';
import type { RedisClient } from './redis.ts';

/** As long as the progress of an action. */
const KEPT_SECONDS = 15 * 24 * 3600;

/** Which action last set who may do something: the holder of a card, or a delegate. */
type SettingOrder = ReturnType<typeof createSettingOrder>;

export function createSettingOrder(redis: RedisClient) {
  const keyOf = (subject: string): string => stateKey(`set-last:${subject}`);
  return {
    note: async (subject: string, actionId: string): Promise<void> =>
      void (await redis.set(keyOf(subject), actionId, 'EX', KEPT_SECONDS)),
    /** Null: not known. */
    last: async (subject: string): Promise<string | null> => await redis.get(keyOf(subject)),
  };
}

/**
 * Call before the first record of an action that sets something.
 *
 * @returns false when the action runs again after a crash and another has set the same since. The newer setting stays.
 */
export type BeginSetting = (action: { readonly id: string }, subject: string) => Promise<boolean>;

interface Deps {
  readonly settingOrder: SettingOrder;
  readonly hasBegun: (action: { readonly id: string }) => Promise<boolean>;
}

export function createBeginSetting({ settingOrder, hasBegun }: Deps): BeginSetting {
  return async function beginSetting(action, subject) {
    if (await hasBegun(action)) return ((await settingOrder.last(subject)) ?? action.id) === action.id;
    await settingOrder.note(subject, action.id);
    return true;
  };
}
