import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from './api-error.ts';
import { type Answer, answerCall } from './call.ts';
import type { Core } from './core.ts';
import { readArguments } from './http-body.ts';
import { type Json, text } from './json.ts';
import type { StoredMessage } from './message.ts';
import { addMessage, appAuthor, changeMessage, findMessage, removeMessage } from './messages.ts';
import { toContent } from './methods/chat.ts';
import type { ResponseTarget } from './response-url.ts';

function originalOf(core: Core, target: ResponseTarget): StoredMessage | undefined {
  if (!target.original) return undefined;
  const { ts, ephemeral } = target.original;
  if (!ephemeral) return findMessage(core, target.channel, ts);
  return core.state.ephemerals.find((message) => message.ts === ts && message.ephemeralUser === target.user);
}

/**
 * Handles what an app sends to a response URL, or in its answer to a slash command.
 *
 * Unlike `chat.postMessage` it works in channels without the app. Throws `ApiError` for what Slack refuses.
 */
export function applyResponse(core: Core, target: ResponseTarget, body: Json) {
  const original = originalOf(core, target);
  if (body.delete_original === true || body.delete_original === 'true') {
    if (!original) throw new ApiError('message_not_found');
    return removeMessage(core, original);
  }
  const content = toContent(body);
  if ((body.replace_original === true || body.replace_original === 'true') && original) {
    return changeMessage(core, original, content);
  }
  const thread = text(body.thread_ts) ?? target.thread_ts;
  const ephemeral = body.response_type !== 'in_channel';
  const author = {
    ...appAuthor(core),
    ...(thread ? { thread_ts: thread } : {}),
    ...(ephemeral ? { ephemeralUser: target.user } : {}),
  };
  const message = addMessage(core, target.channel, author, content);
  // A command has no message to replace until its first answer created one.
  target.original ??= { ts: message.ts, ephemeral };
}

function use(core: Core, path: string, body: Json | undefined): Answer {
  const target = core.responseUrls.find(path);
  if (typeof target === 'string') return { status: 404, body: { ok: false, error: target } };
  if (!body) return { status: 400, body: { ok: false, error: 'invalid_payload' } };
  try {
    applyResponse(core, target, body);
  } catch (error) {
    if (error instanceof ApiError) return { status: 400, body: error.body() };
    throw error;
  }
  core.responseUrls.use(path);
  return { status: 200, body: { ok: true } };
}

/** Answers a POST to a response URL. Counts as method `response_url` for faults and in the list of calls. */
export async function handleResponseUrl(core: Core, request: IncomingMessage, response: ServerResponse, url: URL) {
  const body = await readArguments(request, url);
  await answerCall(core, response, 'response_url', { ...body, url: url.pathname }, () => use(core, url.pathname, body));
}
