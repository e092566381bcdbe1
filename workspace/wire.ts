import type { Core } from './core.ts';
import { compact, type Json } from './json.ts';
import type { StoredMessage } from './message.ts';
import type { WorkspaceUser } from './options.ts';
import { type Conversation, membersOf } from './state.ts';
import type { StoredView } from './view.ts';

/** A user object as returned by `users.info`. */
export function userOnWire(core: Core, user: WorkspaceUser): Json {
  const zone = user.tz ?? 'America/New_York';
  return {
    id: user.id,
    team_id: teamOf(core, user.id),
    name: user.name,
    deleted: user.isDeactivated ?? false,
    real_name: user.realName,
    tz: zone,
    tz_label: zone,
    tz_offset: offsetSeconds(zone, core.now()),
    profile: compact({
      real_name: user.realName,
      display_name: user.name,
      email: mayReadEmail(core) ? user.email : undefined,
      team: teamOf(core, user.id),
    }),
    is_admin: false,
    is_owner: false,
    is_restricted: user.isGuest ?? false,
    is_ultra_restricted: false,
    is_email_confirmed: true,
    is_bot: user.isBot ?? false,
    is_app_user: false,
    ...(user.isStranger ? { is_stranger: true } : {}),
    updated: 1_700_000_000,
  };
}

function mayReadEmail({ options }: Core): boolean {
  return options.scopes?.includes('users:read.email') ?? true;
}

function offsetSeconds(zone: string, at: number): number {
  const name = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
    .formatToParts(at)
    .find((part) => part.type === 'timeZoneName')?.value;
  const match = /GMT([+-])(\d{2}):(\d{2})/.exec(name ?? '');
  if (!match) return 0;
  return (match[1] === '-' ? -1 : 1) * (Number(match[2]) * 3600 + Number(match[3]) * 60);
}

/** The team a user belongs to. An external user belongs to another one. */
export function teamOf(core: Core, userId: string): string {
  return core.state.users.get(userId)?.isStranger ? 'T0STRANGERS' : core.identity.teamId;
}

/** A conversation object as returned by `conversations.info`. */
export function conversationOnWire(core: Core, channel: Conversation): Json {
  if (channel.directUser) {
    return {
      id: channel.id,
      is_im: true,
      user: channel.directUser,
      is_archived: false,
      is_open: true,
      created: 1_700_000_000,
    };
  }
  return {
    id: channel.id,
    name: channel.name,
    name_normalized: channel.name,
    is_channel: true,
    is_group: false,
    is_im: false,
    is_mpim: false,
    is_private: channel.isPrivate ?? false,
    is_archived: channel.isArchived,
    is_member: channel.botIsMember,
    is_general: false,
    is_shared: channel.isExtShared ?? false,
    is_ext_shared: channel.isExtShared ?? false,
    is_org_shared: false,
    created: 1_700_000_000,
    creator: '',
    topic: { value: channel.topic ?? '', creator: '', last_set: 0 },
    purpose: { value: '', creator: '', last_set: 0 },
    num_members: membersOf(core.state, core.identity, channel).length,
  };
}

/** A message object. As in Slack, metadata is omitted unless requested. */
export function messageOnWire(core: Core, message: StoredMessage, withMetadata = false): Json {
  const { channel: _, ephemeralUser: _user, files, metadata, ...rest } = structuredClone(message);
  const fields: Json = { type: 'message', ...rest };
  if (message.bot_id) {
    fields.app_id = core.identity.appId;
    fields.bot_profile = botOnWire(core);
  }
  fields.team = teamOf(core, message.user);
  if (files) fields.files = files.map((id) => fileOnWire(core, id));
  if (withMetadata && metadata) fields.metadata = metadata;
  return fields;
}

/** The app as a bot, as returned by `bots.info`. */
export function botOnWire(core: Core): Json {
  const { appId, appName, botId, botUserId, teamId } = core.identity;
  return {
    id: botId,
    deleted: false,
    name: appName,
    updated: 1_700_000_000,
    app_id: appId,
    user_id: botUserId,
    team_id: teamId,
    icons: {},
  };
}

/** A file object. */
export function fileOnWire(core: Core, id: string): Json {
  const file = core.state.files.get(id);
  if (!file) return { id, mode: 'tombstone' };
  const address = `${core.origin}/files/${id}/${encodeURIComponent(file.name)}`;
  return {
    id,
    name: file.name,
    title: file.title,
    mimetype: file.mimetype,
    size: file.size,
    user: core.identity.botUserId,
    url_private: address,
    url_private_download: address,
    permalink: address,
  };
}

/** A view object with the fields that Slack adds. */
export function viewOnWire(core: Core, view: StoredView): Json {
  const { user: _, ...fields } = structuredClone(view);
  const { teamId, appId, botId } = core.identity;
  return { ...fields, team_id: teamId, app_id: appId, app_installed_team_id: teamId, bot_id: botId };
}
