import type { Core } from './core.ts';
import type { Json } from './json.ts';
import type { StoredMessage } from './message.ts';
import type { Conversation } from './state.ts';
import { elementsIn } from './views.ts';
import { messageOnWire, teamOf } from './wire.ts';

/** The fields that every interaction payload has. */
export function basePayload(core: Core, type: string, user: string): Json {
  const { teamId, teamDomain, appId } = core.identity;
  return {
    type,
    team: { id: teamId, domain: teamDomain },
    user: userInPayload(core, user),
    api_app_id: appId,
    token: 'verification-token-is-deprecated',
    enterprise: null,
    is_enterprise_install: false,
  };
}

function userInPayload(core: Core, user: string): Json {
  const name = core.state.users.get(user)?.name ?? user;
  return { id: user, username: name, name, team_id: teamOf(core, user) };
}

/** A channel in interaction payloads. Names of private channels are not reliable there. */
export function channelInPayload(channel: Conversation): Json {
  return {
    id: channel.id,
    name: channel.directUser ? 'directmessage' : channel.isPrivate ? 'privategroup' : channel.name,
  };
}

/** Where in a message an interaction took place. As in Slack, an ephemeral message is not included. */
export function messagePlace(core: Core, channel: Conversation, message: StoredMessage): Json {
  const thread = message.thread_ts ? { thread_ts: message.thread_ts } : {};
  const container = {
    type: 'message',
    message_ts: message.ts,
    channel_id: channel.id,
    is_ephemeral: message.ephemeralUser !== undefined,
    ...thread,
  };
  const body = message.ephemeralUser ? {} : { message: messageOnWire(core, message) };
  return { container, channel: channelInPayload(channel), ...body };
}

/** Values of a message's stateful elements: their initial values, then the person's input. */
export function messageState(blocks: readonly Json[], entered: Record<string, Json>): Json {
  const values: Record<string, Json> = {};
  for (const { blockId, element } of elementsIn(blocks)) {
    const type = String(element.type);
    if (type === 'button') continue;
    const action = String(element.action_id);
    const held =
      entered[action] ?? (element.initial_option ? { type, selected_option: element.initial_option } : { type });
    values[blockId] = { ...values[blockId], [action]: held };
  }
  return { values };
}
