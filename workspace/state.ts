import type { Json } from './json.ts';
import type { StoredFile, StoredMessage } from './message.ts';
import type { WorkspaceChannel, WorkspaceOptions, WorkspaceUser, WorkspaceUserGroup } from './options.ts';
import type { StoredView } from './view.ts';

/** A channel or direct conversation with who is in it. */
export interface Conversation extends WorkspaceChannel {
  botIsMember: boolean;
  isArchived: boolean;
  /** The one person of a direct conversation with the app. */
  directUser?: string;
}

/** Everything a workspace remembers. A reset makes a new one. */
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
  /** Types of blocks that Slack has not brought to this workspace yet. */
  unknownBlocks: ReadonlySet<string>;
  lastTs: number;
  /** Raised with each id that is given out. */
  serial: number;
}

/** Names and ids of the app and its team, the same over the life of a workspace. */
export interface Identity {
  teamId: string;
  teamName: string;
  teamDomain: string;
  appId: string;
  appName: string;
  botUserId: string;
  botId: string;
}

/** The ids that a workspace uses: the first bot among its users is the app. */
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

/** A fresh memory, as the options describe it. */
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

/** A call of the Web API, of a response URL or of an upload address, as it came and went. */
export interface ApiCall {
  method: string;
  args: Json;
  /** When it arrived, in milliseconds of the workspace's clock. */
  at: number;
  /** HTTP status; 0 when nothing was answered. */
  status: number;
  error?: string;
  /** Whether an answer was sent. */
  responded: boolean;
  /** Whether the call took effect, answered or not. */
  accepted: boolean;
}
