import type { Cluster, Redis } from 'ioredis';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import { within } from '../core/deadline.ts';
import { stateKey } from '../core/keys.ts';

const FRESH_MS = 10 * 60_000;
const RETRY_MS = 30_000;
/** An alert that shows less is better than one that comes late. */
const CHANNEL_INFO_DEADLINE_MS = 1500;
const CHANNELS_MAX = 2000;

/** Grows when Slack says that the readers of a channel changed. */
export const visibilityVersionKey = stateKey('visibility-version');

/** Slack said that a channel's readers changed: what is remembered of places counts no more, in any process. */
export async function visibilityChanged(redis: Redis | Cluster): Promise<void> {
  await redis.incr(visibilityVersionKey);
}

interface Deps {
  readonly channelInfo: (channel: string) => Promise<{ isPrivate: boolean; isExtShared: boolean }>;
  /** The version of {@link visibilityVersionKey}. */
  readonly version: () => Promise<string | null>;
  readonly now?: () => number;
}

/** @param version where it was read a moment ago. */
export type VisibilityOf = (channel: string, version?: string | null) => Promise<ChannelVisibility>;

/**
 * Who can read a channel, asked of Slack and remembered for ten minutes, or until Slack says that it changed. A channel
 * that cannot be looked up counts as public: then little is shown.
 */
export function createVisibilityOf({ channelInfo, version: readVersion, now = Date.now }: Deps): VisibilityOf {
  const known = new Map<string, { place: ChannelVisibility; until: number; version: string | null }>();

  return async function visibilityOf(channel, given) {
    if (channel.startsWith('D')) return 'direct';
    // The version is read first: a change in between is seen the next time.
    const version = given === undefined ? await readVersion() : given;
    const remembered = known.get(channel);
    if (remembered !== undefined && remembered.version === version && remembered.until > now()) return remembered.place;
    let place: ChannelVisibility = 'public';
    let freshMs = FRESH_MS;
    try {
      const { isPrivate, isExtShared } = await within(CHANNEL_INFO_DEADLINE_MS, channelInfo(channel), () => {
        throw new Error('no answer in time');
      });
      // Another company reads along in a shared channel, whatever else Slack calls it here.
      place = isExtShared ? 'shared' : isPrivate ? 'private' : 'public';
    } catch {
      freshMs = RETRY_MS;
      // What was shared once is not taken for harmless because Slack does not answer.
      if (remembered?.place === 'shared') place = 'shared';
    }
    if (known.size >= CHANNELS_MAX) known.clear();
    known.set(channel, { place, until: now() + freshMs, version });
    return place;
  };
}
