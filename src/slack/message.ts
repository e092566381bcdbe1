import type { KnownBlock } from '@slack/types';

/** What Slack shows. `text` is a full sentence: notifications and screen readers use it instead of the blocks. */
export interface Message {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

/** Where a message stands. */
export interface MessageRef {
  readonly channel: string;
  /** Slack's timestamp, the message's id within its channel. */
  readonly ts: string;
}
