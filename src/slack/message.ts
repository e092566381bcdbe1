import type { KnownBlock } from '@slack/types';
import { within } from '../core/deadline.ts';

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

/** Writing something down must not wait for Slack. */
const ASK_DEADLINE_MS = 1500;
const RETRY_MS = 60_000;

/**
 * Addresses of messages, as *Copy link* gives them. The workspace's own address is asked for once.
 * https://docs.slack.dev/reference/methods/chat.getPermalink
 *
 * @returns null while Slack does not say where the workspace is.
 */
export function createPermalink(
  authTest: () => Promise<{ url: string }>,
  now: () => number = () => performance.now(),
): (channel: string, ts: string) => Promise<string | null> {
  let workspace: string | null = null;
  let askAgainAt = 0;

  return async function permalink(channel, ts) {
    if (workspace === null && now() >= askAgainAt) {
      askAgainAt = now() + RETRY_MS;
      workspace = await within(ASK_DEADLINE_MS, ask(), () => null);
    }
    return workspace === null ? null : `${workspace}archives/${channel}/p${ts.replace('.', '')}`;
  };

  async function ask(): Promise<string | null> {
    try {
      const { url } = await authTest();
      return url === '' ? null : url;
    } catch {
      return null;
    }
  }
}
