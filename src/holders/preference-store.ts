import { z } from 'zod';
import { stateKey } from '../core/keys.ts';
import { createRecordHash } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';

/** Kinds of direct messages that people receive unasked and may switch off. */
export const directKinds = [
  'declines',
  'card-status',
  'shipping',
  'virtual-cards',
  'limit-warnings',
  'expiring-cards',
  'failing-subscriptions',
] as const;

export type DirectKind = (typeof directKinds)[number];

/** The warnings channels receive and may switch off. Which alerts a channel gets is set by its subscriptions. */
export const channelKinds = ['expiring-cards', 'failing-subscriptions', 'low-balance'] as const;

export type ChannelKind = (typeof channelKinds)[number];

export type NotificationKind = DirectKind | ChannelKind;

const notificationKinds: readonly NotificationKind[] = [...new Set([...directKinds, ...channelKinds])];

export const ownDigestTimes = ['daily', 'weekly'] as const;

/** A person who gets a digest of their own cards as a direct message. */
export const OwnDigest = z.strictObject({
  userId: z.string(),
  often: z.enum(ownDigestTimes),
  /** When it was chosen, UTC ISO 8601. */
  since: z.string(),
  /** If it replaced another, when the first of them was chosen. */
  startedAt: z.string().nullish(),
});
export type OwnDigest = z.infer<typeof OwnDigest>;

/** What each person and channel has switched off. Everything is on by default. */
export type Preferences = ReturnType<typeof createPreferences>;

/** `owner` is a Slack user id or a channel id. */
export function createPreferences(redis: RedisClient) {
  const keyOf = (owner: string): string => stateKey(`switched-off:${owner}`);
  const ownDigests = createRecordHash({ redis, schema: OwnDigest, key: stateKey('own-digests') });
  return {
    isOn: async (owner: string, kind: NotificationKind): Promise<boolean> =>
      (await redis.sismember(keyOf(owner), kind)) === 0,
    /** In the order of {@link notificationKinds}. */
    async switchedOff(owner: string): Promise<NotificationKind[]> {
      const off = await redis.smembers(keyOf(owner));
      return notificationKinds.filter((kind) => off.includes(kind));
    },
    set: async (owner: string, kind: NotificationKind, isOn: boolean): Promise<void> =>
      void (await (isOn ? redis.srem(keyOf(owner), kind) : redis.sadd(keyOf(owner), kind))),
    /** Null: the person gets none. */
    ownDigest: ownDigests.get,
    ownDigests: ownDigests.all,
    setOwnDigest: async (userId: string, digest: Omit<OwnDigest, 'userId'> | null): Promise<void> =>
      digest === null ? await ownDigests.delete(userId) : await ownDigests.put(userId, { userId, ...digest }),
  };
}
