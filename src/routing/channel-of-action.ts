import type { Action } from '../actions/action.ts';
import type { ActionTools } from '../actions/action-tools.ts';
import { SlackError } from '../core/errors.ts';

interface Deps {
  /** @throws SlackError */
  readonly channelInfo: (channel: string) => Promise<{ readonly isMember: boolean; readonly isExtShared: boolean }>;
  readonly reply: Pick<ActionTools, 'refuse'>;
}

/** True when a channel may get alerts; otherwise the person has been told why not. `what` says as a noun what is refused. */
export type MayGetAlerts = (action: Action, what?: string) => Promise<boolean>;

/**
 * Whether the channel that an action was asked in may get alerts. Slack is asked each time: an answer that is only a
 * moment old proves nothing.
 *
 * @throws SlackError when Slack cannot say.
 */
export function createMayGetAlerts({ channelInfo, reply }: Deps): MayGetAlerts {
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
      return isMember ? null : uninvited;
    } catch (error) {
      // Slack hides private channels from whoever is not in them.
      if (error instanceof SlackError && error.code === 'channel_unusable') return uninvited;
      throw error;
    }
  }
}

const uninvited = {
  why: 'Cardbell is not in this channel, so it could not post here.',
  whoCan: 'Type /invite @cardbell here, then ask again.',
};
const sharedChannel = {
  why: 'This channel is shared with another company (Slack Connect), and what happens to cards is not for them.',
  whoCan: 'Use a channel of your own company.',
};
