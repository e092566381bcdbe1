import { ApiError } from '../api-error.ts';
import { booleanArg, jsonArg, requiredArg, stringArg } from '../arguments.ts';
import type { Core } from '../core.ts';
import { isRecord, type Json, records } from '../json.ts';
import { LIMITS } from '../limits.ts';
import {
  addMessage,
  appAuthor,
  type Content,
  changeMessage,
  findMessage,
  removeMessage,
  toBlocks,
} from '../messages.ts';
import { toMetadata } from '../metadata-check.ts';
import { membersOf } from '../state.ts';
import { messageOnWire } from '../wire.ts';
import { type Methods, readableChannel, visibleChannel, writableChannel } from './method.ts';

/** The content of a message, from a posting method's arguments. */
export function toContent(args: Json): Content {
  const blocks = toBlocks(jsonArg(args, 'blocks', 'invalid_blocks_format'));
  const attachments = jsonArg(args, 'attachments', 'invalid_attachments_format');
  if (attachments !== undefined && !Array.isArray(attachments)) throw new ApiError('invalid_attachments_format');
  if (attachments && attachments.length > LIMITS.attachments.max) throw new ApiError('too_many_attachments');
  const metadata = toMetadata(jsonArg(args, 'metadata', 'invalid_metadata_format'));
  const markdown = stringArg(args, 'markdown_text');
  if (markdown !== undefined && (blocks || stringArg(args, 'text'))) throw new ApiError('markdown_text_conflict');
  if (markdown !== undefined && markdown.length > LIMITS.markdownTotal.max) throw new ApiError('msg_too_long');
  const text = stringArg(args, 'text') ?? markdown ?? '';
  if (text === '' && !blocks && !attachments?.length) throw new ApiError('no_text');
  return {
    text,
    ...(blocks ? { blocks } : {}),
    ...(attachments?.length ? { attachments: records(attachments) } : {}),
    ...(metadata ? { metadata } : {}),
  };
}

/** The thread that a message goes to. Throws when there is no such thread. */
export function toThread(core: Core, channel: string, args: Json): { thread_ts?: string } {
  const ts = stringArg(args, 'thread_ts');
  if (ts === undefined) return {};
  if (!/^\d+\.\d{6}$/.test(ts)) throw new ApiError('invalid_thread_ts');
  const parent = findMessage(core, channel, ts);
  if (!parent) throw new ApiError('thread_not_found');
  if (parent.thread_ts !== undefined && parent.thread_ts !== ts) throw new ApiError('cannot_reply_to_message');
  return { thread_ts: ts };
}

function ownMessage(core: Core, channel: string, args: Json, refusal: string) {
  const message = findMessage(core, channel, requiredArg(args, 'ts'));
  if (!message) throw new ApiError('message_not_found');
  if (message.bot_id !== core.identity.botId) throw new ApiError(refusal);
  return message;
}

function postMessage(core: Core, args: Json): Json {
  const channel = writableChannel(core, requiredArg(args, 'channel', 'channel_not_found'));
  if (core.state.users.get(channel.directUser ?? '')?.isDeactivated) throw new ApiError('channel_not_found');
  const content = toContent(args);
  const thread = toThread(core, channel.id, args);
  const broadcast = thread.thread_ts && booleanArg(args, 'reply_broadcast') ? { subtype: 'thread_broadcast' } : {};
  content.text = content.text.slice(0, LIMITS.postText.max);
  const message = addMessage(core, channel.id, { ...appAuthor(core), ...thread, ...broadcast }, content);
  return { channel: channel.id, ts: message.ts, message: messageOnWire(core, message) };
}

function postEphemeral(core: Core, args: Json): Json {
  const channel = writableChannel(core, requiredArg(args, 'channel', 'channel_not_found'));
  const user = requiredArg(args, 'user');
  if (!core.state.users.has(user)) throw new ApiError('user_not_in_channel');
  if (!membersOf(core.state, core.identity, channel).includes(user)) throw new ApiError('user_not_in_channel');
  const content = toContent(args);
  // Slack accepts any thread here, and shows the message in the channel when there is none.
  const thread = stringArg(args, 'thread_ts');
  content.text = content.text.slice(0, LIMITS.postText.max);
  const place = thread ? { thread_ts: thread } : {};
  const message = addMessage(core, channel.id, { ...appAuthor(core), ...place, ephemeralUser: user }, content);
  return { message_ts: message.ts };
}

function update(core: Core, args: Json): Json {
  const channel = writableChannel(core, requiredArg(args, 'channel', 'channel_not_found'), 'is_inactive');
  const message = ownMessage(core, channel.id, args, 'cant_update_message');
  const content = toContent(args);
  if (content.text.length > LIMITS.updateText.max) throw new ApiError('msg_too_long');
  changeMessage(core, message, content);
  return { channel: channel.id, ts: message.ts, text: message.text, message: messageOnWire(core, message) };
}

function remove(core: Core, args: Json): Json {
  const channel = readableChannel(core, requiredArg(args, 'channel', 'channel_not_found'));
  const message = ownMessage(core, channel.id, args, 'cant_delete_message');
  removeMessage(core, message);
  return { channel: channel.id, ts: message.ts };
}

function getPermalink(core: Core, args: Json): Json {
  const channel = visibleChannel(core, requiredArg(args, 'channel', 'channel_not_found'));
  const message = findMessage(core, channel.id, requiredArg(args, 'message_ts', 'message_not_found'));
  if (!message) throw new ApiError('message_not_found');
  return { channel: channel.id, permalink: `${core.origin}/archives/${channel.id}/p${message.ts.replace('.', '')}` };
}

/** Validates a message's blocks like posting would, and posts nothing. */
function validateBlocks(args: Json): Json {
  const message = jsonArg(args, 'message', 'invalid_arguments');
  toBlocks(isRecord(message) ? message['blocks'] : jsonArg(args, 'blocks', 'invalid_blocks_format'));
  return {};
}

/** `chat.*` and `blocks.validate`. Posting is limited per channel instead of by tier. */
export const chatMethods: Methods = {
  'chat.postMessage': { scopes: ['chat:write'], run: postMessage },
  'chat.postEphemeral': { tier: 'tier4', scopes: ['chat:write'], run: postEphemeral },
  'chat.update': { tier: 'tier3', scopes: ['chat:write'], run: update },
  'chat.delete': { tier: 'tier3', scopes: ['chat:write'], run: remove },
  'chat.getPermalink': { run: getPermalink },
  'blocks.validate': { run: (_core, args) => validateBlocks(args) },
};
