import type { Slack } from '../slack/client.ts';
import type { MessageRef } from '../slack/message.ts';
import type { Draft, Sending } from './entry.ts';
import { isThreadGone, marksOf } from './find-posted.ts';
import type { Threads } from './message-store.ts';

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'shareFile'>;
  readonly threads: Pick<Threads, 'markGone'>;
}

/** @returns null when the thread is gone: nothing was posted, and the message must be rendered without a thread. */
export type SendMessage = (
  channel: string,
  draft: Draft,
  sending: Pick<Sending, 'ref' | 'entryIds'>,
) => Promise<MessageRef | null>;

export function createSendMessage({ slack, threads }: Deps): SendMessage {
  return async function sendMessage(channel, draft, { ref, entryIds }) {
    const { thread } = draft;
    try {
      if (draft.kind === 'message')
        return await slack.post(channel, draft.message, ref, thread, marksOf(channel, entryIds));
      await slack.shareFile(channel, draft.file, draft.comment, thread?.ts ?? null);
      return { channel, ts: '' };
    } catch (error) {
      if (thread === null || !isThreadGone(error)) throw error;
      await threads.markGone(channel, thread.ts);
      return null;
    }
  };
}

/** How fast the worker posts to Slack, in milliseconds. */
export interface Throttle {
  /** Edits per minute, across all channels. */
  readonly editsPerMinute: number;
  /** Interval between two messages in a channel. */
  readonly postMs: number;
  /** Wait after Slack, or a proxy, refused the app, which someone must repair. */
  readonly appRefusedMs: number;
}

/** Slack accepts about one message per second and channel. The extra 50 ms allow for clock differences. */
export const defaultThrottle: Throttle = { postMs: 1050, editsPerMinute: 45, appRefusedMs: 10_000 };

/** Most edits in a burst. Slack's tier 3 allows 50 a minute. https://docs.slack.dev/apis/web-api/rate-limits */
export const EDIT_BURST = 30;
