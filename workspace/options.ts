/** A person or bot in the workspace. */
export interface WorkspaceUser {
  id: string;
  name: string;
  realName: string;
  email?: string;
  /** IANA time zone; the page shows dates in it. */
  tz?: string;
  isBot?: boolean;
  /** From another company's team, as in Slack Connect. */
  isStranger?: boolean;
  /** A multi-channel or single-channel guest. */
  isGuest?: boolean;
  /** Has left and cannot be messaged any more. */
  isDeactivated?: boolean;
  /** What the person may do, shown next to the name in the page's user switcher. */
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
  /** User ids. @defaultValue everyone; external users only if the channel is shared */
  members?: string[];
}

/** A user group, mentioned as `<!subteam^S…>`. */
export interface WorkspaceUserGroup {
  id: string;
  handle: string;
  name: string;
  users: string[];
}

/** Setup of a workspace. */
export interface WorkspaceOptions {
  /** @defaultValue 0, a free port */
  port?: number;
  botToken: string;
  /** Token for `apps.connections.open`: lets the app connect over Socket Mode. */
  appToken?: string;
  signingSecret: string;
  /** Where signed deliveries go, for instance `http://127.0.0.1:3000/slack/events`. May be set later. */
  appUrl?: string;
  teamId?: string;
  teamName?: string;
  /** Name of the app shown to people. @defaultValue Cardbell */
  appName?: string;
  users: WorkspaceUser[];
  channels: WorkspaceChannel[];
  userGroups?: WorkspaceUserGroup[];
  /** Messages per second in each channel. @defaultValue 1 */
  postsPerSecond?: number;
  /** Messages that may be posted at once before the limit applies. @defaultValue 1 */
  burst?: number;
  /** @defaultValue true */
  enforceRateLimits?: boolean;
  /** Slash commands registered by the app. */
  commands?: string[];
  /** Message shortcuts registered by the app. */
  messageShortcuts?: { callbackId: string; name: string }[];
  /** Shortcuts that the page offers next to the message field. */
  globalShortcuts?: { callbackId: string; name: string }[];
  /** The commands with `should_escape`: people, channels and special characters arrive escaped. */
  escapedCommands?: string[];
  /** OAuth scopes of the bot token. Methods outside them answer `missing_scope`. @defaultValue every scope */
  scopes?: string[];
  /** How long a delivery waits for an answer, in milliseconds. @defaultValue 3000 */
  acknowledgeMs?: number;
  /** How long a trigger is valid, in milliseconds. @defaultValue 3000 */
  triggerAgeMs?: number;
  /** Called when someone acts on the page: presses, chooses, submits, writes. Not called for reading. */
  onAct?: () => void;
  /** The clock of timestamps, triggers, response URLs and rate limits, in milliseconds. Signatures always use the real one. */
  now?: () => number;
}
