import { randomBytes } from 'node:crypto';
import { ApiError } from './api-error.ts';
import { type Core, nextId, nextTs } from './core.ts';
import { type Delivery, deliver } from './delivery.ts';
import { actionUrl } from './interaction.ts';
import type { Json } from './json.ts';
import type { StoredMessage } from './message.ts';
import { addMessage, findConversation, findMessage } from './messages.ts';
import { basePayload, channelInPayload, messagePlace } from './payload.ts';
import { applyResponse } from './respond.ts';
import { teamOf, viewOnWire } from './wire.ts';

/** A slash command as a person types it. */
export interface CommandArgs {
  user: string;
  channel: string;
  command: string;
  text: string;
}

/** Sends a slash command and shows the app's answer. Throws for an unregistered command. */
export async function command(core: Core, args: CommandArgs): Promise<Delivery> {
  const channel = findConversation(core, args.channel);
  if (!channel) throw new Error(`no channel ${args.channel}`);
  const known = core.options.commands;
  if (known && !known.includes(args.command))
    throw new Error(`${args.command} is not a valid command; there is: ${known.join(', ')}`);
  const target = { channel: channel.id, user: args.user };
  const path = core.responseUrls.create('commands', target);
  const payload = {
    token: 'verification-token-is-deprecated',
    team_id: teamOf(core, args.user),
    team_domain: core.identity.teamDomain,
    channel_id: channel.id,
    channel_name: channelInPayload(channel).name,
    user_id: args.user,
    user_name: core.state.users.get(args.user)?.name ?? args.user,
    command: args.command,
    text: core.options.escapedCommands?.includes(args.command) ? escaped(core, args.text) : args.text,
    api_app_id: core.identity.appId,
    is_enterprise_install: 'false',
    response_url: core.origin + path,
    trigger_id: core.triggers.create({ user: args.user }),
  };
  const delivery = await deliver(core, 'command', payload);
  if (!delivery.ok) {
    const reason = delivery.timedOut ? 'operation_timeout' : 'dispatch_failed';
    slackbot(core, channel.id, args.user, `${args.command} failed with the error "${reason}"`);
    return delivery;
  }
  if (delivery.body.trim() === '' || delivery.body.trim() === '{}') return delivery;
  try {
    const found = core.responseUrls.find(path);
    if (typeof found !== 'string') applyResponse(core, found, delivery.json ?? { text: delivery.body });
    return delivery;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    slackbot(core, channel.id, args.user, `${args.command} failed with the error "${error.code}"`);
    return { ...delivery, ok: false, error: error.message };
  }
}

/** A command's text with `should_escape`: Slack's escaping of people, channels and the three special characters. */
function escaped(core: Core, text: string): string {
  const { users, channels } = core.state;
  const named = <T extends { name: string }>(all: Iterable<T>, name: string) =>
    [...all].find((one) => one.name.toLowerCase() === name.toLowerCase());
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(/([@#])([\p{L}\p{N}._-]+)/gu, (whole, sign: string, name: string) => {
      const found = sign === '@' ? named(users.values(), name) : named(channels.values(), name);
      return found === undefined ? whole : `<${sign}${found.id}|${found.name}>`;
    });
}

function slackbot(core: Core, channel: string, user: string, text: string) {
  const author = { user: 'USLACKBOT', username: 'Slackbot', subtype: 'slackbot_response', ephemeralUser: user };
  addMessage(core, channel, author, { text });
}

/** Uses a shortcut: a global one or one on a message. */
export async function shortcut(
  core: Core,
  args: { user: string; callbackId: string; message?: Pick<StoredMessage, 'channel' | 'ts'> },
): Promise<Delivery> {
  const common = {
    callback_id: args.callbackId,
    trigger_id: core.triggers.create({ user: args.user }),
    action_ts: nextTs(core),
  };
  if (!args.message)
    return await deliver(core, 'interactive', { ...basePayload(core, 'shortcut', args.user), ...common });
  const channel = core.state.channels.get(args.message.channel);
  const message = findMessage(core, args.message.channel, args.message.ts);
  if (!channel || !message) throw new Error(`no message ${args.message.ts} in ${args.message.channel}`);
  const { container: _, ...place } = messagePlace(core, channel, message);
  const payload: Json = {
    ...basePayload(core, 'message_action', args.user),
    ...common,
    ...place,
    message_ts: message.ts,
    response_url: actionUrl(core, args.user, message),
  };
  return await deliver(core, 'interactive', payload);
}

/** How an event is redelivered. https://docs.slack.dev/apis/events-api */
export interface EventRetry {
  retryNum?: number;
  retryReason?: string;
  /** The id of the first try, so that the app can recognize it. */
  eventId?: string;
}

/** Sends an event like the Events API. */
export async function event(core: Core, payload: Json, retry: EventRetry = {}): Promise<Delivery> {
  const { teamId, appId, botUserId } = core.identity;
  const envelope = {
    token: 'verification-token-is-deprecated',
    team_id: teamId,
    context_team_id: teamId,
    context_enterprise_id: null,
    api_app_id: appId,
    event: { event_ts: nextTs(core), ...payload },
    type: 'event_callback',
    event_id: retry.eventId ?? `Ev${randomBytes(5).toString('hex').toUpperCase()}`,
    event_time: Math.floor(core.now() / 1000),
    authorizations: [
      { enterprise_id: null, team_id: teamId, user_id: botUserId, is_bot: true, is_enterprise_install: false },
    ],
    is_ext_shared_channel: false,
    event_context: nextId(core, '4-'),
  };
  const headers: Record<string, string> =
    retry.retryNum === undefined
      ? {}
      : { 'x-slack-retry-num': String(retry.retryNum), 'x-slack-retry-reason': retry.retryReason ?? 'http_timeout' };
  return await deliver(core, 'event', envelope, headers);
}

/** Opens the app's Home tab for a person. */
export async function openHome(core: Core, user: string): Promise<Delivery> {
  const view = core.state.homes.get(user);
  const channel = `D${user.slice(1)}`;
  return await event(core, {
    type: 'app_home_opened',
    user,
    channel,
    tab: 'home',
    ...(view ? { view: viewOnWire(core, view) } : {}),
  });
}

/** Posts a person's message. The app is not notified: it does not subscribe to message events. */
export function say(
  core: Core,
  args: { user: string; channel: string; text: string; threadTs?: string },
): StoredMessage {
  const channel = findConversation(core, args.channel);
  if (!channel) throw new Error(`no channel ${args.channel}`);
  const thread = args.threadTs === undefined ? {} : { thread_ts: args.threadTs };
  return addMessage(core, channel.id, { user: args.user, ...thread }, { text: args.text });
}
