import { stateKey } from './keys.ts';
import type { RedisClient } from './redis.ts';

/** As long as the progress of an action. */
const KEPT_SECONDS = 15 * 24 * 3600;

/** How far the clocks of two processes may differ. */
const CLOCKS_DIFFER_MS = 60_000;

/** An action, and when it was asked for (UTC ISO 8601). */
interface Asked {
  readonly id: string;
  readonly askedAt: string;
}

const orderKey = (subject: string): string => stateKey(`set-last:${subject}`);

/** Which action last set something: the holder of a card, a delegate, a mute, quiet hours, a preference. */
export type SettingOrder = ReturnType<typeof createSettingOrder>;

export function createSettingOrder(redis: RedisClient, now: () => Date) {
  /** Whether another action has set this that was asked for later than the given one. */
  const isSetSince = async (subject: string, { id, askedAt }: Asked): Promise<boolean> => {
    const [lastId = id, lastAskedAt = ''] = (await redis.get(orderKey(subject)))?.split(' ') ?? [];
    // After the shared clock was set back, what was asked for before that is no later than anything.
    const isBeforeSetBack = Date.parse(lastAskedAt) > now().getTime() + CLOCKS_DIFFER_MS;
    return lastId !== id && lastAskedAt > askedAt && !isBeforeSetBack;
  };
  return {
    isSetSince,
    /**
     * Call before the first record of an action that sets something, under a lock of its subject.
     *
     * @returns false when another action has set the same that was asked for later: this one waited, or runs again after a
     * crash. The newer setting stays.
     */
    async begin(subject: string, action: Asked): Promise<boolean> {
      if (await isSetSince(subject, action)) return false;
      await redis.set(orderKey(subject), `${action.id} ${action.askedAt}`, 'EX', KEPT_SECONDS);
      return true;
    },
  };
}

/** Begins to set each part of a subject. @returns the parts that nobody has set later. */
export async function beginParts<Part extends string>(
  { begin }: Pick<SettingOrder, 'begin'>,
  subject: string,
  parts: readonly Part[],
  action: Asked,
): Promise<readonly Part[]> {
  const newest: Part[] = [];
  for (const part of parts) if (await begin(`${subject}:${part}`, action)) newest.push(part);
  return newest;
}
