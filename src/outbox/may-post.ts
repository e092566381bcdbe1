import type { ChannelVisibility } from '../core/channel-visibility.ts';
import type { OutboxEntry } from './entry.ts';

interface Deps {
  readonly visibilityOf: (channel: string) => Promise<ChannelVisibility>;
  /** Gets the alerts of a channel that is shared with another company. */
  readonly defaultChannel: string;
}

/** Whether an entry may be posted in a channel, or another company would read what it must not. */
export type MayPost = (entry: OutboxEntry, channel: string) => Promise<boolean>;

/**
 * An alert may have waited since before its channel was shared. If the default channel is shared as well, alerts stay,
 * rendered for its readers.
 */
export function createMayPost({ visibilityOf, defaultChannel }: Deps): MayPost {
  const isShared = async (channel: string): Promise<boolean> => (await visibilityOf(channel)) === 'shared';
  return async function mayPost(entry, channel) {
    if (!(await isShared(channel))) return true;
    return !isForTeam(entry) && (channel === defaultChannel || (await isShared(defaultChannel)));
  };
}

/**
 * True for entries that name people, limits or decisions. Alerts do not count: they are rendered for the readers of their
 * channel.
 */
export function isForTeam(entry: OutboxEntry): boolean {
  return (
    entry.kind === 'notice' || entry.kind === 'file' || (entry.kind === 'tracked' && entry.subject.kind !== 'alert')
  );
}
