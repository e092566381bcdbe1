import { ApiError } from '../api-error.ts';
import type { Core } from '../core.ts';
import type { Json } from '../json.ts';
import type { Tier } from '../limits.ts';
import { findConversation } from '../messages.ts';
import type { Conversation } from '../state.ts';

/** A Web API method: takes arguments, returns the fields next to `ok`. Throws `ApiError` to refuse. */
export interface Method {
  /** Undefined for methods with their own limits. */
  tier?: Tier;
  /** Any one of these scopes is enough. */
  scopes?: readonly string[];
  run(core: Core, args: Json): Json;
}

/** The methods of a family, by full name. */
export type Methods = Record<string, Method>;

/** A channel that the app may see, or `channel_not_found`: for the app, private channels without it do not exist. */
export function visibleChannel(core: Core, reference: string | undefined): Conversation {
  const channel = reference === undefined ? undefined : findConversation(core, reference);
  if (!channel || (channel.isPrivate && !channel.botIsMember)) throw new ApiError('channel_not_found');
  return channel;
}

/** A channel that the app may read. */
export function readableChannel(core: Core, reference: string | undefined): Conversation {
  const channel = visibleChannel(core, reference);
  if (!channel.botIsMember) throw new ApiError('not_in_channel');
  return channel;
}

/** A channel that the app may post to. @param ifArchived the code for an archived channel, which differs between methods. */
export function writableChannel(
  core: Core,
  reference: string | undefined,
  ifArchived: 'is_archived' | 'is_inactive' = 'is_archived',
): Conversation {
  const channel = readableChannel(core, reference);
  if (channel.isArchived) throw new ApiError(ifArchived);
  if (channel.isReadOnly) throw new ApiError('restricted_action');
  return channel;
}
