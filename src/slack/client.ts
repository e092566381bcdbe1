import type { HomeView, ModalView } from '@slack/types';
import webApi from '@slack/web-api';
import { SlackError } from '../core/errors.ts';
import { version } from '../core/version.ts';
import { createSlackClock, type SlackClock } from './clock.ts';
import { createSlackCall, type Measure, type SlackCall, TIMEOUT_MS } from './failure.ts';
import { fileCalls, messageCalls } from './messages.ts';

/** The thread that a message belongs to. */
export interface Thread {
  readonly ts: string;
  readonly isBroadcast: boolean;
}

/** A file uploaded to Slack but not shared yet. */
export interface UploadedFile {
  readonly id: string;
  readonly name: string;
  readonly title: string;
}

/** Where to search for messages, and how far back. */
export interface MessageSearch {
  readonly channel: string;
  /** Null: in the channel itself. */
  readonly threadTs: string | null;
  /** The earliest time it can have been posted, by Slack's clock (ms). Null: unknown, so only the newest are searched. */
  readonly sinceMs: number | null;
}

/** A message found in Slack. */
export interface FoundMessage {
  readonly ts: string;
  /** The ref it was posted with. Null: not our message, or one that shows a file. */
  readonly ref: string | null;
  readonly marks: readonly string[];
  /** Names of the files it shows. */
  readonly files: readonly string[];
}

/** What Slack knows about a person. */
export interface Person {
  /** From their profile. Null when it has none. */
  readonly name: string | null;
  /** Null: unknown, or not confirmed by its owner. */
  readonly email: string | null;
  readonly isBot: boolean;
  /** Invited to some channels only: belongs to another company, or to none. */
  readonly isGuest: boolean;
  /** Belongs to another workspace that a channel is shared with. */
  readonly isExternal: boolean;
  readonly isDeactivated: boolean;
}

/** The calls that Cardbell makes to Slack. Every method throws SlackError. */
export type Slack = ReturnType<typeof createSlack>;

interface SlackOptions {
  readonly token: string;
  readonly apiUrl: string | undefined;
  readonly measure?: Measure;
  /** Updated by every response. */
  readonly clock?: SlackClock;
}

/** The SDK prints plain text, at debug level whole requests. Every failed call is reported by whoever made it. */
export const noSdkLog: webApi.Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => webApi.LogLevel.ERROR,
  setName() {},
};

/**
 * How the SDK calls Slack. After a network error or 5xx, it by default repeats a post up to ten times over half an hour. It
 * waits inside the call on a 429, and never times out. In a queue, each of these posts twice or blocks. So we make one
 * attempt with a time limit, and every failure goes to the caller.
 */
export function callOptions(apiUrl: string | undefined): webApi.WebClientOptions {
  return {
    timeout: TIMEOUT_MS,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    ...(apiUrl !== undefined && { slackApiUrl: apiUrl }),
  };
}

export function createSlack(options: SlackOptions) {
  const clock = options.clock ?? createSlackClock();
  webApi.addAppMetadata({ name: 'cardbell', version });
  const client = new webApi.WebClient(options.token, {
    ...callOptions(options.apiUrl),
    async fetch(url, init) {
      const answer = await fetch(url, init);
      clock.hear(answer.headers.get('date'));
      return answer;
    },
    logger: noSdkLog,
  });
  const call = createSlackCall(options.measure);
  return {
    ...messageCalls(client, call, clock),
    ...fileCalls(client, call),
    ...viewCalls(client, call),
    ...directoryCalls(client, call),
  };
}

function viewCalls(client: webApi.WebClient, call: SlackCall) {
  const shown = ({ view }: webApi.ViewsOpenResponse) => ({ viewId: view?.id ?? '', hash: view?.hash ?? '' });
  return {
    openView: (triggerId: string, view: ModalView) =>
      call('views.open', async () => shown(await client.views.open({ trigger_id: triggerId, view }))),
    /** On top of the view in which the control was pressed. */
    pushView: (triggerId: string, view: ModalView) =>
      call('views.push', async () => shown(await client.views.push({ trigger_id: triggerId, view }))),
    /** Fails when the view has changed since `hash`, if there is one. */
    updateView: ({ viewId, ...unchanged }: { viewId: string; hash?: string }, view: ModalView) =>
      call('views.update', async () => {
        await client.views.update({ view_id: viewId, ...unchanged, view });
      }),
    publishHome: (userId: string, view: HomeView) =>
      call('views.publish', async () => {
        await client.views.publish({ user_id: userId, view });
      }),
  };
}

function directoryCalls(client: webApi.WebClient, call: SlackCall) {
  return {
    /** `url`: address of the workspace, with a trailing slash. */
    authTest: () =>
      call('auth.test', async () => {
        const answer = await client.auth.test();
        return {
          team: answer.team ?? '',
          url: answer.url ?? '',
          scopes: answer.response_metadata?.scopes ?? [],
        };
      }),
    openDirect: (userId: string) =>
      call('conversations.open', async () => {
        const answer = await client.conversations.open({ users: userId });
        return answer.channel?.id || userId;
      }),
    /** Null: Slack knows no user with this id. */
    async person(userId: string): Promise<Person | null> {
      try {
        return await call('users.info', async () => {
          const { user } = await client.users.info({ user: userId });
          const email = user?.is_email_confirmed === false ? '' : (user?.profile?.email ?? '');
          return {
            name: user?.profile?.real_name || user?.real_name || null,
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
    groupMembers: (groupId: string) =>
      call('usergroups.users.list', async () => {
        const answer = await client.usergroups.users.list({ usergroup: groupId });
        return answer.users ?? [];
      }),
    channelInfo: (channel: string) =>
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
