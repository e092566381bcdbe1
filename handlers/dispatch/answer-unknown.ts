import type { ListenerDeps } from '../../src/app/compose-web.ts';
import type { AnswerUnknown } from '../../src/slack/app.ts';
import { tooMany, tooManyForm, unknownControl, unknownForm } from '../../templates/dispatch/unknown.ts';
import { createNotify } from './interaction.ts';

/** Payload types that a person triggered and expects an answer to. Slack sends all other types for the app only. */
const asked: Readonly<Record<string, 'button' | 'shortcut'>> = {
  block_actions: 'button',
  interactive_message: 'button',
  dialog_submission: 'button',
  workflow_step_edit: 'shortcut',
  message_action: 'shortcut',
  shortcut: 'shortcut',
};

/**
 * Acknowledges payloads that have no listener and notifies the person. A message can be older than this version of
 * Cardbell, and the app's settings in Slack can be newer.
 */
export function answerUnknown(tools: Pick<ListenerDeps, 'respond' | 'postEphemeral' | 'log'>): AnswerUnknown {
  return async function answer(body, ack) {
    const { type, command } = body;
    if (type === 'block_suggestion' || type === 'dialog_suggestion') return await ack({ options: [] });
    if (type === 'view_submission') return await ack({ response_action: 'update', view: unknownForm() });
    await ack();
    tools.log.warn({ type, control: controlOf(body) }, 'no listener for a Slack payload');
    const what = typeof command === 'string' ? 'command' : asked[String(type)];
    const userId = idOf(body['user']) ?? textOf(body['user_id']);
    if (what === undefined || userId === undefined) return;
    const channel = idOf(body['channel']) ?? textOf(body['channel_id']) ?? userId;
    await createNotify(textOf(body['response_url']), { channel, userId }, tools)(unknownControl(what));
  };
}

/**
 * Answers someone who sends far more requests than a person would, without looking anything up. Uses the response to
 * the delivery itself where Slack allows it, so it costs no API call. A button press is only acknowledged.
 */
export function answerTooMany(log: ListenerDeps['log']): AnswerUnknown {
  return async function answer(body, ack) {
    log.warn({ userId: idOf(body['user']) ?? textOf(body['user_id']) }, 'too many requests from one user');
    if (typeof body['command'] === 'string') return await ack({ response_type: 'ephemeral', ...tooMany() });
    if (body['type'] === 'view_submission') return await ack({ response_action: 'push', view: tooManyForm() });
    await ack();
  };
}

/** The control's id in the app's own tables. These ids contain no card data. */
function controlOf(body: Record<string, unknown>): string | undefined {
  const [action] = Array.isArray(body['actions']) ? (body['actions'] as unknown[]) : [];
  const { action_id } = (action ?? {}) as { action_id?: unknown };
  return textOf(action_id) ?? textOf(body['callback_id']) ?? textOf(body['command']);
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && 'id' in value ? textOf(value.id) : undefined;
}

/** Slack sends empty strings for missing values. */
function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
