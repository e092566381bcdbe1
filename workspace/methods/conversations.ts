import { ApiError } from '../api-error.ts';
import { booleanArg, page, requiredArg, stringArg } from '../arguments.ts';
import type { Core } from '../core.ts';
import type { Json } from '../json.ts';
import type { StoredMessage } from '../message.ts';
import { findMessage, openDirect } from '../messages.ts';
import { type Conversation, membersOf } from '../state.ts';
import { conversationOnWire, messageOnWire } from '../wire.ts';
import { type Methods, readableChannel, visibleChannel } from './method.ts';

const READ = ['channels:read', 'groups:read', 'im:read', 'mpim:read'];
const HISTORY = ['channels:history', 'groups:history', 'im:history', 'mpim:history'];

/** Lists conversations, with the filters that `conversations.list` and `users.conversations` share. */
export function listConversations(core: Core, args: Json, keep: (channel: Conversation) => boolean): Json {
  const types = (stringArg(args, 'types') ?? 'public_channel').split(',').map((type) => type.trim());
  const kind = (channel: Conversation) =>
    channel.directUser ? 'im' : channel.isPrivate ? 'private_channel' : 'public_channel';
  const channels = [...core.state.channels.values()].filter(
    (channel) =>
      types.includes(kind(channel)) &&
      !(booleanArg(args, 'exclude_archived') && channel.isArchived) &&
      !(channel.isPrivate && !channel.botIsMember) &&
      keep(channel),
  );
  const { items, next } = page(channels, args);
  return {
    channels: items.map((channel) => conversationOnWire(core, channel)),
    response_metadata: { next_cursor: next },
  };
}

function inWindow(args: Json): (message: StoredMessage) => boolean {
  const oldest = Number(stringArg(args, 'oldest') ?? 0);
  const latest = Number(stringArg(args, 'latest') ?? Number.POSITIVE_INFINITY);
  if (Number.isNaN(oldest)) throw new ApiError('invalid_ts_oldest');
  if (Number.isNaN(latest)) throw new ApiError('invalid_ts_latest');
  const inclusive = booleanArg(args, 'inclusive');
  return ({ ts }) => {
    const at = Number(ts);
    return inclusive ? at >= oldest && at <= latest : at > oldest && at < latest;
  };
}

function answer(core: Core, args: Json, messages: StoredMessage[]): Json {
  const { items, next } = page(messages, args, 999);
  const withMetadata = booleanArg(args, 'include_all_metadata');
  return {
    messages: items.map((message) => messageOnWire(core, message, withMetadata)),
    has_more: next !== '',
    ...(next ? { response_metadata: { next_cursor: next } } : {}),
  };
}

function history(core: Core, args: Json): Json {
  const channel = readableChannel(core, requiredArg(args, 'channel', 'channel_not_found'));
  const inThread = (message: StoredMessage) =>
    message.thread_ts !== undefined && message.thread_ts !== message.ts && message.subtype !== 'thread_broadcast';
  const messages = (core.state.messages.get(channel.id) ?? []).filter((message) => !inThread(message));
  return answer(core, args, messages.filter(inWindow(args)).reverse());
}

function replies(core: Core, args: Json): Json {
  const channel = readableChannel(core, requiredArg(args, 'channel', 'channel_not_found'));
  const ts = requiredArg(args, 'ts');
  const asked = findMessage(core, channel.id, ts);
  if (!asked) throw new ApiError('thread_not_found');
  const root = asked.thread_ts ?? asked.ts;
  const inside = inWindow(args);
  const messages = (core.state.messages.get(channel.id) ?? []).filter(
    (message) => message.ts === root || (message.thread_ts === root && inside(message)),
  );
  return answer(core, args, messages);
}

function open(core: Core, args: Json): Json {
  const known = stringArg(args, 'channel');
  if (known) return { channel: conversationOnWire(core, visibleChannel(core, known)) };
  const users = requiredArg(args, 'users', 'users_list_not_supplied').split(',');
  const [user] = users;
  if (users.length > 1 || user === undefined) throw new ApiError('not_supported');
  if (!core.state.users.has(user)) throw new ApiError('user_not_found');
  if (core.state.users.get(user)?.isBot) throw new ApiError('cannot_dm_bot');
  if (core.state.users.get(user)?.isDeactivated) throw new ApiError('user_disabled');
  const existed = core.state.channels.has(`D${user.slice(1)}`);
  const channel = openDirect(core, user);
  const brief = booleanArg(args, 'return_im') ? conversationOnWire(core, channel) : { id: channel.id };
  return { ...(existed ? { no_op: true, already_open: true } : {}), channel: brief };
}

function join(core: Core, args: Json): Json {
  const channel = visibleChannel(core, requiredArg(args, 'channel', 'channel_not_found'));
  if (channel.isArchived) throw new ApiError('is_archived');
  if (channel.directUser || channel.isPrivate) throw new ApiError('method_not_supported_for_channel_type');
  const warning = channel.botIsMember ? { warning: 'already_in_channel' } : {};
  channel.botIsMember = true;
  core.changes.emit('change', { type: 'channels' });
  return { channel: conversationOnWire(core, channel), ...warning };
}

function members(core: Core, args: Json): Json {
  const channel = visibleChannel(core, requiredArg(args, 'channel', 'channel_not_found'));
  const { items, next } = page(membersOf(core.state, core.identity, channel), args);
  return { members: items, response_metadata: { next_cursor: next } };
}

/** `conversations.*`. */
export const conversationMethods: Methods = {
  'conversations.list': { tier: 'tier2', scopes: READ, run: (core, args) => listConversations(core, args, () => true) },
  'conversations.info': {
    tier: 'tier3',
    scopes: READ,
    run: (core, args) => ({
      channel: conversationOnWire(core, visibleChannel(core, requiredArg(args, 'channel', 'channel_not_found'))),
    }),
  },
  'conversations.members': { tier: 'tier4', scopes: READ, run: members },
  'conversations.history': { tier: 'tier3', scopes: HISTORY, run: history },
  'conversations.replies': { tier: 'tier3', scopes: HISTORY, run: replies },
  'conversations.open': { tier: 'tier3', scopes: ['im:write', 'mpim:write', 'channels:manage'], run: open },
  'conversations.join': { tier: 'tier3', scopes: ['channels:join'], run: join },
};
