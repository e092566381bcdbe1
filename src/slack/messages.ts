import { setTimeout as sleep } from 'node:timers/promises';
import type webApi from '@slack/web-api';
import { SlackError } from '../core/errors.ts';
import type { FoundMessage, MessageSearch, Thread, UploadedFile } from './client.ts';
import type { SlackClock } from './clock.ts';
import { type SlackCall, TIMEOUT_MS } from './failure.ts';
import type { Message, MessageRef } from './message.ts';

export function messageCalls(client: webApi.WebClient, call: SlackCall, clock: SlackClock) {
  return {
    /**
     * Posts once.
     *
     * @param ref opaque id by which `findMessages` can find the message later.
     * @param thread the message to reply to, and whether the reply also shows in the channel; null: not in a thread.
     * @param marks opaque ids of `MARK_LENGTH` characters, one for each item in the message that must be found on its
     * own.
     */
    post: (
      channel: string,
      message: Message,
      ref: string,
      thread: Thread | null = null,
      marks: readonly string[] = [],
    ): Promise<MessageRef> =>
      call('chat.postMessage', async () => {
        const answer = await client.chat.postMessage({
          channel,
          text: message.text,
          blocks: message.blocks,
          unfurl_links: false,
          unfurl_media: false,
          ...(thread === null ? {} : { thread_ts: thread.ts }),
          // The types allow a broadcast only when the thread is known at compile time.
          ...((thread?.isBroadcast ? { reply_broadcast: true } : {}) as object),
          metadata: {
            event_type: METADATA_TYPE,
            event_payload: marks.length === 0 ? { ref } : { ref, marks: marks.join('') },
          },
        });
        // A message without its ts cannot be edited, so treat it like one whose response was lost: search for it.
        if (!answer.ts) throw new Error('Slack returned no ts for the message');
        return { channel: answer.channel || channel, ts: answer.ts };
      }),
    /** Oldest first. */
    findMessages: (search: MessageSearch) => findMessages(client, call, clock, search),
    update: (ref: MessageRef, message: Message) =>
      call('chat.update', async () => {
        await client.chat.update({ channel: ref.channel, ts: ref.ts, text: message.text, blocks: message.blocks });
      }),
    delete: ({ channel, ts }: MessageRef) =>
      call('chat.delete', async () => {
        await client.chat.delete({ channel, ts });
      }),
    /** Only `userId` sees it, and only until the client reloads. */
    postEphemeral: (channel: string, userId: string, { text, blocks }: Message, threadTs?: string) =>
      call('chat.postEphemeral', async () => {
        const thread = threadTs === undefined ? {} : { thread_ts: threadTs };
        await client.chat.postEphemeral({ channel, user: userId, text, blocks, ...thread });
      }),
  };
}

export function fileCalls(client: webApi.WebClient, call: SlackCall) {
  return {
    /** Uploads a file. Nobody sees it before it is shared. */
    uploadFile: ({ name, title, content }: Pick<UploadedFile, 'name' | 'title'> & { readonly content: string }) =>
      call('files.getUploadURLExternal', async () => {
        const body = Buffer.from(content);
        const { upload_url: url, file_id: id } = await client.files.getUploadURLExternal({
          filename: name,
          length: body.length,
        });
        if (!url || !id) throw new Error('Slack returned no upload URL');
        const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT_MS) });
        await answer.body?.cancel();
        if (!answer.ok) throw new Error(`the upload failed with status ${answer.status}`);
        return { id, name, title };
      }),
    /** Shows an uploaded file in a channel or a thread. */
    shareFile: (channel: string, { id, title }: UploadedFile, comment: string, threadTs: string | null) =>
      call('files.completeUploadExternal', async () => {
        const where = { channel_id: channel, initial_comment: comment };
        const files: [{ id: string; title: string }] = [{ id, title }];
        await (threadTs === null
          ? client.files.completeUploadExternal({ files, ...where })
          : client.files.completeUploadExternal({ files, ...where, thread_ts: threadTs }));
      }),
  };
}

/** Type of our messages' metadata. Any app in the workspace may read it, so it holds only an opaque id. */
export const METADATA_TYPE = 'cardbell_message';

/** Characters of a mark: 40 bits in base 32. */
export const MARK_LENGTH = 8;

/** The fields we read of a message in a history. */
interface HistoryMessage {
  readonly ts?: string;
  readonly files?: readonly ({ readonly name?: string | null } | null)[] | null;
}

/** The response of both kinds of history. */
interface Page {
  readonly messages?: readonly (HistoryMessage | null)[] | null;
  readonly response_metadata?: { readonly next_cursor?: string | null } | null;
}

/** How far our estimate of Slack's clock may be off. */
const CLOCK_MARGIN_MS = 5 * 60_000;
/** The most that Slack returns at once, so that a search is nearly always one call. */
const PAGE_SIZE = 999;
/** Longer waits are left to the caller, who restarts the search with the same bounds. */
const WAIT_MAX_MS = 30_000;

/**
 * Reads the history between two moments by Slack's clock. Both are fixed at the start, so the search ends however much
 * is posted meanwhile, and it resumes where a rate limit stopped it.
 */
async function findMessages(
  client: webApi.WebClient,
  call: SlackCall,
  clock: SlackClock,
  { channel, threadTs, sinceMs }: MessageSearch,
): Promise<FoundMessage[]> {
  const nowMs = clock.now();
  const bounds = {
    ...(sinceMs === null ? {} : { oldest: seconds(sinceMs - CLOCK_MARGIN_MS) }),
    ...(nowMs === null ? {} : { latest: seconds(nowMs + CLOCK_MARGIN_MS) }),
  };
  const place = { channel, ...bounds, limit: PAGE_SIZE, include_all_metadata: true };
  const method = threadTs === null ? 'conversations.history' : 'conversations.replies';
  const found: FoundMessage[] = [];
  let cursor: string | null | undefined;
  do {
    const asked = cursor ? { ...place, cursor } : place;
    const page: Page = await throughRateLimits(() =>
      call(method, () =>
        threadTs === null
          ? client.conversations.history(asked)
          : client.conversations.replies({ ...asked, ts: threadTs }),
      ),
    );
    for (const message of page.messages ?? []) {
      if (!message?.ts) continue;
      const files = message.files?.flatMap((file) => file?.name ?? []) ?? [];
      found.push({ ts: message.ts, ...readMarks(message), files });
    }
    cursor = page.response_metadata?.next_cursor;
  } while (cursor && sinceMs !== null);
  return found.toSorted((one, other) => Number(one.ts) - Number(other.ts));
}

function seconds(ms: number): string {
  return String(Math.floor(ms / 1000));
}

async function throughRateLimits<T>(read: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      const waitMs = error instanceof SlackError ? error.retryAfterMs : undefined;
      if (waitMs === undefined || waitMs > WAIT_MAX_MS) throw error;
      await sleep(waitMs);
    }
  }
}

function readMarks(message: object): Pick<FoundMessage, 'ref' | 'marks'> {
  const { metadata } = message as { metadata?: { event_type?: string; event_payload?: Record<string, unknown> } };
  const { ref, marks } = (metadata?.event_type === METADATA_TYPE && metadata.event_payload) || {};
  return {
    ref: typeof ref === 'string' ? ref : null,
    marks: (typeof marks === 'string' && marks.match(new RegExp(`.{${MARK_LENGTH}}`, 'g'))) || [],
  };
}
