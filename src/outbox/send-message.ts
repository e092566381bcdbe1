import { z } from 'zod';
import { SlackError } from '../core/errors.ts';
import type { Slack } from '../slack/client.ts';
import type { MessageRef } from '../slack/message.ts';
import { fileNameOf } from './attach-rows.ts';
import type { Draft, OutboxEntry, Sending } from './entry.ts';
import type { Threads } from './message-store.ts';
import { threadOf } from './render-entries.ts';

/** Where a message may be found that may have been posted, also later and by another worker. */
export const PostSearch = z.strictObject({
  channel: z.string(),
  threadTs: z.string().nullable(),
  ref: z.string(),
  /** The name of the file, when the message shows one. */
  file: z.string().nullable(),
  /** When its first attempt began, by Slack's clock (ms); null when that was not known. */
  slackMs: z.number().nullable(),
});
export type PostSearch = z.infer<typeof PostSearch>;

/** A message that was posted more than once, because an attempt was not found in time. */
export const LateCopies = z.strictObject({
  search: PostSearch,
  /** The first of its entries: where this was posted is known, and every other message is a copy. */
  entryId: z.string(),
  attempt: z.int(),
});
export type LateCopies = z.infer<typeof LateCopies>;

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'shareFile' | 'findMessages'>;
  readonly threads: Pick<Threads, 'rootOf' | 'isGone' | 'markGone'>;
  readonly watchForCopies: Sender['watchForCopies'];
}

/** Slack's codes when the first message of a thread is gone. https://docs.slack.dev/reference/methods/chat.postMessage */
const threadGone = /^(?:thread_not_found|invalid_thread_ts|invalid_ts|cannot_reply_to_message|message_not_found)/;

function isThreadGone(error: unknown): boolean {
  return error instanceof SlackError && threadGone.test(error.slackError);
}

export interface Sender {
  /**
   * @param ref opaque id by which `find` finds the message.
   * @returns null when the thread of the message is gone: nothing was posted, and it has to be rendered without a thread.
   */
  post(channel: string, draft: Draft, ref: string): Promise<MessageRef | null>;
  searchFor(channel: string, sending: Sending, entries: readonly OutboxEntry[]): Promise<PostSearch>;
  /** Looks in the thread and in the channel. @returns the ts of each message that fits, oldest first. */
  find(search: PostSearch): Promise<string[]>;
  /** Has somebody look for copies of a message later. May be repeated. */
  watchForCopies(copies: LateCopies): Promise<void>;
}

export function createSender({ slack, threads, watchForCopies }: Deps): Sender {
  return {
    watchForCopies,

    async post(channel, draft, ref) {
      const { thread } = draft;
      try {
        if (draft.kind === 'message') return await slack.post(channel, draft.message, ref, thread);
        await slack.shareFile(channel, draft.file, draft.comment, thread?.ts ?? null);
        return { channel, ts: '' };
      } catch (error) {
        if (thread === null || !isThreadGone(error)) throw error;
        await threads.markGone(channel, thread.ts);
        return null;
      }
    },

    async searchFor(channel, { ref, slackMs }, entries) {
      const [first] = entries;
      const thread = await threadOf(entries, channel, threads);
      return { channel, threadTs: thread?.ts ?? null, ref, file: fileNameOf(first), slackMs };
    },

    async find({ channel, threadTs, ref, file, slackMs }) {
      const search = { channel, by: file === null ? { ref } : { file }, sinceMs: slackMs };
      const inThread = threadTs === null ? [] : await slack.findMessages({ ...search, threadTs }).catch(noneIfGone);
      const inChannel = await slack.findMessages({ ...search, threadTs: null });
      // A reply that shows in the channel as well is found in both.
      return [...new Set([...inThread, ...inChannel])].toSorted((one, other) => Number(one) - Number(other));
    },
  };
}

function noneIfGone(error: unknown): string[] {
  if (!isThreadGone(error)) throw error;
  return [];
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
