import type { IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from './api-error.ts';
import { jsonArg } from './arguments.ts';
import { type Answer, answerCall, tooMany } from './call.ts';
import type { Core } from './core.ts';
import { readArguments } from './http-body.ts';
import { type Json, records } from './json.ts';
import { findConversation } from './messages.ts';
import type { Method } from './methods/method.ts';
import { METHODS } from './methods/table.ts';

function tokenOf(request: IncomingMessage, args: Json): string | undefined {
  const header = /^Bearer\s+(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
  return header ?? (typeof args.token === 'string' && args.token !== '' ? args.token : undefined);
}

function authorize(core: Core, token: string | undefined, method: Method) {
  if (token === undefined) throw new ApiError('not_authed');
  if (token === core.options.appToken) throw new ApiError('not_allowed_token_type');
  if (token !== core.options.botToken) throw new ApiError('invalid_auth');
  if (core.state.revoked) throw new ApiError('token_revoked');
  const granted = core.options.scopes;
  if (!granted || !method.scopes || method.scopes.some((scope) => granted.includes(scope))) return;
  throw new ApiError('missing_scope', [], { needed: method.scopes.join(','), provided: granted.join(',') });
}

function refuseUnknownBlocks(core: Core, args: Json): void {
  if (core.state.unknownBlocks.size === 0) return;
  for (const { type } of records(jsonArg(args, 'blocks', 'invalid_blocks_format'))) {
    if (typeof type === 'string' && core.state.unknownBlocks.has(type))
      throw new ApiError('invalid_blocks', [`unsupported type: ${type}`]);
  }
}

/** Methods that post a message to a channel share that channel's rate limit. */
function postedChannel(core: Core, name: string, args: Json): string | undefined {
  const reference =
    name === 'chat.postMessage' ? args.channel : name === 'files.completeUploadExternal' ? args.channel_id : undefined;
  return typeof reference === 'string' ? findConversation(core, reference)?.id : undefined;
}

function openConnection(core: Core, token: string | undefined): Json {
  if (token === undefined) throw new ApiError('not_authed');
  if (token === core.options.botToken) throw new ApiError('not_allowed_token_type');
  if (token !== core.options.appToken) throw new ApiError('invalid_auth');
  return { url: core.socket.createAddress(core.origin) };
}

function run(core: Core, name: string, args: Json | undefined, token: string | undefined): Answer {
  try {
    if (args === undefined) throw new ApiError('invalid_json');
    if (name === 'api.test') return { status: 200, body: { ok: true, args } };
    if (name === 'apps.connections.open') return { status: 200, body: { ok: true, ...openConnection(core, token) } };
    const method = METHODS[name];
    if (!method) throw new ApiError('unknown_method', [], { req_method: name });
    authorize(core, token, method);
    refuseUnknownBlocks(core, args);
    const channel = postedChannel(core, name, args);
    const wait = method.tier ? core.limiter.takeMethod(name, method.tier) : 0;
    if (wait > 0) return tooMany(wait);
    const pause = channel ? core.limiter.takePost(channel) : 0;
    if (pause > 0) return tooMany(pause);
    return { status: 200, body: { ok: true, ...method.run(core, args) } };
  } catch (error) {
    if (error instanceof ApiError) return { status: 200, body: error.body() };
    throw error;
  }
}

/** Answers `POST /api/METHOD` like Slack's Web API. */
export async function handleApi(core: Core, request: IncomingMessage, response: ServerResponse, url: URL) {
  const name = url.pathname.slice('/api/'.length);
  const args = await readArguments(request, url);
  const token = tokenOf(request, args ?? {});
  await answerCall(core, response, name, args ?? {}, () => {
    const answer = run(core, name, args, token);
    const scopes = core.options.scopes;
    if (!scopes || token !== core.options.botToken) return answer;
    const accepted = METHODS[name]?.scopes?.join(',') ?? '';
    return {
      ...answer,
      headers: { ...answer.headers, 'x-oauth-scopes': scopes.join(','), 'x-accepted-oauth-scopes': accepted },
    };
  });
}
