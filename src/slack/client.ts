import type { HomeView, ModalView } from '@slack/types';
import webApi from '@slack/web-api';
import { SlackError } from '../core/errors.ts';
import { toSlackError } from './failure.ts';
import { type FoundMessage, findMessage, METADATA_TYPE, refOf } from './find-message.ts';
import type { Message, MessageRef } from './message.ts';

/** Slack's own time limit for us is 3 s; ours for Slack is longer, because an unknown outcome costs a look-up. */
const TIMEOUT_MS = 10_000;

/** The thread that a message belongs to. */
export interface Thread {
  readonly ts: string;
  readonly isBroadcast: boolean;
}

/** A file that Slack holds, not yet shown to anybody. */
export interface UploadedFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
}

/** What Slack knows of somebody. */
export interface Person {
  /** Null: none is known, or its owner has not confirmed it. */
  readonly email: string | null;
  readonly isBot: boolean;
  /** Invited to some channels only: belongs to another company, or to none. */
  readonly isGuest: boolean;
  /** Belongs to another workspace that a channel is shared with. */
  readonly isExternal: boolean;
  readonly isDeactivated: boolean;
}

/** What Cardbell asks of Slack. Every method throws SlackError. */
export interface Slack {
  /** `url`: address of the workspace, with a slash at its end. */
  authTest(): Promise<{ botUserId: string; teamId: string; team: string; url: string; scopes: readonly string[] }>;
  /**
   * Posts once.
   *
   * @param ref opaque id by which `findByRef` finds the message again.
   * @param thread the message that this one answers, and whether it shows in the channel as well; null: it stands by
   * itself.
   */
  post(channel: string, message: Message, ref: string, thread?: Thread | null): Promise<MessageRef>;
  /** Looks for a message of ours among the newest of the channel, or of a thread. Null when it is not there. */
  findByRef(channel: string, ref: string, sinceMs: number, threadTs?: string | null): Promise<string | null>;
  update(ref: MessageRef, message: Message): Promise<void>;
  /** Hands a file over; nobody sees it before it is shared. */
  uploadFile(file: { readonly name: string; readonly title: string; readonly content: string }): Promise<UploadedFile>;
  /** Shows an uploaded file in a channel, or in a thread of it. */
  shareFile(channel: string, file: UploadedFile, comment: string, threadTs: string | null): Promise<void>;
  /** Looks for a file of this name among the newest of a channel or a thread. Its message's ts, or null. */
  findFile(channel: string, name: string, sinceMs: number, threadTs: string | null): Promise<string | null>;
  /** Only `userId` sees it, and only until the client is reloaded. */
  postEphemeral(channel: string, userId: string, message: Message): Promise<void>;
  /** Over the view in which the control was pressed. */
  pushView(triggerId: string, view: ModalView): Promise<void>;
  /** Fails when the view has changed since `hash`. */
  openView(triggerId: string, view: ModalView): Promise<{ viewId: string; hash: string }>;
  updateView(form: { viewId: string; hash: string }, view: ModalView): Promise<void>;
  publishHome(userId: string, view: HomeView): Promise<void>;
  openDirect(userId: string): Promise<string>;
  /** Null: Slack knows nobody of this id. */
  person(userId: string): Promise<Person | null>;
  groupMembers(groupId: string): Promise<string[]>;
  channelInfo(
    channel: string,
  ): Promise<{ isPrivate: boolean; isExtShared: boolean; isMember: boolean; isArchived: boolean; name: string }>;
}

export interface SlackOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  /** Told of each call: `outcome` is `ok`, or the code of the error. */
  readonly measure?: (method: string, outcome: string, durationMs: number) => void;
}

/**
 * The SDK's defaults repeat a post up to ten times over half an hour after any network error or 5xx, wait inside the
 * call on 429 and never time out: inside a queue each of these makes duplicates or stands still. So: one attempt, a
 * time limit, and every failure handed to the caller.
 */
export function createSlack(options: SlackOptions): Slack {
  const client = new webApi.WebClient(options.token, {
    timeout: TIMEOUT_MS,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    // The SDK prints requests at its debug level; ours are counted and logged where they are made.
    logLevel: webApi.LogLevel.ERROR,
    ...(options.apiUrl === undefined
      ? {}
      : { slackApiUrl: options.apiUrl.endsWith('/') ? options.apiUrl : `${options.apiUrl}/` }),
  });
  const call = async <T>(method: string, run: () => Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const measure = (outcome: string) => options.measure?.(method, outcome, performance.now() - startedAt);
    try {
      const answer = await run();
      measure('ok');
      return answer;
    } catch (thrown) {
      const error = toSlackError(method, thrown);
      measure(error.code);
      throw error;
    }
  };
  const find = (channel: string, sinceMs: number, threadTs: string | null, fits: (message: FoundMessage) => boolean) =>
    call(threadTs === null ? 'conversations.history' : 'conversations.replies', () =>
      findMessage(client, channel, sinceMs, threadTs, fits),
    );

  return {
    authTest: () =>
      call('auth.test', async () => {
        const answer = await client.auth.test();
        return {
          botUserId: answer.user_id ?? '',
          teamId: answer.team_id ?? '',
          team: answer.team ?? '',
          url: answer.url ?? '',
          scopes: answer.response_metadata?.scopes ?? [],
        };
      }),
    post: (channel, message, ref, thread = null) =>
      call('chat.postMessage', async () => {
        const answer = await client.chat.postMessage({
          channel,
          text: message.text,
          blocks: message.blocks,
          unfurl_links: false,
          unfurl_media: false,
          ...(thread === null ? {} : { thread_ts: thread.ts }),
          // The types know a broadcast only of replies whose place is known beforehand.
          ...((thread?.isBroadcast ? { reply_broadcast: true } : {}) as object),
          metadata: { event_type: METADATA_TYPE, event_payload: { ref } },
        });
        // Without its place it cannot be edited: it is looked for like one whose answer was lost.
        if (!answer.ts) throw new Error('Slack did not say where the message stands');
        return { channel: answer.channel || channel, ts: answer.ts };
      }),
    findByRef: (channel, ref, sinceMs, threadTs = null) =>
      find(channel, sinceMs, threadTs, (message) => refOf(message) === ref),
    uploadFile: ({ name, title, content }) =>
      call('files.getUploadURLExternal', async () => {
        const body = Buffer.from(content);
        const { upload_url: url, file_id: id } = await client.files.getUploadURLExternal({
          filename: name,
          length: body.length,
        });
        if (!url || !id) throw new Error('Slack gave no place for the file');
        const answer = await fetch(url, { method: 'POST', body, signal: AbortSignal.timeout(TIMEOUT_MS) });
        await answer.body?.cancel();
        if (!answer.ok) throw new Error(`the file was answered with ${answer.status}`);
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
      find(channel, sinceMs, threadTs, ({ files }) => files?.some((file) => file?.name === name) ?? false),
    update: (ref, message) =>
      call('chat.update', async () => {
        await client.chat.update({ channel: ref.channel, ts: ref.ts, text: message.text, blocks: message.blocks });
      }),
    postEphemeral: (channel, userId, message) =>
      call('chat.postEphemeral', async () => {
        await client.chat.postEphemeral({ channel, user: userId, text: message.text, blocks: message.blocks });
      }),
    openView: (triggerId, view) =>
      call('views.open', async () => {
        const answer = await client.views.open({ trigger_id: triggerId, view });
        return { viewId: answer.view?.id ?? '', hash: answer.view?.hash ?? '' };
      }),
    pushView: (triggerId, view) =>
      call('views.push', async () => {
        await client.views.push({ trigger_id: triggerId, view });
      }),
    updateView: ({ viewId, hash }, view) =>
      call('views.update', async () => {
        await client.views.update({ view_id: viewId, hash, view });
      }),
    publishHome: (userId, view) =>
      call('views.publish', async () => {
        await client.views.publish({ user_id: userId, view });
      }),
    openDirect: (userId) =>
      call('conversations.open', async () => {
        const answer = await client.conversations.open({ users: userId });
        return answer.channel?.id || userId;
      }),
    async person(userId) {
      try {
        return await call('users.info', async () => {
          const { user } = await client.users.info({ user: userId });
          const email = user?.is_email_confirmed === false ? '' : (user?.profile?.email ?? '');
          return {
            email: email.trim() === '' ? null : email.trim(),
            isBot: user?.is_bot === true || userId === 'USLACKBOT',
            isGuest: user?.is_restricted === true || user?.is_ultra_restricted === true,
            isExternal: user?.is_stranger === true,
            isDeactivated: user?.deleted === true,
          };
        });
      } catch (error) {
        if (error instanceof SlackError && /^user_not_(found|visible)/.test(error.slackError)) return null;
        throw error;
      }
    },
    groupMembers: (groupId) =>
      call('usergroups.users.list', async () => {
        const answer = await client.usergroups.users.list({ usergroup: groupId });
        return answer.users ?? [];
      }),
    channelInfo: (channel) =>
      call('conversations.info', async () => {
        const { channel: info } = await client.conversations.info({ channel });
        return {
          isPrivate: info?.is_private ?? false,
          isExtShared: info?.is_ext_shared ?? false,
          isMember: info?.is_member ?? false,
          isArchived: info?.is_archived ?? false,
          name: info?.name || channel,
        };
      }),
  };
}
