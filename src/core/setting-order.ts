import { stateKey } from './keys.ts';
import type { RedisClient } from './redis.ts';

/** As long as the progress of an action. */
const KEPT_SECONDS = 15 * 24 * 3600;

/** Which action last set something: the holder of a card, a delegate, quiet hours, a preference. */
export type SettingOrder = ReturnType<typeof createSettingOrder>;

export function createSettingOrder(redis: RedisClient) {
  return {
    /**
     * Call before the first record of an action that sets something, under a lock of its subject.
     *
     * @param action the action, and when it was asked for (UTC ISO 8601).
     * @returns false when another action has set the same that was asked for later: this one waited, or runs again after a
     * crash. The newer setting stays.
     */
    async begin(subject: string, action: { readonly id: string; readonly askedAt: string }): Promise<boolean> {
      const { id, askedAt } = action;
      const key = stateKey(`set-last:${subject}`);
      const [lastId = id, lastAskedAt = ''] = (await redis.get(key))?.split(' ') ?? [];
      if (lastId !== id && lastAskedAt > askedAt) return false;
      await redis.set(key, `${id} ${askedAt}`, 'EX', KEPT_SECONDS);
      return true;
    },
  };
}
