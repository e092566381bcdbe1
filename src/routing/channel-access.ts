import { randomUUID } from 'node:crypto';
import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import type { ChannelVisibility } from '../core/channel-visibility.ts';
import { within } from '../core/deadline.ts';
import { SlackError } from '../core/errors.ts';
import { stateKey } from '../core/keys.ts';
import type { RedisClient } from '../core/redis.ts';

const FRESH_MS = 60_000;
const RETRY_MS = 30_000;
/** An alert that shows less is better than one that comes late. */
const CHANNEL_INFO_DEADLINE_MS = 1500;
const CHANNELS_MAX = 2000;

/** Counts Slack's reports that the readers of a channel changed. */
export const visibilityVersionKey = stateKey('visibility-version');

/** The readers of a channel changed: every process then looks all channels up again. */
export async function visibilityChanged(redis: RedisClient): Promise<void> {
  await redis.set(visibilityVersionKey, randomUUID());
}

interface VisibilityDeps {
  readonly channelInfo: (channel: string) => Promise<{ isPrivate: boolean; isExtShared: boolean }>;
  /** The version of {@link visibilityVersionKey}. */
  readonly version: () => Promise<string | null>;
  readonly now?: () => number;
}

/** @param version to be passed when it has just been read. */
type VisibilityOf = (channel: string, version?: string | null) => Promise<ChannelVisibility>;

/**
 * Who can read a channel. Slack's answer is cached for a minute, or until Slack reports a change. A channel that
 * cannot be looked up counts as public, so little is shown.
 */
export function createVisibilityOf({
  channelInfo,
  version: readVersion,
  now = () => performance.now(),
}: VisibilityDeps): VisibilityOf {
  const cache = new Map<string, { visibility: ChannelVisibility; until: number; version: string | null }>();

  return async function visibilityOf(channel, given) {
    if (channel.startsWith('D')) return 'direct';
    // Read before Slack is asked, so that a change in between is noticed the next time.
    const version = given === undefined ? await readVersion() : given;
    const cached = cache.get(channel);
    if (cached !== undefined && cached.version === version && cached.until > now()) return cached.visibility;
    let visibility: ChannelVisibility = 'public';
    let freshMs = FRESH_MS;
    try {
      const { isPrivate, isExtShared } = await within(CHANNEL_INFO_DEADLINE_MS, channelInfo(channel), () => {
        throw new Error('no answer in time');
      });
      // Another company reads a shared channel, even one that is private here.
      visibility = isExtShared ? 'shared' : isPrivate ? 'private' : 'public';
    } catch {
      freshMs = RETRY_MS;
      // A shared channel stays shared while Slack does not answer.
      if (cached?.visibility === 'shared') visibility = 'shared';
    }
    if (cache.size >= CHANNELS_MAX) cache.clear();
    cache.set(channel, { visibility, until: now() + freshMs, version });
    return visibility;
  };
}

/**
 * Where goes what names people or limits while its own channel is shared with another company.
 *
 * @returns the first of the team's channels that is not shared, other than this one; null when there is none.
 */
export function createUnsharedChannel(
  { fallback, ops, audit, approvals }: Readonly<Record<'fallback' | 'ops' | 'audit' | 'approvals', string>>,
  visibilityOf: VisibilityOf,
): (than: string) => Promise<string | null> {
  return async function unsharedChannel(than) {
    for (const channel of [fallback, ops, audit, approvals]) {
      if (channel !== than && (await visibilityOf(channel)) !== 'shared') return channel;
    }
    return null;
  };
}

interface AlertsDeps {
  /** @throws SlackError */
  readonly channelInfo: (channel: string) => Promise<{ readonly isMember: boolean; readonly isExtShared: boolean }>;
  readonly reply: Pick<ActionTools, 'refuse'>;
}

/**
 * True when the channel that an action came from may get alerts; otherwise the user has been told why not.
 *
 * @param what is refused, as the beginning of a sentence.
 */
export type MayGetAlerts = (action: Action, what?: string) => Promise<boolean>;

/** Asks Slack each time, because a cached answer may be wrong by now. @throws SlackError when Slack cannot say. */
export function createMayGetAlerts({ channelInfo, reply }: AlertsDeps): MayGetAlerts {
  return async function mayGetAlerts(action, what = 'This place gets no alerts by subscription') {
    const obstacle = await obstacleIn(action.origin.channel);
    if (obstacle !== null) await reply.refuse(action, { what, ...obstacle });
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
      // Slack hides private channels from those who are not members.
      if (error instanceof SlackError && error.code === 'channel_unusable') return notInvited;
      throw error;
    }
  }
}

const notInvited = {
  why: 'Cardbell is not in this channel, so it could not post here.',
  whoCan: 'Type /invite @cardbell here, then ask again.',
};
const sharedChannel = {
  why: 'This channel is shared with another company (Slack Connect), and what happens to cards is not for them.',
  whoCan: 'Use a channel of your own company.',
};
