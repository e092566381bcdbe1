import type { Core } from './core.ts';
import { closeView, submitView } from './form.ts';
import { press, select, suggest } from './interaction.ts';
import type { StoredMessage } from './message.ts';
import { findMessage, findShown, removeMessage } from './messages.ts';
import { command, event, openHome, say, shortcut } from './occurrence.ts';
import { type Conversation, createState } from './state.ts';
import type { StoredView } from './view.ts';
import { waitForMessage } from './wait.ts';

/** A running workspace, as tests and the demo control it. */
export type Workspace = ReturnType<typeof createWorkspace>;

function openViews(core: Core): Map<string, StoredView> {
  const ids = [...core.state.stacks.values()].flat();
  return new Map(ids.flatMap((id) => [...core.state.views].filter(([known]) => known === id)));
}

function conversation(core: Core, id: string): Conversation {
  const channel = core.state.channels.get(id);
  if (!channel) throw new Error(`no channel ${id}`);
  return channel;
}

/** The interface of a listening workspace. */
export function createWorkspace(core: Core, stop: () => Promise<void>) {
  const change = (id: string, fields: Partial<Conversation>) => {
    Object.assign(conversation(core, id), fields);
    core.changes.emit('change', { type: 'channels' });
  };
  const here =
    <Args extends unknown[], Result>(act: (core: Core, ...args: Args) => Result) =>
    (...args: Args): Result =>
      act(core, ...args);
  return {
    /** The page. */
    url: `${core.origin}/`,
    /** For `SLACK_API_URL`; ends in `/api/`. */
    apiUrl: `${core.origin}/api/`,
    setAppUrl: (url: string) => {
      core.appUrl = url;
    },
    /** Every call of the Web API, of response URLs (`response_url`) and upload URLs (`upload_url`), oldest first. */
    calls: core.calls,
    /**
     * Messages that everyone in a channel sees, including replies, oldest first. `threadTs`: only that thread. `last`:
     * only the latest.
     */
    messages: (
      channel: string,
      { threadTs, last = Number.POSITIVE_INFINITY }: { threadTs?: string; last?: number } = {},
    ): StoredMessage[] => {
      const all = structuredClone((core.state.messages.get(channel) ?? []).slice(-last));
      return threadTs === undefined
        ? all
        : all.filter(({ ts, thread_ts }) => ts === threadTs || thread_ts === threadTs);
    },
    /** One message as it is now, also if only one person sees it. Cheaper than looking for it among all. */
    message: (channel: string, ts: string): StoredMessage | undefined => structuredClone(findShown(core, channel, ts)),
    /** The messages that only one person sees, oldest first. */
    ephemerals: (userId?: string): StoredMessage[] =>
      structuredClone(
        core.state.ephemerals.filter((message) => userId === undefined || message.ephemeralUser === userId),
      ),
    /** The first matching message: already there, or posted, changed or shown to one person within the time limit. */
    waitForMessage: here(waitForMessage),
    command: here(command),
    press: here(press),
    select: here(select),
    suggest: here(suggest),
    submitView: here(submitView),
    /** Undefined when the view did not ask for a notification. */
    closeView: here(closeView),
    shortcut: here(shortcut),
    event: here(event),
    /** Sends `app_home_opened`. */
    openHome: here(openHome),
    /** Posts a person's message. */
    say: (args: Parameters<typeof say>[1]): StoredMessage => structuredClone(say(core, args)),
    views: {
      /** Open modals, by view id. */
      get open(): ReadonlyMap<string, StoredView> {
        return openViews(core);
      },
      /** App Homes, by user id. */
      get home(): ReadonlyMap<string, StoredView> {
        return core.state.homes;
      },
      /** The modal that a user sees. */
      top: (user: string): StoredView | undefined => core.state.views.get(core.state.stacks.get(user)?.at(-1) ?? ''),
    },
    faults: core.faults,
    setRevoked: (revoked: boolean) => {
      core.state.revoked = revoked;
    },
    /** Refuses messages with blocks of these types, because Slack rolls out new blocks to some workspaces later. */
    setUnknownBlocks: (types: readonly string[]) => {
      core.state.unknownBlocks = new Set(types);
    },
    /** Acts as a person who may delete any message. */
    deleteMessage({ channel, ts }: Pick<StoredMessage, 'channel' | 'ts'>) {
      const message = findMessage(core, channel, ts);
      if (message !== undefined) removeMessage(core, message);
    },
    archive: (channel: string, archived = true) => change(channel, { isArchived: archived }),
    /** Shares a channel with another company, and notifies the app with `channel_shared`. */
    share: async (channel: string) => {
      change(channel, { isExtShared: true });
      const connected_team_id = 'T0PARTNER';
      return await event(core, { type: 'channel_shared', connected_team_id, channel, event_ts: '1561064063.001100' });
    },
    kick: (channel: string) => change(channel, { botIsMember: false }),
    invite: (channel: string) => change(channel, { botIsMember: true }),
    /** Replaces the members of a user group, and notifies the app with `subteam_members_changed`. */
    setUserGroup: async (id: string, users: string[]) => {
      const group = core.state.groups.get(id);
      if (!group) throw new Error(`no user group ${id}`);
      const added = users.filter((user) => !group.users.includes(user));
      const removed = group.users.filter((user) => !users.includes(user));
      group.users = [...users];
      return await event(core, {
        type: 'subteam_members_changed',
        subteam_id: id,
        team_id: core.identity.teamId,
        added_users: added,
        added_users_count: added.length,
        removed_users: removed,
        removed_users_count: removed.length,
      });
    },
    /** Forgets everything that happened. Users, channels and the app URL stay. */
    reset: () => {
      // Timestamps keep increasing, so that a new message is never mistaken for an old one.
      const { lastTs } = core.state;
      core.state = createState(core.options, core.identity);
      core.state.lastTs = lastTs;
      core.calls.length = 0;
      for (const part of [core.faults, core.limiter, core.triggers, core.responseUrls]) part.clear();
      core.changes.emit('change', { type: 'reset' });
    },
    stop,
  };
}
