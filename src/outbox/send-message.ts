import { SlackError } from '../core/errors.ts';
import type { Slack } from '../slack/client.ts';
import type { MessageRef } from '../slack/message.ts';
import { fileName } from './attach-rows.ts';
import type { Draft, OutboxEntry, Sending } from './entry.ts';
import type { Threads } from './message-store.ts';
import { threadOf } from './render-entries.ts';

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'findByRef' | 'shareFile' | 'findFile'>;
  readonly threads: Pick<Threads, 'rootOf'>;
}

/** The first message of the thread is gone. https://docs.slack.dev/reference/methods/conversations.replies */
function isThreadGone(error: unknown): boolean {
  return error instanceof SlackError && /^(?:thread_not_found|invalid_thread_ts|invalid_ts)/.test(error.slackError);
}

export interface Sender {
  /** @param ref opaque id by which `findPost` can find the message. */
  post(channel: string, draft: Draft, ref: string): Promise<MessageRef>;
  /** Looks for a message that may have been posted, in its thread and in the channel. @returns its ts, or null. */
  findPost(channel: string, sending: Sending, entries: readonly OutboxEntry[]): Promise<string | null>;
}

export function createSender({ slack, threads }: Deps): Sender {
  return {
    async post(channel, draft, ref) {
      if (draft.kind === 'file') {
        await slack.shareFile(channel, draft.file, draft.comment, draft.threadTs);
        return { channel, ts: '' };
      }
      try {
        return await slack.post(channel, draft.message, ref, draft.thread);
      } catch (error) {
        // Somebody deleted the first message, so this one is posted without a thread.
        if (draft.thread === null || !isThreadGone(error)) throw error;
        return await slack.post(channel, draft.message, ref);
      }
    },

    async findPost(channel, { ref, startedAt }, entries) {
      const [first] = entries;
      const thread = await threadOf(entries, channel, threads);
      const isFile = first?.kind === 'rows' && first.page === null;
      const find = (threadTs: string | null): Promise<string | null> =>
        isFile
          ? slack.findFile(channel, fileName(first), startedAt, threadTs)
          : slack.findByRef(channel, ref, startedAt, threadTs);
      if (thread !== null) {
        try {
          const ts = await find(thread.ts);
          if (ts !== null) return ts;
        } catch (error) {
          if (!isThreadGone(error)) throw error;
        }
      }
      return await find(null);
    },
  };
}

/** How fast the worker posts to Slack, in milliseconds. Tests set other values. */
export interface Throttle {
  /** Between two messages in a channel. */
  readonly postMs: number;
  /** After Slack refused the token, which somebody has to replace. */
  readonly tokenDeadMs: number;
}

/** Slack takes about one message a second in a channel; the rest allows for a different clock. */
export const defaultThrottle: Throttle = { postMs: 1050, tokenDeadMs: 10_000 };

const FIRST_PAUSE_MS = 1000;
const PAUSE_MAX_MS = 60_000;
/** With the longest pause in between, this is a day. */
const STARTS_MAX = 24 * 60;

/**
 * Runs an edit, and says when to run it again if Slack did not take it: because of a rate limit, a dead token, or no
 * answer. None of these counts as a failed attempt.
 *
 * @returns milliseconds after which to run again, or null when it is done.
 */
export async function whenSlackTakesIt(
  starts: number,
  { tokenDeadMs }: Pick<Throttle, 'tokenDeadMs'>,
  edit: () => Promise<void>,
): Promise<number | null> {
  try {
    await edit();
    return null;
  } catch (error) {
    if (starts >= STARTS_MAX) throw error;
    const growing = Math.min(PAUSE_MAX_MS, FIRST_PAUSE_MS * 2 ** Math.min(starts - 1, 10));
    if (!(error instanceof SlackError)) throw error;
    if (error.code === 'token_dead') return tokenDeadMs;
    if (error.code === 'rate_limited') return error.retryAfterMs ?? FIRST_PAUSE_MS;
    if (error.code === 'unknown') return growing;
    throw error;
  }
}
