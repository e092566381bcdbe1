import { z } from 'zod';
import { SlackError } from '../core/errors.ts';
import type { Slack } from '../slack/client.ts';
import type { MessageRef } from '../slack/message.ts';
import type { Draft, Sending } from './entry.ts';
import { isThreadGone, marksOf, PostSearch } from './find-posted.ts';
import type { Threads } from './message-store.ts';

/** A message that was posted more than once, because an attempt was not found in time. */
export const LateCopies = z.strictObject({
  search: PostSearch,
  /** What it shows: where each of these was posted is known, and a message that shows none of them is a copy. */
  entryIds: z.array(z.string()),
  attempt: z.int(),
});
export type LateCopies = z.infer<typeof LateCopies>;

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'shareFile'>;
  readonly threads: Pick<Threads, 'markGone'>;
  readonly watchForCopies: Sender['watchForCopies'];
}

export interface Sender {
  /** @returns null when the thread of the message is gone: nothing was posted, and it has to be rendered without a thread. */
  post(channel: string, draft: Draft, sending: Pick<Sending, 'ref' | 'entryIds'>): Promise<MessageRef | null>;
  /** Has somebody look for copies of a message later. May be repeated. */
  watchForCopies(copies: LateCopies): Promise<void>;
}

export function createSender({ slack, threads, watchForCopies }: Deps): Sender {
  return {
    watchForCopies,

    async post(channel, draft, { ref, entryIds }) {
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
    },
  };
}

/** How fast the worker posts to Slack, in milliseconds. */
export interface Throttle {
  /** Edits that Slack takes, in all channels together. */
  readonly editsPerMinute: number;
  /** Between two messages in a channel. */
  readonly postMs: number;
  /** After Slack refused the token, which somebody has to replace. */
  readonly tokenDeadMs: number;
}

/** Slack takes about one message a second in a channel; the rest allows for a different clock. */
export const defaultThrottle: Throttle = { postMs: 1050, editsPerMinute: 45, tokenDeadMs: 10_000 };

/** How many edits may be made at once. Slack's tier 3 allows 50 a minute. https://docs.slack.dev/apis/web-api/rate-limits */
export const EDIT_BURST = 30;

const FIRST_PAUSE_MS = 1000;
const PAUSE_MAX_MS = 60_000;
/** With the longest pause in between, this is a day. */
const STARTS_MAX = 24 * 60;

/**
 * Runs something that calls Slack, and says when to run it again if Slack did not take it: because of a rate limit, a dead
 * token, or no answer. None of these counts as a failed attempt.
 *
 * @returns milliseconds after which to run again, because of Slack or as `work` says, or null when it is done.
 */
export async function whenSlackTakesIt(
  starts: number,
  { tokenDeadMs }: Pick<Throttle, 'tokenDeadMs'>,
  work: () => Promise<number | null>,
): Promise<number | null> {
  try {
    return await work();
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
