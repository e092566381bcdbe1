import type { BlockAction, MessageShortcut, SlashCommand } from '@slack/bolt';
import type { Origin } from '../../src/actions/action.ts';
import type { ListenerDeps } from '../../src/app/compose-web.ts';
import { contentId } from '../../src/core/content-id.ts';
import type { Asking } from '../../src/dispatch/request-action.ts';
import type { Message } from '../../src/slack/message.ts';

/** What every Slack payload contains: who, where, and how to answer. */
export interface Interaction extends Pick<Asking, 'id' | 'actor' | 'isExternal' | 'origin'> {
  /** Visible only to the person who asked. Never throws: failed deliveries are logged. */
  readonly notify: (message: Message) => Promise<void>;
}

type Tools = Pick<ListenerDeps, 'respond' | 'postEphemeral' | 'seals' | 'log'>;

export function ofCommand(command: SlashCommand, tools: Tools): Interaction {
  return {
    id: contentId('act_', [
      'command',
      command.user_id,
      command.trigger_id,
      command.response_url,
      command.command,
      command.text,
    ]),
    actor: { userId: command.user_id, teamId: command.team_id },
    isExternal: false,
    origin: {
      kind: 'command',
      channel: command.channel_id,
      messageTs: null,
      reply: tools.seals.reply.seal(command.response_url),
      replace: false,
    },
    notify: createNotify(command.response_url, { channel: command.channel_id, userId: command.user_id }, tools),
  };
}

/** Who acts, and whether that person belongs to another company. An organization-wide installation sends no team. */
export function whoActs(
  user: { readonly id: string; readonly team_id?: string },
  team: { readonly id: string } | null | undefined,
): Pick<Interaction, 'actor' | 'isExternal'> {
  const teamId = team?.id ?? user.team_id ?? '';
  return { actor: { userId: user.id, teamId }, isExternal: user.team_id !== undefined && user.team_id !== teamId };
}

/** A button that was pressed, or an option that was chosen. */
export function ofButton(body: BlockAction, tools: Tools): Interaction {
  const [element] = body.actions;
  // Only this person sees the message and nobody can edit it, so the answer replaces it.
  const isEphemeral = body.container?.['is_ephemeral'] === true;
  const { user } = body;
  const channel = body.channel?.id ?? body.container?.['channel_id'] ?? user.id;
  return {
    id: contentId('act_', [
      'button',
      user.id,
      body.trigger_id,
      element?.action_id ?? '',
      chosenIn(element),
      element?.action_ts ?? '',
    ]),
    ...whoActs(user, body.team),
    origin: {
      kind: 'button',
      channel,
      messageTs: isEphemeral ? null : (body.message?.ts ?? body.container?.['message_ts'] ?? null),
      ...threadOf(body),
      reply: body.response_url === undefined ? null : tools.seals.reply.seal(body.response_url),
      replace: isEphemeral,
    },
    notify: createNotify(body.response_url, { channel, userId: user.id, ...threadOf(body) }, tools),
  };
}

/** The thread of the message: not that of its own replies, nor of a reply that is read in the channel. */
function threadOf({ message, container }: BlockAction): Pick<Origin, 'threadTs'> {
  const thread = message?.['thread_ts'] ?? container?.['thread_ts'];
  const isInChannel = thread === container?.['message_ts'] || message?.['subtype'] === 'thread_broadcast';
  return typeof thread !== 'string' || isInChannel ? {} : { threadTs: thread };
}

type Place = Pick<Origin, 'channel' | 'messageTs' | 'threadTs'>;

/** Where a form was opened, so that its answers go there. */
export function placeOf({ channel, messageTs, threadTs }: Place): Place {
  return { channel, messageTs, ...(threadTs !== undefined && { threadTs }) };
}

/** A shortcut on a message. */
export function ofShortcut(shortcut: MessageShortcut, tools: Tools): Interaction {
  const { user, channel, message, trigger_id, response_url } = shortcut;
  return {
    id: contentId('act_', ['shortcut', user.id, trigger_id, message.ts]),
    ...whoActs(user, shortcut.team),
    origin: { kind: 'button', channel: channel.id, messageTs: message.ts, reply: null, replace: false },
    notify: createNotify(response_url, { channel: channel.id, userId: user.id }, tools),
  };
}

/** Answers someone where they originally asked. For forms, which have no conversation for an answer. */
export function notifyAt(origin: Origin, userId: string, tools: Tools): (message: Message) => Promise<void> {
  const url = origin.reply === null ? null : tools.seals.reply.open(origin.reply);
  return createNotify(url ?? undefined, { ...placeOf(origin), userId }, tools);
}

export function chosenIn(element: BlockAction['actions'][number] | undefined): string {
  if (element === undefined) return '';
  if ('value' in element) return element.value ?? '';
  return 'selected_option' in element ? (element.selected_option?.value ?? '') : '';
}

/** Uses the `response_url`, or an ephemeral message if that fails. */
export function createNotify(
  responseUrl: string | undefined,
  { channel, userId, threadTs }: Pick<Origin, 'channel' | 'threadTs'> & { readonly userId: string },
  { respond, postEphemeral, log }: Omit<Tools, 'seals'>,
): (message: Message) => Promise<void> {
  return async function notify(message) {
    try {
      if (responseUrl === undefined) throw new Error('Slack gave no response_url');
      await respond(responseUrl, message);
    } catch (cause) {
      await postEphemeral(channel, userId, message, threadTs).catch((error: unknown) => {
        log.error({ err: error, cause }, 'could not deliver an answer');
      });
    }
  };
}
