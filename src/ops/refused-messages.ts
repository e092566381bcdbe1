import type { SlackError } from '../core/errors.ts';
import { commandCode } from '../core/installation.ts';
import { workspaceCodes } from '../slack/failure.ts';
import type { OpsIssue } from './notify-ops.ts';

/** Why Slack refuses messages in a channel or to a person, and what helps. */
interface Refusal {
  readonly what: string;
  readonly todo: string;
}

const notMember: Refusal = {
  what: 'Cardbell is not in the channel, or the channel was deleted.',
  todo: 'Type /invite @Cardbell in the channel. If it was deleted, configure another one.',
};
const archived: Refusal = {
  what: 'The channel is archived.',
  todo: 'Unarchive the channel, or configure another one.',
};
const mayNotPost: Refusal = {
  what: 'The channel’s settings do not let Cardbell post.',
  todo: 'Let Cardbell post in the channel (its settings, posting permissions), or configure another one.',
};
const noThreads: Refusal = {
  what: 'The channel does not allow replies in threads.',
  todo: 'Allow replies in threads in the channel’s settings, or configure another channel.',
};

/** By Slack's error code. https://docs.slack.dev/reference/methods/chat.postMessage */
const ofChannels: Readonly<Record<string, Refusal>> = {
  channel_not_found: notMember,
  not_in_channel: notMember,
  is_archived: archived,
  is_inactive: archived,
  restricted_action: mayNotPost,
  restricted_action_read_only_channel: mayNotPost,
  restricted_action_non_threadable_channel: noThreads,
  cannot_reply_to_message: noThreads,
  restricted_action_thread_only_channel: {
    what: 'The channel takes only replies in threads.',
    todo: 'Allow new messages in the channel’s settings, or configure another channel.',
  },
  ekm_access_denied: {
    what: 'Your Slack administrators have suspended posting (Enterprise Key Management).',
    todo: 'Ask a Slack administrator to allow posting again.',
  },
};

const lookUp = (slackError: string): string => `Look up ${slackError} in Slack’s documentation`;

/** @param alerts where its alerts are meanwhile: moved, or waiting because no other channel may get them. */
export function channelUnusableIssue(
  channel: string,
  { slackError }: Pick<SlackError, 'slackError'>,
  alerts: 'move' | 'wait' = 'move',
): OpsIssue & Refusal {
  const { what, todo } = ofChannels[slackError] ?? {
    what: 'Slack does not accept messages in the channel.',
    todo: `${lookUp(slackError)}, or configure another channel.`,
  };
  return {
    cause: `channel:${channel}:${slackError}`,
    title: `Cardbell cannot post in a channel (${slackError})`,
    what,
    means:
      alerts === 'move'
        ? 'Its alerts go to ALERTS_CHANNEL until this is fixed.'
        : 'It is ALERTS_CHANNEL, so its alerts wait until this is fixed. Nothing is lost.',
    todo,
    about: channel,
  };
}

/** A status of HTTP never comes from Slack’s API itself. */
const isOfProxy = (slackError: string): boolean => slackError.startsWith('http_');

/** What refuses posts, and what helps. @param isUnclear Slack, or something in between, gives no clear answer to them. */
function postsRefusal(slackError: string, isUnclear: boolean): Refusal {
  if (isUnclear)
    return {
      what: 'Cardbell’s messages get no clear answer, although Slack answers its other requests.',
      todo: 'Let the proxy or firewall pass Cardbell’s messages to Slack, or see slack-status.com.',
    };
  if (isOfProxy(slackError))
    return {
      what: 'Something between Cardbell and Slack refuses its messages.',
      todo: 'Let the proxy or firewall pass Cardbell’s requests to Slack.',
    };
  const todo =
    slackError === 'missing_scope'
      ? 'Give the app the scope chat:write, and install it again.'
      : `${lookUp(slackError)}, or ask a Slack administrator to let the app post.`;
  return { what: 'Slack refuses Cardbell’s messages, whatever they say.', todo };
}

/** One issue for all channels and people if the refusal concerns the app. @param place the channel or person; null: unknown. */
export function postsRefused(place: string | null, { code, slackError }: SlackError): OpsIssue & Refusal {
  const about = workspaceCodes.includes(slackError) || isOfProxy(slackError) ? null : place;
  return {
    cause: `posts:${about ?? ''}:${slackError}`,
    title: `Slack refuses messages (${slackError})`,
    ...postsRefusal(slackError, code === 'unknown'),
    means: 'They wait until this is fixed. Nothing is lost.',
    ...(about !== null && { about }),
  };
}

/** What lets Cardbell attach files again. */
export function fileAdvice({ code, slackError }: SlackError): string {
  if (slackError === 'no_answer') return 'Let the proxy or firewall pass Cardbell’s uploads to files.slack.com.';
  if (code === 'unknown') return 'Slack, or a proxy in between, gave no clear answer: see slack-status.com.';
  if (slackError === 'missing_scope') return 'Give the app the scope files:write, and install it again.';
  if (slackError === 'storage_limit_reached') return 'Free some of the workspace’s file storage.';
  return 'Allow apps to upload files in this workspace.';
}

/** Cannot be posted while it lasts: until then it is in the log and the metrics only. */
export const opsUnreachable: OpsIssue = {
  cause: 'ops-channel',
  title: 'Slack refused messages in the ops channel',
  what: 'Slack, or a proxy in between, refused every message in this channel, and no other channel could get them.',
  means: 'Nobody could be notified of anything. What waited is being posted now, with its original time.',
  todo: null,
};

/** @returns functions, because the command is only known later. */
const ofPeople: Readonly<Record<string, () => Refusal>> = {
  user_disabled: hasLeft,
  user_not_found: hasLeft,
  user_not_visible: () => ({
    what: 'They are not visible to Cardbell, for example because they belong to another workspace.',
    todo: `Give their card to a member of your workspace with ${commandCode('link')}.`,
  }),
  cannot_dm_bot: () => ({
    what: 'This is an app, not a person.',
    todo: `Give the card to a person with ${commandCode('link')}.`,
  }),
};

function hasLeft(): Refusal {
  return {
    what: 'They are no longer in your workspace.',
    todo: `Unlink their card with ${commandCode('unlink')}, and consider blocking it.`,
  };
}

/** @param userId null: unknown. */
export function personUnreachable(userId: string | null, { slackError }: Pick<SlackError, 'slackError'>): OpsIssue {
  const { what, todo } = ofPeople[slackError]?.() ?? {
    what: 'Slack does not deliver direct messages to them.',
    todo: `If they have left the company, unlink their card with ${commandCode('unlink')}, and consider blocking it.`,
  };
  return {
    cause: `person:${userId ?? slackError}`,
    title: `A person cannot be reached (${slackError})`,
    what,
    means: 'They do not get my direct messages. The channels still get every alert.',
    todo,
    ...(userId !== null && { about: userId }),
  };
}
