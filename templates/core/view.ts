import type { ChannelVisibility } from '../../src/core/channel-visibility.ts';

/** Who will read the message. */
export interface View {
  readonly place: ChannelVisibility;
  /** Slack channel of the message: what is counted there. Left out where nothing is. */
  readonly channel?: string;
  /** All there is to say at once, in place of three lines: by choice of the channel, or in *Details*. */
  readonly isLong?: boolean;
}
