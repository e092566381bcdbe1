import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Change, Core } from './core.ts';
import type { Delivery } from './delivery.ts';
import { closeView, submitView } from './form.ts';
import { readArguments, sendJson } from './http-body.ts';
import { type ElementAddress, press, select, suggest } from './interaction.ts';
import { isRecord, type Json, record, text } from './json.ts';
import type { StoredMessage } from './message.ts';
import { command, openHome, say, shortcut } from './occurrence.ts';
import { membersOf } from './state.ts';
import { fileOnWire, viewOnWire } from './wire.ts';

const PAGE_MESSAGES_MAX = 300;

function messageForPage(core: Core, message: StoredMessage): Json {
  return { ...message, files: message.files?.map((id) => fileOnWire(core, id)) };
}

function modalOf(core: Core, user: string): Json | null {
  const stack = core.state.stacks.get(user) ?? [];
  const view = core.state.views.get(stack.at(-1) ?? '');
  return view ? { ...viewOnWire(core, view), depth: stack.length } : null;
}

function homeOf(core: Core, user: string): Json | null {
  const view = core.state.homes.get(user);
  return view ? viewOnWire(core, view) : null;
}

/** Everything that one person sees. */
function snapshot(core: Core, user: string): Json {
  const { state, identity } = core;
  const channels = [...state.channels.values()].filter((channel) => membersOf(state, identity, channel).includes(user));
  const messages = channels.flatMap((channel) => (state.messages.get(channel.id) ?? []).slice(-PAGE_MESSAGES_MAX));
  const own = state.ephemerals.filter((message) => message.ephemeralUser === user);
  return {
    team: { id: identity.teamId, name: identity.teamName },
    app: { name: identity.appName, userId: identity.botUserId, botId: identity.botId },
    users: [...state.users.values()],
    groups: [...state.groups.values()],
    commands: core.options.commands ?? [],
    messageShortcuts: core.options.messageShortcuts ?? [],
    globalShortcuts: core.options.globalShortcuts ?? [],
    channels: channels.map((channel) => ({
      ...channel,
      members: membersOf(state, identity, channel).length,
    })),
    messages: [...messages, ...own].map((message) => messageForPage(core, message)),
    modal: modalOf(core, user),
    home: homeOf(core, user),
  };
}

function changeFor(core: Core, user: string, change: Change): Json | undefined {
  switch (change.type) {
    case 'message': {
      const { message, kind } = change;
      if (message.ephemeralUser !== undefined && message.ephemeralUser !== user) return undefined;
      const channel = core.state.channels.get(message.channel);
      if (!channel || !membersOf(core.state, core.identity, channel).includes(user)) return undefined;
      return { type: 'message', kind, message: messageForPage(core, message) };
    }
    case 'modal':
      return change.user === user ? { type: 'modal', modal: modalOf(core, user) } : undefined;
    case 'home':
      return change.user === user ? { type: 'home', home: homeOf(core, user) } : undefined;
    default:
      return { type: change.type };
  }
}

function stream(core: Core, request: IncomingMessage, response: ServerResponse, user: string) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.write('retry: 500\n\n');
  const tell = (change: Change) => {
    const fields = changeFor(core, user, change);
    if (fields) response.write(`data: ${JSON.stringify(fields)}\n\n`);
  };
  core.changes.on('change', tell);
  request.on('close', () => core.changes.off('change', tell));
}

function address(args: Json): ElementAddress & { value?: string } {
  const message = record(args.message);
  const value = text(args.value);
  return {
    user: String(args.user),
    actionId: String(args.actionId),
    ...(text(args.blockId) === undefined ? {} : { blockId: String(args.blockId) }),
    ...(text(args.viewId) === undefined
      ? { message: { channel: String(message.channel), ts: String(message.ts) } }
      : { viewId: String(args.viewId) }),
    ...(isRecord(args.inputs) ? { inputs: args.inputs } : {}),
    ...(value === undefined ? {} : { value }),
  };
}

/** Actions of the page's POSTs, by the last part of their path. */
const DEEDS: Record<string, (core: Core, args: Json) => unknown> = {
  press: async (core, args) => await press(core, address(args)),
  select: async (core, args) => await select(core, { ...address(args), value: args.value }),
  suggest: async (core, args) => ({
    options: await suggest(core, { ...address(args), value: text(args.value) ?? '' }),
  }),
  submit: async (core, args) =>
    await submitView(core, { user: String(args.user), viewId: String(args.viewId), values: record(args.values) }),
  close: async (core, args) =>
    (await closeView(core, { user: String(args.user), viewId: String(args.viewId), all: args.all === true })) ?? {
      ok: true,
    },
  command: async (core, args) =>
    await command(core, {
      user: String(args.user),
      channel: String(args.channel),
      command: String(args.command),
      text: text(args.text) ?? '',
    }),
  say: (core, args) => {
    const threadTs = text(args.threadTs);
    const thread = threadTs === undefined ? {} : { threadTs };
    say(core, { user: String(args.user), channel: String(args.channel), text: String(args.text), ...thread });
    return { ok: true };
  },
  home: async (core, args) => await openHome(core, String(args.user)),
  shortcut: async (core, args) => {
    const { channel, ts } = record(args.message);
    const [place, time] = [text(channel), text(ts)];
    const message = place === undefined || time === undefined ? {} : { message: { channel: place, ts: time } };
    return await shortcut(core, { user: String(args.user), callbackId: String(args.callbackId), ...message });
  },
};

/** Requests that the page makes on its own, or while someone is only reading. */
const READING: ReadonlySet<string> = new Set(['suggest', 'close', 'home']);

function brief(outcome: unknown): unknown {
  if (!isRecord(outcome) || !('timedOut' in outcome)) return outcome;
  const { ok, status, error, errors, ms, timedOut } = outcome as unknown as Delivery;
  return { ok, status, error, errors, ms, timedOut };
}

/** Serves the page's own requests: what a user sees, what changes, and what the user does. */
export async function handlePage(core: Core, request: IncomingMessage, response: ServerResponse, url: URL) {
  const user = url.searchParams.get('user') ?? '';
  const deed = url.pathname.slice('/page/'.length);
  if (request.method === 'GET' && deed === 'state') return sendJson(response, 200, snapshot(core, user));
  if (request.method === 'GET' && deed === 'changes') return stream(core, request, response, user);
  const run = DEEDS[deed];
  // Only this page may act: other sites cannot send JSON here without a preflight, which is never allowed.
  const json = request.headers['content-type']?.startsWith('application/json');
  if (request.method !== 'POST' || !run || !json) return void response.writeHead(404).end();
  const args = await readArguments(request, url);
  if (!READING.has(deed)) core.options.onAct?.();
  try {
    sendJson(response, 200, brief(await run(core, args ?? {})));
  } catch (error) {
    sendJson(response, 200, { ok: false, error: error instanceof Error ? error.message : String(error) });
  }
}
