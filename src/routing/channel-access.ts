import { randomUUID } from 'node:crypto';
import type { Action } from '../actions/action.ts';
import type { Responses } from '../actions/action-tools.ts';
import { BoundedMap } from '../core/bounded-map.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import { within } from '../core/deadline.ts';
import { SlackError } from '../core/errors.ts';
import { stateKey } from '../core/keys.ts';
import { commit } from '../core/record-store.ts';
import type { RedisClient } from '../core/redis.ts';
import { defineScript, readScript } from '../core/redis-script.ts';

const FRESH_MS = 60_000;
const RETRY_MS = 30_000;
/** A late alert is worse than one that shows less. */
const CHANNEL_INFO_DEADLINE_MS = 1500;
const CHANNELS_MAX = 2000;

/** Changes when Slack reports that the readers of a channel changed. */
export const visibilityVersionKey = stateKey('visibility-version');

/** The channels that Slack has said are shared with another company. They count as shared while it does not answer. */
const sharedChannelsKey = stateKey('shared-channels');

/**
 * The readers of a channel changed: makes every process look up all channels again.
 *
 * @param shared the channel that is shared from now on; null: one that no longer is.
 */
export async function visibilityChanged(redis: RedisClient, shared: string | null): Promise<void> {
  const changed = redis.multi().set(visibilityVersionKey, randomUUID());
  await commit(shared === null ? changed : changed.sadd(sharedChannelsKey, shared));
}

interface VisibilityDeps {
  readonly channelInfo: (channel: string) => Promise<{ isPrivate: boolean; isExtShared: boolean }>;
  readonly redis: RedisClient;
  readonly now?: () => number;
}

const forgetSharedScript = readScript(new URL('./forget-shared-channel.lua', import.meta.url));

/**
 * Determines who can read a channel. Caches Slack's answer for a minute, or until Slack reports a change. A channel that
 * cannot be looked up and is not known to be shared counts as public, so little is shown.
 */
export function createVisibilityOf({ channelInfo, redis, now = () => performance.now() }: VisibilityDeps) {
  const cache = new BoundedMap<string, { visibility: ChannelVisibility; until: number; version: string | null }>(
    CHANNELS_MAX,
  );
  const forgetShared = defineScript(redis, forgetSharedScript);

  /** @param given the version, if it was just read. */
  return async function visibilityOf(channel: string, given?: string | null): Promise<ChannelVisibility> {
    if (channel.startsWith('D')) return 'direct';
    // Read before asking Slack, so that the next call detects a change in between.
    const version = given === undefined ? await redis.get(visibilityVersionKey) : given;
    const cached = cache.get(channel);
    if (cached !== undefined && cached.version === version && cached.until > now()) return cached.visibility;
    const found = await lookUp(channel);
    const visibility = found ?? ((await redis.sismember(sharedChannelsKey, channel)) === 1 ? 'shared' : 'public');
    cache.set(channel, { visibility, until: now() + (found === null ? RETRY_MS : FRESH_MS), version });
    if (found === 'shared') await redis.sadd(sharedChannelsKey, channel);
    // Unless Slack reported a change after it gave this answer.
    else if (found !== null)
      await forgetShared.run([visibilityVersionKey, sharedChannelsKey], [version ?? '', channel]);
    return visibility;
  };

  /** Null: Slack does not answer. */
  async function lookUp(channel: string): Promise<ChannelVisibility | null> {
    try {
      const { isPrivate, isExtShared } = await within(CHANNEL_INFO_DEADLINE_MS, channelInfo(channel), () => {
        throw new Error('no answer in time');
      });
      // Another company reads a shared channel, even if it is private here.
      return isExtShared ? 'shared' : isPrivate ? 'private' : 'public';
    } catch {
      return null;
    }
  }
}

/**
 * Finds a channel for messages that name people or limits when their own channel is shared with another company.
 *
 * @returns the first team channel that is neither shared nor this one; null when there is none.
 */
export function createUnsharedChannel(
  { fallback, ops, audit, approvals }: Readonly<Record<'fallback' | 'ops' | 'audit' | 'approvals', string>>,
  visibilityOf: ReturnType<typeof createVisibilityOf>,
): (than: string) => Promise<string | null> {
  return async function unsharedChannel(than) {
    for (const channel of [fallback, ops, audit, approvals]) {
      if (channel !== than && (await visibilityOf(channel)) !== 'shared') return channel;
    }
    return null;
  };
}

interface AlertsDeps {
  readonly responses: Pick<Responses, 'refuse'>;
  /** @throws SlackError */
  readonly channelInfo: (channel: string) => Promise<{ readonly isMember: boolean; readonly isExtShared: boolean }>;
}

export type MayGetAlerts = ReturnType<typeof createMayGetAlerts>;

/**
 * True when the channel of an action may get alerts. Otherwise the user has been told why not. Asks Slack each time, because a
 * cached answer may be outdated. @throws SlackError when Slack does not answer.
 */
export function createMayGetAlerts({ channelInfo, responses }: AlertsDeps) {
  return async function mayGetAlerts(action: Action): Promise<boolean> {
    const obstacle = await obstacleIn(action.origin.channel);
    if (obstacle !== null) await responses.refuse(action, obstacle);
    return obstacle === null;
  };

  async function obstacleIn(channel: string): Promise<{ readonly why: string; readonly whoCan: string } | null> {
    if (channel.startsWith('D'))
      return { why: 'This is a direct conversation, not a channel.', whoCan: 'Type it in a channel.' };
    try {
      const { isExtShared, isMember } = await channelInfo(channel);
      if (isExtShared) return sharedChannel;
      return isMember ? null : notInvited;
    } catch (error) {
      // Slack hides private channels from non-members.
      if (error instanceof SlackError && error.code === 'channel_unusable') return notInvited;
      throw error;
    }
  }
}

const notInvited = {
  why: 'Cardbell is not in this channel, so it could not post here.',
  whoCan: 'Type /invite @Cardbell here, then ask again.',
};
const sharedChannel = {
  why: 'This channel is shared with another company (Slack Connect), and what happens to cards is not for them.',
  whoCan: 'Use a channel of your own company.',
};
