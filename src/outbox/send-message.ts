import { SlackError } from '../core/errors.ts';
import type { Slack } from '../slack/client.ts';
import type { MessageRef } from '../slack/message.ts';
import { fileName } from './attach-rows.ts';
import type { Draft } from './draft.ts';
import type { OutboxEntry, Sending } from './entry.ts';
import { threadOf } from './render-entries.ts';
import type { Threads } from './thread-store.ts';

interface Deps {
  readonly slack: Pick<Slack, 'post' | 'findByRef' | 'shareFile' | 'findFile'>;
  readonly threads: Pick<Threads, 'rootOf'>;
}

/** The thread's first message is gone. https://docs.slack.dev/reference/methods/conversations.replies */
function isWithoutThread(error: unknown): boolean {
  return error instanceof SlackError && /^(?:thread_not_found|invalid_thread_ts|invalid_ts)/.test(error.slackError);
}

export interface Sender {
  /** @param ref opaque id by which `findPost` finds the message again. */
  post(channel: string, draft: Draft, ref: string): Promise<MessageRef>;
  /** Looks for a message whose end is not known, in its thread and in the channel. @returns its ts, or null. */
  findPost(channel: string, sending: Sending, entries: readonly OutboxEntry[]): Promise<string | null>;
}

/** Posts messages and files, and finds them again. */
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
        // Somebody deleted the first message: this one stands by itself.
        if (draft.thread === null || !isWithoutThread(error)) throw error;
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
          if (!isWithoutThread(error)) throw error;
        }
      }
      return await find(null);
    },
  };
}
