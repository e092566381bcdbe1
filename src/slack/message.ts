import type { KnownBlock } from '@slack/types';
import { z } from 'zod';
import { within } from '../core/deadline.ts';
import { sharedFor } from '../core/join-calls.ts';
import { truncate } from './mrkdwn.ts';

/** What Slack shows. `text` is a full sentence, because notifications and screen readers use it instead of the blocks. */
export interface Message {
  readonly text: string;
  readonly blocks: KnownBlock[];
}

const PLAIN_MAX = 3000;

/** A version of a message that Slack always accepts. */
export function plainMessage({ text }: Message): { text: string; blocks: [] } {
  return { text: truncate(text, PLAIN_MAX), blocks: [] };
}

/** A message that is stored until it is posted. Its blocks are made by our own templates, and Slack validates them. */
export const StoredMessage = z.object({
  text: z.string(),
  blocks: z.array(z.custom<KnownBlock>((value) => typeof value === 'object' && value !== null && 'type' in value)),
});

/** Where a message is. */
export interface MessageRef {
  readonly channel: string;
  /** Slack's timestamp, the message's id within its channel. */
  readonly ts: string;
}

/** Recording something must not wait for Slack. */
const ASK_DEADLINE_MS = 1500;
const RETRY_MS = 60_000;

/**
 * Permalinks of messages, like those of *Copy link*. The workspace's own address is requested until Slack has answered once.
 * https://docs.slack.dev/reference/methods/chat.getPermalink
 *
 * @returns null while Slack does not tell us the workspace's address.
 */
export function createPermalink(authTest: () => Promise<{ url: string }>) {
  let workspace: string | null = null;
  const ask = sharedFor(RETRY_MS, async () => {
    const url = authTest().then(
      (answer) => answer.url || null,
      () => null,
    );
    workspace = await within(ASK_DEADLINE_MS, url, () => null);
  });
  return async function permalink(channel: string, ts: string): Promise<string | null> {
    if (workspace === null) await ask();
    return workspace === null ? null : `${workspace}archives/${channel}/p${ts.replace('.', '')}`;
  };
}
