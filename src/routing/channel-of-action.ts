import type { Action } from '../actions/action.ts';
import type { ActionDeps } from '../actions/deps.ts';
import { refuse } from '../actions/record-refusal.ts';
import { SlackError } from '../core/errors.ts';

/**
 * True when the channel that an action was asked in may get alerts; otherwise the person has been told why not. Asked
 * of Slack now: what was known a moment ago proves nothing. `what` says as a noun what is refused.
 *
 * @throws SlackError when Slack cannot say.
 */
export async function mayGetAlerts(
  action: Action,
  deps: ActionDeps,
  what = 'This place gets no alerts by subscription',
): Promise<boolean> {
  const { channel } = action.origin;
  const no = async (why: string, whoCan: string): Promise<false> => {
    await refuse(action, { what, why, whoCan }, deps);
    return false;
  };
  const uninvited = () =>
    no('Cardbell is not in this channel, so it could not post here.', 'Type /invite @cardbell here, then ask again.');
  if (channel.startsWith('D'))
    return await no('This is a direct conversation, not a channel.', 'Type it in a channel.');

  let info: Awaited<ReturnType<typeof deps.routing.channelInfo>>;
  try {
    info = await deps.routing.channelInfo(channel);
  } catch (error) {
    // Slack hides private channels from whoever is not in them.
    if (error instanceof SlackError && error.code === 'channel_unusable') return await uninvited();
    throw error;
  }
  if (info.isExtShared) {
    return await no(
      'This channel is shared with another company (Slack Connect), and what happens to cards is not for them.',
      'Use a channel of your own company.',
    );
  }
  return info.isMember ? true : await uninvited();
}
