import type { AnswerUnknown } from '../../src/slack/app.ts';
import { tooMany, tooManyForm, unknownControl, unknownForm } from '../../templates/dispatch/unknown.ts';
import type { ListenerDeps } from '../deps.ts';
import { teller } from './interaction.ts';

/** What a person has asked for; all else that Slack delivers is told to Cardbell only. */
const asked: Readonly<Record<string, 'button' | 'shortcut'>> = {
  block_actions: 'button',
  interactive_message: 'button',
  dialog_submission: 'button',
  workflow_step_edit: 'shortcut',
  message_action: 'shortcut',
  shortcut: 'shortcut',
};

/**
 * Acknowledges what no listener takes, and tells the person what happened: a message can be older than this version of
 * Cardbell, and the app's settings at Slack can be newer.
 */
export function answerUnknown(tools: Pick<ListenerDeps, 'respond' | 'postEphemeral' | 'log'>): AnswerUnknown {
  return async function answer(body, ack) {
    const { type, command } = body;
    if (type === 'block_suggestion' || type === 'dialog_suggestion') return await ack({ options: [] });
    if (type === 'view_submission') return await ack({ response_action: 'update', view: unknownForm() });
    await ack();
    tools.log.warn({ type, control: controlOf(body) }, 'no listener for a delivery of Slack');
    const what = typeof command === 'string' ? 'command' : asked[String(type)];
    const userId = idOf(body['user']) ?? textOf(body['user_id']);
    if (what === undefined || userId === undefined) return;
    const channel = idOf(body['channel']) ?? textOf(body['channel_id']) ?? userId;
    await teller(textOf(body['response_url']), { channel, userId }, tools)(unknownControl(what));
  };
}

/**
 * Answers somebody who asks for more than anybody could mean: nothing is looked up for them. What Slack takes as the answer
 * to the delivery itself is used, so that it costs no call; a press on a button is only acknowledged.
 */
export function answerTooMany(log: ListenerDeps['log']): AnswerUnknown {
  return async function answer(body, ack) {
    log.warn({ userId: idOf(body['user']) ?? textOf(body['user_id']) }, 'somebody asks for too much at once');
    if (typeof body['command'] === 'string') return await ack({ response_type: 'ephemeral', ...tooMany() });
    if (body['type'] === 'view_submission') return await ack({ response_action: 'push', view: tooManyForm() });
    await ack();
  };
}

/** The id by which the app's own tables would know it; ids of controls hold nothing of a card. */
function controlOf(body: Record<string, unknown>): string | undefined {
  const [action] = Array.isArray(body['actions']) ? (body['actions'] as unknown[]) : [];
  const { action_id } = (action ?? {}) as { action_id?: unknown };
  return textOf(action_id) ?? textOf(body['callback_id']) ?? textOf(body['command']);
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'id' in value ? textOf(value.id) : undefined;
}

/** Slack also sends empty texts where it has nothing to say. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
