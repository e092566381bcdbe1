import { ApiError } from '../api-error.ts';
import { requiredArg } from '../arguments.ts';
import type { Core } from '../core.ts';
import type { Json } from '../json.ts';
import type { StoredMessage } from '../message.ts';
import { findMessage, touchMessage } from '../messages.ts';
import { botOnWire, messageOnWire } from '../wire.ts';
import { type Methods, readableChannel } from './method.ts';

function authTest(core: Core): Json {
  const { teamId, teamName, teamDomain, botUserId, botId } = core.identity;
  const user = core.state.users.get(botUserId);
  return {
    url: `https://${teamDomain}.slack.com/`,
    team: teamName,
    user: user?.name ?? 'cardbell',
    team_id: teamId,
    user_id: botUserId,
    bot_id: botId,
    is_enterprise_install: false,
  };
}

function botsInfo(core: Core, args: Json): Json {
  if (requiredArg(args, 'bot', 'bot_not_found') !== core.identity.botId) throw new ApiError('bot_not_found');
  return { bot: botOnWire(core) };
}

function teamInfo(core: Core): Json {
  const { teamId, teamName, teamDomain } = core.identity;
  return { team: { id: teamId, name: teamName, domain: teamDomain, email_domain: '', icon: { image_default: true } } };
}

function target(core: Core, args: Json): StoredMessage {
  const channel = readableChannel(core, requiredArg(args, 'channel', 'channel_not_found'));
  const message = findMessage(core, channel.id, requiredArg(args, 'timestamp', 'no_item_specified'));
  if (!message) throw new ApiError('message_not_found');
  return message;
}

function react(core: Core, args: Json): Json {
  const name = requiredArg(args, 'name', 'invalid_name');
  if (!/^[a-z0-9_+'-]+(::[a-z0-9-]+)?$/.test(name)) throw new ApiError('invalid_name');
  const message = target(core, args);
  message.reactions ??= [];
  const known = message.reactions.find((reaction) => reaction.name === name);
  const user = core.identity.botUserId;
  if (known?.users.includes(user)) throw new ApiError('already_reacted');
  if (known) {
    known.users.push(user);
    known.count += 1;
  } else message.reactions.push({ name, users: [user], count: 1 });
  touchMessage(core, message);
  return {};
}

function unreact(core: Core, args: Json): Json {
  const name = requiredArg(args, 'name', 'invalid_name');
  const message = target(core, args);
  const known = message.reactions?.find((reaction) => reaction.name === name);
  const user = core.identity.botUserId;
  if (!known?.users.includes(user)) throw new ApiError('no_reaction');
  known.users = known.users.filter((other) => other !== user);
  known.count -= 1;
  message.reactions = (message.reactions ?? []).filter((reaction) => reaction.count > 0);
  touchMessage(core, message);
  return {};
}

/** `api.test`, `auth.test`, `bots.info`, `team.info` and `reactions.*`. */
export const appMethods: Methods = {
  'auth.test': { run: authTest },
  'bots.info': { tier: 'tier3', scopes: ['users:read'], run: botsInfo },
  'team.info': { tier: 'tier3', scopes: ['team:read'], run: teamInfo },
  'reactions.add': { tier: 'tier3', scopes: ['reactions:write'], run: react },
  'reactions.remove': { tier: 'tier2', scopes: ['reactions:write'], run: unreact },
  'reactions.get': {
    tier: 'tier3',
    scopes: ['reactions:read'],
    run: (core, args) => {
      const message = target(core, args);
      return { type: 'message', channel: message.channel, message: messageOnWire(core, message) };
    },
  },
};
