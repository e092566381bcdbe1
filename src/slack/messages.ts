import type webApi from '@slack/web-api';
import type { Slack } from './client.ts';
import { type Call, TIMEOUT_MS } from './failure.ts';

/** Posting, editing and finding messages. */
export function messageCalls(client: webApi.WebClient, call: Call) {
  return {
    post: (channel, message, ref, thread = null) =>
      call('chat.postMessage', async () => {
        const answer = await client.chat.postMessage({
          channel,
          text: message.text,
          blocks: message.blocks,
          unfurl_links: false,
          unfurl_media: false,
          ...(thread === null ? {} : { thread_ts: thread.ts }),
          // The types allow a broadcast only where the thread is known at compile time.
          ...((thread?.isBroadcast ? { reply_broadcast: true } : {}) as object),
          metadata: { event_type: METADATA_TYPE, event_payload: { ref } },
        });
        // Without its ts it cannot be edited: it is looked for like a message whose answer was lost.
        if (!answer.ts) throw new Error('Slack did not say where the message is');
        return { channel: answer.channel || channel, ts: answer.ts };
      }),
    findByRef: (channel, ref, sinceMs, threadTs = null) =>
      find(client, call, channel, sinceMs, threadTs, (message) => refOf(message) === ref),
    update: (ref, message) =>
      call('chat.update', async () => {
        await client.chat.update({ channel: ref.channel, ts: ref.ts, text: message.text, blocks: message.blocks });
      }),
    postEphemeral: (channel, userId, message) =>
      call('chat.postEphemeral', async () => {
        await client.chat.postEphemeral({ channel, user: userId, text: message.text, blocks: message.blocks });
      }),
  } satisfies Partial<Slack>;
}

/** Uploading, sharing and finding files. */
export function fileCalls(client: webApi.WebClient, call: Call) {
  return {
    uploadFile: ({ name, title, content }) =>
      call('files.getUploadURLExternal', async () => {
        const body = Buffer.from(content);
        const { upload_url: url, file_id: id } = await client.files.getUploadURLExternal({
          filename: name,
          length: body.length,
        });
        if (!url || !id) throw new Error('Slack gave no address for the file');
        const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT_MS) });
        await answer.body?.cancel();
        if (!answer.ok) throw new Error(`the upload was answered with ${answer.status}`);
        return { id, name, title };
      }),
    shareFile: (channel, { id, title }, comment, threadTs) =>
      call('files.completeUploadExternal', async () => {
        const where = { channel_id: channel, initial_comment: comment };
        const files: [{ id: string; title: string }] = [{ id, title }];
        await (threadTs === null
          ? client.files.completeUploadExternal({ files, ...where })
          : client.files.completeUploadExternal({ files, ...where, thread_ts: threadTs }));
      }),
    findFile: (channel, name, sinceMs, threadTs) =>
      find(
        client,
        call,
        channel,
        sinceMs,
        threadTs,
        ({ files }) => files?.some((file) => file?.name === name) ?? false,
      ),
  } satisfies Partial<Slack>;
}

/** Looks through the history of a channel, or of a thread. */
function find(
  client: webApi.WebClient,
  call: Call,
  ...search: [channel: string, sinceMs: number, threadTs: string | null, fits: (message: FoundMessage) => boolean]
): Promise<string | null> {
  const method = search[2] === null ? 'conversations.history' : 'conversations.replies';
  return call(method, () => findMessage(client, ...search));
}

/** Type of our messages' metadata, which any app in the workspace may read: so it holds an opaque id only. */
export const METADATA_TYPE = 'cardbell_message';

/** What is read of a message in a history. */
interface FoundMessage {
  readonly ts?: string;
  readonly files?: readonly ({ readonly name?: string | null } | null)[] | null;
}

/** The answer of both kinds of history. */
interface Page {
  readonly messages?: readonly (FoundMessage | null)[] | null;
  readonly response_metadata?: { readonly next_cursor?: string | null } | null;
}

/** @returns the ts of the newest message that fits; null when there is none. */
async function findMessage(
  client: webApi.WebClient,
  channel: string,
  sinceMs: number,
  threadTs: string | null,
  fits: (message: FoundMessage) => boolean,
): Promise<string | null> {
  const place = { channel, oldest: String(Math.floor(sinceMs / 1000) - 60), limit: 200, include_all_metadata: true };
  let cursor: string | null | undefined;
  do {
    const asked = cursor === undefined || cursor === null ? place : { ...place, cursor };
    const page: Page =
      threadTs === null
        ? await client.conversations.history(asked)
        : await client.conversations.replies({ ...asked, ts: threadTs });
    const found = page.messages?.find((message) => message !== null && fits(message));
    if (found?.ts) return found.ts;
    cursor = page.response_metadata?.next_cursor;
  } while (cursor);
  return null;
}

/** The opaque id in the metadata of a message of ours. */
function refOf(message: object): unknown {
  const { metadata } = message as { metadata?: { event_type?: string; event_payload?: { ref?: unknown } } };
  return metadata?.event_type === METADATA_TYPE ? metadata.event_payload?.ref : undefined;
}
