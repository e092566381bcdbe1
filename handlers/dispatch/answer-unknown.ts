import type { ListenerDeps } from '../../src/app/compose-web.ts';
import type { AnswerUnknown } from '../../src/slack/app.ts';
import { tooMany, tooManyForm, unknownControl, unknownForm } from '../../templates/dispatch/unknown.ts';
import { unavailable } from '../../templates/policy/not-permitted.ts';
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

type Tools = Pick<ListenerDeps, 'respond' | 'postEphemeral' | 'log'>;

/**
 * Acknowledges payloads that have no listener and notifies the person. A message can be older than this version of
 * Cardbell, and the app's settings in Slack can be newer.
 */
export function answerUnknown(tools: Tools): AnswerUnknown {
  return async function answer(body, ack) {
    const { type, command } = body;
    if (type === 'block_suggestion' || type === 'dialog_suggestion') return await ack({ options: [] });
    if (type === 'view_submission') return await ack({ response_action: 'update', view: unknownForm() });
    await ack();
    tools.log.warn({ type, control: controlOf(body) }, 'no listener for a Slack payload');
    const what = typeof command === 'string' ? 'command' : asked[String(type)];
    if (what !== undefined) await notifyOf(body, tools)?.(unknownControl(what));
  };
}

/**
 * Tells a person that their click, form or command failed: do not leave them waiting for an answer. A form may be
 * closed by then, as after a success, and like a click in a form or in App Home it has no `response_url`.
 */
export function answerFailed(tools: Tools) {
  return async function answer(body: Record<string, unknown>): Promise<void> {
    const { type, command } = body;
    const isWaiting = typeof command === 'string' || type === 'view_submission' || asked[String(type)] !== undefined;
    if (isWaiting) await notifyOf(body, tools)?.(unavailable());
  };
}

/** Answers the person in the conversation that a payload came from, else directly. Undefined: it names nobody. */
function notifyOf(body: Record<string, unknown>, tools: Tools): ReturnType<typeof createNotify> | undefined {
  const userId = idOf(body['user']) ?? textOf(body['user_id']);
  if (userId === undefined) return undefined;
  const channel = idOf(body['channel']) ?? textOf(body['channel_id']) ?? userId;
  return createNotify(textOf(body['response_url']), { channel, userId }, tools);
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
