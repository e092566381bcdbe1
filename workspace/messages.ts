import { randomBytes } from 'node:crypto';
import type { KnownBlock } from '@slack/types';
import { ApiError } from './api-error.ts';
import { charactersIn, checkBlocks } from './block-limits.ts';
import { type Core, nextTs } from './core.ts';
import { compact, isRecord, type Json, records } from './json.ts';
import { LIMITS } from './limits.ts';
import type { StoredMessage, StoredMetadata } from './message.ts';
import type { Conversation } from './state.ts';

/** Checked content of a message. */
export interface Content {
  text: string;
  blocks?: KnownBlock[];
  attachments?: Json[];
  metadata?: StoredMetadata;
}

function shortId(): string {
  return randomBytes(4).toString('base64url').slice(0, 5);
}

/** Adds the ids that Slack gives to blocks and elements without one. */
export function withIds(blocks: Json[]): Json[] {
  const named = (element: unknown) =>
    isRecord(element) ? { ...element, action_id: element.action_id ?? shortId() } : element;
  return blocks.map((block) => {
    const copy: Json = { ...block, block_id: block.block_id ?? shortId() };
    if (block.type === 'actions') copy.elements = records(block.elements).map(named);
    if (block.accessory) copy.accessory = named(block.accessory);
    if (block.element) copy.element = named(block.element);
    return copy;
  });
}

/** Checks the blocks of a message like `chat.postMessage`. */
export function toBlocks(value: unknown): KnownBlock[] | undefined {
  if (value === undefined || value === null) return undefined;
  if (!Array.isArray(value)) throw new ApiError('invalid_blocks_format');
  const problems = checkBlocks(value, 'message');
  if (problems.length > 0) throw new ApiError('invalid_blocks', problems);
  if (charactersIn(value) > LIMITS.blocksTotal.max) throw new ApiError('msg_blocks_too_long');
  return value.length > 0 ? (withIds(records(value)) as unknown as KnownBlock[]) : undefined;
}

/** Adds a message to the end of its channel. */
export function addMessage(
  core: Core,
  channel: string,
  author: Partial<StoredMessage>,
  content: Content,
): StoredMessage {
  const message: StoredMessage = compact({
    channel,
    ts: nextTs(core),
    user: core.identity.botUserId,
    ...author,
    ...content,
  } as StoredMessage & Json);
  if (message.ephemeralUser) core.state.ephemerals.push(message);
  else listOf(core, channel).push(message);
  countReply(core, message);
  core.changes.emit('change', { type: 'message', kind: 'posted', message: structuredClone(message) });
  return message;
}

/** The app as an author. */
export function appAuthor(core: Core): Partial<StoredMessage> {
  return { user: core.identity.botUserId, bot_id: core.identity.botId };
}

function listOf(core: Core, channel: string): StoredMessage[] {
  const list = core.state.messages.get(channel) ?? [];
  core.state.messages.set(channel, list);
  return list;
}

function countReply(core: Core, message: StoredMessage) {
  if (!message.thread_ts || message.ephemeralUser) return;
  const parent = findMessage(core, message.channel, message.thread_ts);
  if (!parent) return;
  const replies = listOf(core, message.channel).filter((other) => other.thread_ts === parent.ts && other !== parent);
  parent.thread_ts = parent.ts;
  parent.reply_count = replies.length;
  parent.reply_users = [...new Set(replies.map((reply) => reply.user))];
  const latest = replies.at(-1)?.ts;
  if (latest) parent.latest_reply = latest;
  core.changes.emit('change', { type: 'message', kind: 'changed', message: structuredClone(parent) });
}

/** A message that everyone in the channel sees. */
export function findMessage(core: Core, channel: string, ts: string): StoredMessage | undefined {
  return core.state.messages.get(channel)?.find((message) => message.ts === ts);
}

/** The same, or one that only one person sees. */
export function findShown(core: Core, channel: string, ts: string): StoredMessage | undefined {
  return findMessage(core, channel, ts) ?? core.state.ephemerals.find((message) => message.ts === ts);
}

/** Changes a message's content. Like in Slack, blocks that are not given are removed. */
export function changeMessage(core: Core, message: StoredMessage, content: Content) {
  message.text = content.text;
  if (content.blocks) message.blocks = content.blocks;
  else delete message.blocks;
  if (content.attachments) message.attachments = content.attachments;
  if (content.metadata) message.metadata = content.metadata;
  message.edited = { user: message.user, ts: nextTs(core) };
  core.changes.emit('change', { type: 'message', kind: 'changed', message: structuredClone(message) });
}

/** Notifies waiting callers that a message has changed. */
export function touchMessage(core: Core, message: StoredMessage) {
  core.changes.emit('change', { type: 'message', kind: 'changed', message: structuredClone(message) });
}

/** Removes a message. In Slack a parent with replies leaves a tombstone; here it is removed and its thread stays. */
export function removeMessage(core: Core, message: StoredMessage) {
  if (message.ephemeralUser) core.state.ephemerals = core.state.ephemerals.filter((other) => other !== message);
  else
    core.state.messages.set(
      message.channel,
      listOf(core, message.channel).filter((other) => other !== message),
    );
  countReply(core, message);
  core.changes.emit('change', { type: 'message', kind: 'deleted', message: structuredClone(message) });
}

/** The conversation for an id, a `#name` or a user id. Opens the direct conversation if needed. */
export function findConversation(core: Core, reference: string): Conversation | undefined {
  const { channels, users } = core.state;
  const byName = () => [...channels.values()].find((channel) => `#${channel.name}` === reference);
  const found = channels.get(reference) ?? byName();
  if (found) return found;
  const user = users.get(reference);
  return user && !user.isBot ? openDirect(core, user.id) : undefined;
}

/** The direct conversation between the app and a person. */
export function openDirect(core: Core, user: string): Conversation {
  const id = `D${user.slice(1)}`;
  const known = core.state.channels.get(id);
  if (known) return known;
  const channel: Conversation = {
    id,
    name: core.state.users.get(user)?.name ?? user,
    botIsMember: true,
    isArchived: false,
    directUser: user,
  };
  core.state.channels.set(id, channel);
  core.changes.emit('change', { type: 'channels' });
  return channel;
}
