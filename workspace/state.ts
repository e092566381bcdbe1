import type { Json } from './json.ts';
import type { StoredFile, StoredMessage } from './message.ts';
import type { WorkspaceChannel, WorkspaceOptions, WorkspaceUser, WorkspaceUserGroup } from './options.ts';
import type { StoredView } from './view.ts';

/** A channel or direct conversation and its members. */
export interface Conversation extends WorkspaceChannel {
  botIsMember: boolean;
  isArchived: boolean;
  /** The person in a direct conversation with the app. */
  directUser?: string;
}

/** Everything a workspace remembers. A reset creates a new one. */
export interface State {
  users: Map<string, WorkspaceUser>;
  channels: Map<string, Conversation>;
  groups: Map<string, WorkspaceUserGroup>;
  /** By channel, in order of `ts`. */
  messages: Map<string, StoredMessage[]>;
  ephemerals: StoredMessage[];
  files: Map<string, StoredFile>;
  /** Open and closed modals, by view id. */
  views: Map<string, StoredView>;
  /** View ids of each user's open modal, the visible one last. */
  stacks: Map<string, string[]>;
  homes: Map<string, StoredView>;
  revoked: boolean;
  /** Block types that Slack has not rolled out to this workspace yet. */
  unknownBlocks: ReadonlySet<string>;
  lastTs: number;
  /** Incremented for each id. */
  serial: number;
}

/** Names and ids of the app and its team. Constant for the life of a workspace. */
export interface Identity {
  teamId: string;
  teamName: string;
  teamDomain: string;
  appId: string;
  appName: string;
  botUserId: string;
  botId: string;
}

/** The ids of a workspace. The first bot among its users is the app. */
export function createIdentity(options: WorkspaceOptions): Identity {
  const bot = options.users.find((user) => user.isBot);
  const teamName = options.teamName ?? 'Northwind Supply';
  return {
    teamId: options.teamId ?? 'T0WORKSPACE',
    teamName,
    teamDomain: teamName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'),
    appId: 'A0CARDBELL',
    appName: options.appName ?? bot?.realName ?? 'Cardbell',
    botUserId: bot?.id ?? 'U0CARDBELL',
    botId: 'B0CARDBELL',
  };
}

/** A new state from the options. */
export function createState(options: WorkspaceOptions, identity: Identity): State {
  const users = new Map(options.users.map((user) => [user.id, { ...user }]));
  if (!users.has(identity.botUserId)) {
    const name = identity.appName.toLowerCase().replaceAll(/\s+/g, '');
    users.set(identity.botUserId, { id: identity.botUserId, name, realName: identity.appName, isBot: true });
  }
  const channels = options.channels.map((channel): [string, Conversation] => [
    channel.id,
    { ...channel, botIsMember: channel.botIsMember ?? true, isArchived: channel.isArchived ?? false },
  ]);
  return {
    users,
    channels: new Map(channels),
    groups: new Map((options.userGroups ?? []).map((group) => [group.id, { ...group, users: [...group.users] }])),
    messages: new Map(),
    ephemerals: [],
    files: new Map(),
    views: new Map(),
    stacks: new Map(),
    homes: new Map(),
    revoked: false,
    unknownBlocks: new Set(),
    lastTs: 0,
    serial: 0,
  };
}

/** Ids of the people and bots in a conversation. */
export function membersOf(state: State, identity: Identity, channel: Conversation): string[] {
  if (channel.directUser) return [channel.directUser, identity.botUserId];
  const all = [...state.users.values()].filter((user) => !user.isBot && (!user.isStranger || channel.isExtShared));
  const people = channel.members ?? all.map((user) => user.id);
  const others = people.filter((id) => id !== identity.botUserId);
  return channel.botIsMember ? [...others, identity.botUserId] : others;
}

/** A call of the Web API, a response URL or an upload URL, with its outcome. */
export interface ApiCall {
  method: string;
  args: Json;
  /** When it arrived, in milliseconds on the workspace's clock. */
  at: number;
  /** HTTP status. 0 when there was no answer. */
  status: number;
  error?: string;
  /** Whether an answer was sent. */
  responded: boolean;
  /** Whether the call took effect, answered or not. */
  accepted: boolean;
}
