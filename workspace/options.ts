/** A person or bot in the workspace. */
export interface WorkspaceUser {
  id: string;
  name: string;
  realName: string;
  email?: string;
  /** IANA time zone; dates on the page are shown in it. */
  tz?: string;
  isBot?: boolean;
  /** From another company's team, as in Slack Connect. */
  isStranger?: boolean;
  /** A guest, as multi-channel and single-channel guests are. */
  isGuest?: boolean;
  /** Has left: cannot be written to any more. */
  isDeactivated?: boolean;
  /** What the person may do, shown beside the name in the page's user switcher. */
  roleHint?: string;
}

/** A channel of the workspace. */
export interface WorkspaceChannel {
  id: string;
  name: string;
  isPrivate?: boolean;
  /** Whether the app was invited. @defaultValue true */
  botIsMember?: boolean;
  isExtShared?: boolean;
  isArchived?: boolean;
  /** Only admins may post: the app gets `restricted_action`. */
  isReadOnly?: boolean;
  topic?: string;
  /** User ids. @defaultValue everybody; strangers only where the channel is shared */
  members?: string[];
}

/** A user group, mentioned as `<!subteam^S…>`. */
export interface WorkspaceUserGroup {
  id: string;
  handle: string;
  name: string;
  users: string[];
}

/** How a workspace is set up. */
export interface WorkspaceOptions {
  /** @defaultValue 0, a free port */
  port?: number;
  botToken: string;
  /** Token of `apps.connections.open`: lets the app connect over Socket Mode. */
  appToken?: string;
  signingSecret: string;
  /** Where signed deliveries go, for instance `http://127.0.0.1:3000/slack/events`. May be set later. */
  appUrl?: string;
  teamId?: string;
  teamName?: string;
  /** Name of the app as people see it. @defaultValue Cardbell */
  appName?: string;
  users: WorkspaceUser[];
  channels: WorkspaceChannel[];
  userGroups?: WorkspaceUserGroup[];
  /** Messages a second in each channel. @defaultValue 1 */
  postsPerSecond?: number;
  /** Messages that may come at once before the pace counts. @defaultValue 1 */
  burst?: number;
  /** @defaultValue true */
  enforceRateLimits?: boolean;
  /** Slash commands that the app registers. */
  commands?: string[];
  /** Shortcuts on messages that the app registers. */
  messageShortcuts?: { callbackId: string; name: string }[];
  /** Shortcuts that the page offers beside the field for messages. */
  globalShortcuts?: { callbackId: string; name: string }[];
  /** Those of them with `should_escape`: people, channels and special characters arrive escaped. */
  escapedCommands?: string[];
  /** OAuth scopes of the bot token; a method outside them answers `missing_scope`. @defaultValue every scope */
  scopes?: string[];
  /** How long a delivery waits for its answer, in milliseconds. @defaultValue 3000 */
  acknowledgeMs?: number;
  /** Told when somebody does something on the page: presses, chooses, submits, writes. Reading is not told. */
  onAct?: () => void;
  /** The clock of timestamps, triggers, response URLs and rate limits, in milliseconds. Signatures always use the real one. */
  now?: () => number;
}
