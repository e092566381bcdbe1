import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type LocalRedis, startRedis } from '../../../local/redis.ts';
import { webConfig } from '../../../src/app/config.ts';
import { type RunningProcess, withAdmin } from '../../../src/app/run-process.ts';
import { startWeb } from '../../../src/app/web-process.ts';
import { createLog } from '../../../src/core/log.ts';
import { signedHeaders } from '../../../workspace/signature.ts';
import recordedEvents from '../../fixtures/slack/events.json' with { type: 'json' };
import recordedInteractions from '../../fixtures/slack/interactions.json' with { type: 'json' };
import { until } from '../../support/until.ts';

/** Bolt itself times out after 3001 ms, so any answer within this time is ours. */
const WITHIN_MS = 2500;
const SECRET = 'signing-secret-app-1';

let redis: LocalRedis;
/** Slack's side: the Web API, and the target of `response_url`. */
let slack: Server;
let slackUrl: string;
let running: RunningProcess;
let port: number;
const lines: { level: string; msg: string }[] = [];
const calls: { path: string; body: string }[] = [];

beforeAll(async () => {
  redis = await startRedis();
  slack = createServer((request, response) => {
    void text(request).then((body) => {
      // Web API calls are forms; answers over a response_url are JSON.
      calls.push({ path: request.url ?? '', body: decodeURIComponent(body.replaceAll('+', ' ')) });
      response.setHeader('content-type', 'application/json');
      response.end('{"ok":true,"channel":{"id":"D1"},"ts":"1.1","users":[]}');
    });
  });
  await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve));
  slackUrl = `http://127.0.0.1:${(slack.address() as AddressInfo).port}`;
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const config = webConfig({
    HOST: '127.0.0.1',
    PORT: '0',
    REDIS_URL: redis.url,
    SLACK_BOT_TOKEN: 'xoxb-app-1',
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_API_URL: `${slackUrl}/api/`,
    WEBHOOK_SHARED_SECRET: 'webhook-secret-app-1',
    ALERTS_CHANNEL: 'C0ALERTS',
    OPERATORS: 'U00000000',
    APPROVERS: 'U00000000',
  });
  const log = createLog({ level: 'debug', process: 'web', destination });
  running = await withAdmin('web', config, log, async (admin) => {
    const web = await startWeb([config], log, admin);
    port = web.port;
    return web;
  });
});
beforeEach(() => {
  lines.length = 0;
  calls.length = 0;
});
afterAll(async () => {
  await running.stop();
  await new Promise((resolve) => slack.close(resolve));
  await redis.stop();
});

/** Sends one request signed the way Slack does. */
async function deliver(body: string, type: string): Promise<{ status: number; answer: string }> {
  const headers = { 'content-type': type, ...signedHeaders(body, SECRET, Math.floor(Date.now() / 1000)) };
  const response = await fetch(`http://127.0.0.1:${port}/slack/events`, {
    method: 'POST',
    headers,
    body,
    signal: AbortSignal.timeout(WITHIN_MS),
  });
  return { status: response.status, answer: await response.text() };
}

const form = 'application/x-www-form-urlencoded';
const deliverEvent = (body: object) => deliver(JSON.stringify(body), 'application/json');
const deliverInteraction = (body: object) =>
  deliver(new URLSearchParams({ payload: JSON.stringify(body) }).toString(), form);
const deliverCommand = (fields: Record<string, string>) => deliver(new URLSearchParams(fields).toString(), form);

const errors = () => lines.filter(({ level }) => level === 'error' || level === 'fatal');

/**
 * The recordings contain only types instead of values. Fills in ids and our own URL, as if a person had caused the
 * event.
 */
function filled(recorded: object): Record<string, unknown> {
  const values: Readonly<Record<string, unknown>> = {
    response_url: `${slackUrl}/respond`,
    trigger_id: '111.222.xxx',
    action_ts: '1596530385.194939',
    callback_id: 'gone',
    action_id: 'gone',
    command: '/gone',
    user_id: 'U00000000',
    channel_id: 'C00000000',
  };
  const ids: Readonly<Record<string, string>> = { user: 'U00000000', channel: 'C00000000', team: 'T00000000' };
  const fill = (value: unknown, key: string, parent: string): unknown => {
    if (Array.isArray(value)) return value.map((element) => fill(element, key, parent));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, fill(inner, name, key)]));
    }
    if (key in values) return values[key];
    return key === 'id' ? (ids[parent] ?? value) : value;
  };
  return fill(recorded, '', '') as Record<string, unknown>;
}

/** The ways in which Slack leaves out parts without a value. */
const emptied: readonly (readonly [string, (value: unknown) => unknown])[] = [
  ['as recorded', (value) => value],
  ['with null for empty parts', (value) => (value === '' ? null : value)],
  ['without empty parts', (value) => (value === '' ? undefined : value)],
];

function replaced(value: unknown, by: (leaf: unknown) => unknown, isTop = true): unknown {
  if (Array.isArray(value)) return value.map((element) => replaced(element, by, false));
  if (typeof value !== 'object' || value === null) return by(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isTop || key === 'type' ? inner : replaced(inner, by, false)]),
  );
}

describe.each(emptied)('an event of Slack’s catalog, %s', (_how, by) => {
  it.each(Object.entries(recordedEvents.events))('%s is answered at once, without an error', async (_name, event) => {
    const answer = await deliverEvent({
      ...recordedEvents.envelope,
      type: 'event_callback',
      event: replaced(event, by),
    });

    expect(answer.status).toBe(200);
    expect(errors()).toEqual([]);
  });
});

it.each([
  [
    'a delivery rate limit',
    { type: 'app_rate_limited', token: '', team_id: 'T0', minute_rate_limited: 1, api_app_id: 'A0' },
  ],
  ['an unknown kind of delivery', { type: 'event_of_tomorrow', team_id: 'T0' }],
])('%s, which is not an event, is answered at once, without an error', async (_what, body) => {
  const answer = await deliverEvent(body);

  expect(answer.status).toBe(200);
  expect(errors()).toEqual([]);
});

it('answers the URL verification with its challenge', async () => {
  const answer = await deliverEvent({ type: 'url_verification', token: '', challenge: 'c1' });

  expect(answer).toEqual({ status: 200, answer: expect.stringContaining('c1') });
});

/**
 * Slack shows a warning next to a control that gets no 200. These kinds of deliveries come from a person, so they also
 * need a message.
 */
const inWords = /Not done.*Nothing changed/s;
const asked = [
  'block_actions',
  'interactive_message',
  'dialog_submission',
  'workflow_step_edit',
  'message_action',
  'shortcut',
];

describe('an interaction without a listener', () => {
  const interactions = Object.entries(recordedInteractions.interactions).filter(
    ([, body]) => !('event' in body) && !('command' in body),
  );

  it.each(interactions)('%s is answered at once, and the person gets a message', async (_name, recorded) => {
    const body = filled(recorded);

    const { status, answer } = await deliverInteraction(body);

    expect(status).toBe(200);
    if (body['type'] === 'view_submission') expect(answer).toMatch(inWords);
    else if (String(body['type']).endsWith('suggestion')) expect(JSON.parse(answer)).toEqual({ options: [] });
    else expect(answer).toBe('');
    if (asked.includes(String(body['type']))) {
      await until(() => calls.some((call) => inWords.test(call.body)), 'the person gets a message');
    }
    expect(errors()).toEqual([]);
  });

  it.each(Object.entries(recordedInteractions.interactions).filter(([, body]) => 'event' in body))(
    '%s is an event and is answered at once',
    async (_name, body) => {
      const { status } = await deliverEvent(body);

      expect(status).toBe(200);
      expect(errors()).toEqual([]);
    },
  );

  it('a click in App Home, which has no channel and no response_url, is answered in a direct message', async () => {
    const container = { type: 'view', view_id: 'V1' };
    const actions = [{ type: 'button', action_id: 'gone', block_id: 'b', value: 'v', action_ts: '1.1' }];
    const body = { type: 'block_actions', user: { id: 'U1', team_id: 'T1' }, team: { id: 'T1' }, container, actions };

    const { status } = await deliverInteraction({ ...body, trigger_id: '1.2.x', api_app_id: 'A1', token: 't' });

    expect(status).toBe(200);
    await until(
      () => calls.some((call) => call.path.endsWith('chat.postMessage') && inWords.test(call.body)),
      'the person gets a message',
    );
    expect(errors()).toEqual([]);
  });
});

it.each([
  ['JSON', 'null', 'application/json'],
  ['JSON with spaces', ' null\n', 'application/json; charset=utf-8'],
  ['a form', 'payload=null', form],
  ['an encoded form', 'token=x&payload=%6Eull', `${form}; charset=utf-8`],
])('rejects a signed delivery that is null as %s, because Bolt would end the process', async (_what, body, type) => {
  expect((await deliver(body, type)).status).toBe(400);
  expect((await deliverEvent({ type: 'url_verification', token: '', challenge: 'c1' })).status).toBe(200);
});

it('reads a form whose content type names a charset', async () => {
  const fields = {
    command: '/gone',
    user_id: 'U00000000',
    channel_id: 'C00000000',
    response_url: `${slackUrl}/respond`,
  };
  const { status } = await deliver(new URLSearchParams(fields).toString(), `${form}; charset=UTF-8`);

  expect(status).toBe(200);
  await until(() => calls.some(({ path }) => path === '/respond'), 'the person is answered');
});

it('rejects a body of more than 512 KB, even without a declared length', async () => {
  const body = new TextEncoder().encode('a'.repeat(512 * 1024 + 1));
  const unannounced = new ReadableStream({
    start(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
  const headers = { 'content-type': form, ...signedHeaders('a', SECRET, Math.floor(Date.now() / 1000)) };
  const request = { method: 'POST', headers, body: unannounced, duplex: 'half' } as const;

  const { status } = await fetch(`http://127.0.0.1:${port}/slack/events`, request);

  expect(status).toBe(413);
});

it('answers an unknown command with a message', async () => {
  const command = filled(recordedInteractions.interactions['SlashCommand']) as Record<string, string>;

  const { status } = await deliverCommand({ ...command, command: '/gone' });

  expect(status).toBe(200);
  await until(() => calls.some(({ body }) => /does not have this command/.test(body)), 'the person gets a message');
  expect(errors()).toEqual([]);
});

it('reports a failing listener as a failure, not as an unknown control', async () => {
  // A menu without a selection, which Slack does not send today.
  const actions = [{ type: 'static_select', action_id: 'block_tested_card', block_id: 'b', action_ts: '1.1' }];
  const body = { type: 'block_actions', user: { id: 'U1' }, actions, response_url: `${slackUrl}/respond` };

  await deliverInteraction({ ...body, team: { id: 'T1' }, trigger_id: '1.2.x' }).catch(() => undefined);

  await until(
    () => calls.some(({ body: sent }) => /can’t take this right now/.test(sent)),
    'the person gets a message',
  );
  expect(errors().map(({ msg }) => msg)).toContain('a listener failed');
  expect(calls.some(({ body: sent }) => /another version/.test(sent))).toBe(false);
});
