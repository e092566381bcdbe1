import type { Core } from './core.ts';
import type { Delivery } from './delivery.ts';
import type { Fault } from './faults.ts';
import { closeView, submitView } from './form.ts';
import { type ElementAddress, press, select, suggest } from './interaction.ts';
import type { Json } from './json.ts';
import type { StoredMessage } from './message.ts';
import { findMessage, removeMessage } from './messages.ts';
import { type CommandArgs, command, type EventRetry, event, openHome, say, shortcut } from './occurrence.ts';
import { type ApiCall, type Conversation, createState } from './state.ts';
import type { StoredView } from './view.ts';
import { waitForMessage } from './wait.ts';

/** A running workspace, as tests and the demo control it. */
export interface Workspace {
  /** The page. */
  url: string;
  /** For `SLACK_API_URL`; ends in `/api/`. */
  apiUrl: string;
  setAppUrl(url: string): void;
  /** Every call of the Web API, of response URLs (`response_url`) and upload URLs (`upload_url`), oldest first. */
  calls: readonly ApiCall[];
  /**
   * Messages that everyone in a channel sees, including replies, oldest first. `threadTs`: only that thread. `last`:
   * only the latest.
   */
  messages(channel: string, opts?: { threadTs?: string; last?: number }): StoredMessage[];
  /** The messages that only one person sees, oldest first. */
  ephemerals(userId?: string): StoredMessage[];
  /** The first matching message: already there, or posted, changed or shown to one person within the time limit. */
  waitForMessage(predicate: (message: StoredMessage) => boolean, timeoutMs?: number): Promise<StoredMessage>;
  command(args: CommandArgs): Promise<Delivery>;
  press(args: ElementAddress & { value?: string }): Promise<Delivery>;
  select(args: ElementAddress & { value: unknown }): Promise<Delivery>;
  suggest(args: ElementAddress & { value: string }): Promise<Json[]>;
  submitView(args: { user: string; viewId: string; values?: Record<string, unknown> }): Promise<Delivery>;
  /** Undefined when the view did not ask for a notification. */
  closeView(args: { user: string; viewId: string; all?: boolean }): Promise<Delivery | undefined>;
  shortcut(args: {
    user: string;
    callbackId: string;
    message?: Pick<StoredMessage, 'channel' | 'ts'>;
  }): Promise<Delivery>;
  event(payload: Json, retry?: EventRetry): Promise<Delivery>;
  /** Sends `app_home_opened`. */
  openHome(user: string): Promise<Delivery>;
  /** Posts a person's message. */
  say(args: { user: string; channel: string; text: string; threadTs?: string }): StoredMessage;
  views: {
    /** Open modals, by view id. */
    readonly open: ReadonlyMap<string, StoredView>;
    /** App Homes, by user id. */
    readonly home: ReadonlyMap<string, StoredView>;
    /** The modal that a user sees. */
    top(user: string): StoredView | undefined;
  };
  faults: { add(fault: Fault): void; clear(): void };
  setRevoked(revoked: boolean): void;
  /** Refuses messages with blocks of these types, because Slack rolls out new blocks to some workspaces later. */
  setUnknownBlocks(types: readonly string[]): void;
  archive(channel: string, archived?: boolean): void;
  /** Acts as a person who may delete any message. */
  deleteMessage(message: Pick<StoredMessage, 'channel' | 'ts'>): void;
  /** Shares a channel with another company, and notifies the app with `channel_shared`. */
  share(channel: string): Promise<Delivery>;
  kick(channel: string): void;
  invite(channel: string): void;
  /** Replaces the members of a user group, and notifies the app with `subteam_members_changed`. */
  setUserGroup(group: string, users: string[]): Promise<Delivery>;
  /** Forgets everything that happened. Users, channels and the app URL stay. */
  reset(): void;
  stop(): Promise<void>;
}

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
export function createWorkspace(core: Core, stop: () => Promise<void>): Workspace {
  const change = (id: string, fields: Partial<Conversation>) => {
    Object.assign(conversation(core, id), fields);
    core.changes.emit('change', { type: 'channels' });
  };
  return {
    url: `${core.origin}/`,
    apiUrl: `${core.origin}/api/`,
    setAppUrl: (url) => {
      core.appUrl = url;
    },
    calls: core.calls,
    messages: (channel, { threadTs, last = Number.POSITIVE_INFINITY } = {}) => {
      const all = structuredClone((core.state.messages.get(channel) ?? []).slice(-last));
      return threadTs === undefined
        ? all
        : all.filter(({ ts, thread_ts }) => ts === threadTs || thread_ts === threadTs);
    },
    ephemerals: (userId) =>
      structuredClone(
        core.state.ephemerals.filter((message) => userId === undefined || message.ephemeralUser === userId),
      ),
    waitForMessage: (predicate, timeoutMs) => waitForMessage(core, predicate, timeoutMs),
    command: (args) => command(core, args),
    press: (args) => press(core, args),
    select: (args) => select(core, args),
    suggest: (args) => suggest(core, args),
    submitView: (args) => submitView(core, args),
    closeView: (args) => closeView(core, args),
    shortcut: (args) => shortcut(core, args),
    event: (payload, retry) => event(core, payload, retry),
    openHome: (user) => openHome(core, user),
    say: (args) => structuredClone(say(core, args)),
    views: {
      get open() {
        return openViews(core);
      },
      get home() {
        return core.state.homes;
      },
      top: (user) => core.state.views.get(core.state.stacks.get(user)?.at(-1) ?? ''),
    },
    faults: core.faults,
    setRevoked: (revoked) => {
      core.state.revoked = revoked;
    },
    setUnknownBlocks: (types) => {
      core.state.unknownBlocks = new Set(types);
    },
    deleteMessage({ channel, ts }) {
      const message = findMessage(core, channel, ts);
      if (message !== undefined) removeMessage(core, message);
    },
    archive: (channel, archived = true) => change(channel, { isArchived: archived }),
    share: async (channel) => {
      change(channel, { isExtShared: true });
      const connected_team_id = 'T0PARTNER';
      return await event(core, { type: 'channel_shared', connected_team_id, channel, event_ts: '1561064063.001100' });
    },
    kick: (channel) => change(channel, { botIsMember: false }),
    invite: (channel) => change(channel, { botIsMember: true }),
    setUserGroup: async (id, users) => {
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
