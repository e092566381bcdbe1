import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startRedis } from '../../../local/redis.ts';
import { stateKey } from '../../../src/core/keys.ts';
import recordedEvents from '../../fixtures/slack/events.json' with { type: 'json' };
import recordedInteractions from '../../fixtures/slack/interactions.json' with { type: 'json' };
import { filled, form, type SlackSide, startSlackSide } from '../../support/slack-side.ts';
import { until } from '../../support/until.ts';

let slack: SlackSide;

beforeAll(async () => {
  slack = await startSlackSide();
});
beforeEach(() => {
  slack.lines.length = 0;
  slack.calls.length = 0;
});
afterAll(() => slack.stop());

const errors = () => slack.lines.filter(({ level }) => level === 'error' || level === 'fatal');

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
    const answer = await slack.deliverEvent({
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
  const answer = await slack.deliverEvent(body);

  expect(answer.status).toBe(200);
  expect(errors()).toEqual([]);
});

it('answers the URL verification with its challenge', async () => {
  const answer = await slack.deliverEvent({ type: 'url_verification', token: '', challenge: 'c1' });

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
    const body = filled(recorded, slack.responseUrl);

    const { status, answer } = await slack.deliverInteraction(body);

    expect(status).toBe(200);
    if (body['type'] === 'view_submission') expect(answer).toMatch(inWords);
    else if (String(body['type']).endsWith('suggestion')) expect(JSON.parse(answer)).toEqual({ options: [] });
    else expect(answer).toBe('');
    if (asked.includes(String(body['type']))) {
      await until(() => slack.calls.some((call) => inWords.test(call.body)), 'the person gets a message');
    }
    expect(errors()).toEqual([]);
  });

  it.each(Object.entries(recordedInteractions.interactions).filter(([, body]) => 'event' in body))(
    '%s is an event and is answered at once',
    async (_name, body) => {
      const { status } = await slack.deliverEvent(body);

      expect(status).toBe(200);
      expect(errors()).toEqual([]);
    },
  );

  it('a click in App Home, which has no channel and no response_url, is answered in a direct message', async () => {
    const container = { type: 'view', view_id: 'V1' };
    const actions = [{ type: 'button', action_id: 'gone', block_id: 'b', value: 'v', action_ts: '1.1' }];
    const body = { type: 'block_actions', user: { id: 'U1', team_id: 'T1' }, team: { id: 'T1' }, container, actions };

    const { status } = await slack.deliverInteraction({ ...body, trigger_id: '1.2.x', api_app_id: 'A1', token: 't' });

    expect(status).toBe(200);
    await until(
      () => slack.calls.some((call) => call.path.endsWith('chat.postMessage') && inWords.test(call.body)),
      'the person gets a message',
    );
    expect(errors()).toEqual([]);
  });
});

it.each([
  ['null', 'null', 'application/json'],
  ['null with spaces', ' null\n', 'application/json; charset=utf-8'],
  ['null in a form', 'payload=null', form],
  ['null in an encoded form', 'token=x&payload=%6Eull', `${form}; charset=utf-8`],
  ['a list', '[{"type":"block_actions"}]', 'application/json'],
  ['a text in a form', 'payload="block_actions"', form],
])('rejects a signed delivery that is %s, because Bolt reads it as an object', async (_what, body, type) => {
  expect((await slack.deliver(body, type)).status).toBe(400);
  expect((await slack.deliverEvent({ type: 'url_verification', token: '', challenge: 'c1' })).status).toBe(200);
});

describe('a signed delivery that Slack would never send', () => {
  const click = { type: 'block_actions', team: { id: 'T1' }, user: { id: 'U00000007' }, trigger_id: '1.2.x' };
  it.each([
    ['an event that is null', { type: 'event_callback', event: null }],
    ['an event whose channel is null', { type: 'event_callback', event: { type: 'message', channel: null } }],
    ['a click without a user', { ...click, user: undefined, actions: [{ action_id: 'block_card' }] }],
    ['a click whose actions are null', { ...click, actions: null }],
    ['a form without its content', { ...click, type: 'view_submission' }],
    ['a shortcut without a user', { type: 'shortcut', callback_id: 'card_command', team: null }],
    ['a suggestion without a user', { type: 'block_suggestion', action_id: 'pick_card', value: 'x' }],
  ])('%s is acknowledged and logged', async (_what, body) => {
    const { status } = await ('event' in body ? slack.deliverEvent(body) : slack.deliverInteraction(body));

    expect(status).toBe(200);
    // It may be answered before it is logged.
    const message = 'could not read a Slack payload';
    await until(() => slack.lines.some(({ msg }) => msg === message), 'it is logged');
    expect(slack.lines).toContainEqual(expect.objectContaining({ level: 'warn', msg: message, type: body.type }));
    expect(errors()).toEqual([]);
  });

  it('tells the person, if it names one', async () => {
    await slack.deliverInteraction({ ...click, actions: null });

    await until(() => slack.calls.some(({ body }) => inWords.test(body)), 'the person gets a message');
  });
});

it('reads a form whose content type names a charset', async () => {
  const fields = {
    command: '/gone',
    user_id: 'U00000000',
    channel_id: 'C00000000',
    response_url: slack.responseUrl,
  };
  const { status } = await slack.deliver(new URLSearchParams(fields).toString(), `${form}; charset=UTF-8`);

  expect(status).toBe(200);
  await until(() => slack.calls.some(({ path }) => path === '/respond'), 'the person is answered');
});

it('rejects a body of more than 512 KB, even without a declared length', async () => {
  const body = new TextEncoder().encode('a'.repeat(512 * 1024 + 1));
  const unannounced = new ReadableStream({
    start(controller) {
      controller.enqueue(body);
      controller.close();
    },
  });
  const headers = { 'content-type': form, ...slack.signed('a') };
  const request = { method: 'POST', headers, body: unannounced, duplex: 'half' } as const;

  const { status } = await fetch(slack.url, request);

  expect(status).toBe(413);
});

it('reads a command without any text as one without words', async () => {
  const fields = { user_id: 'U00000000', team_id: 'T00000000', channel_id: 'C00000000', trigger_id: '1.2.x' };

  const { status } = await slack.deliverCommand({ ...fields, command: '/card-block', response_url: slack.responseUrl });

  expect(status).toBe(200);
  await until(() => slack.calls.some(({ body }) => /Which card should I block/.test(body)), 'the person is asked');
  expect(errors()).toEqual([]);
});

it('answers an unknown command with a message', async () => {
  const command = filled(recordedInteractions.interactions['SlashCommand'], slack.responseUrl) as Record<
    string,
    string
  >;

  const { status } = await slack.deliverCommand({ ...command, command: '/gone' });

  expect(status).toBe(200);
  await until(
    () => slack.calls.some(({ body }) => /does not have this command/.test(body)),
    'the person gets a message',
  );
  expect(errors()).toEqual([]);
});

it('reports a failing listener as a failure, not as an unknown control', async () => {
  // A menu without a selection, which Slack does not send today.
  const actions = [{ type: 'static_select', action_id: 'block_tested_card', block_id: 'b', action_ts: '1.1' }];
  const body = { type: 'block_actions', user: { id: 'U1' }, actions, response_url: slack.responseUrl };

  await slack.deliverInteraction({ ...body, team: { id: 'T1' }, trigger_id: '1.2.x' }).catch(() => undefined);

  await until(
    () => slack.calls.some(({ body: sent }) => /can’t take this right now/.test(sent)),
    'the person gets a message',
  );
  expect(errors().map(({ msg }) => msg)).toContain('a listener failed');
  expect(slack.calls.some(({ body: sent }) => /another version/.test(sent))).toBe(false);
});

it('logs why a delivery could not be handled, and answers 500 so that Slack tries again', async () => {
  const side = await startSlackSide({ PROGRAMS: 'eu', EU_SLACK_COMMAND: '/card-eu' });
  const store = new Redis(side.redis.url);
  await store.set(stateKey('home-programs'), 'not a hash');

  const answer = await side.deliverEvent({
    type: 'event_callback',
    event: { type: 'app_home_opened', user: 'U00000001', channel: 'D1', tab: 'home' },
  });
  store.disconnect();
  await side.stop();

  expect(answer.status).toBe(500);
  const logged = side.lines.find(({ msg }) => msg === 'could not handle a request of Slack');
  expect(logged?.err?.message).toContain('WRONGTYPE');
});

describe('while Redis is away', () => {
  const unreachable = /can’t take this right now/;
  const who = { user: { id: 'U00000003', team_id: 'T1' }, team: { id: 'T1' }, trigger_id: '1.2.x', api_app_id: 'A1' };
  const view = { id: 'V1', hash: '1.h', private_metadata: 'p_1', type: 'modal', blocks: [] };
  const pressed = { type: 'button', block_id: 'b', value: 'p_2', action_ts: '1.1' };
  const values = { words: { words: { type: 'plain_text_input', value: 'block 4242 my pin is 1234' } } };
  const deliveries: [string, object][] = [
    [
      'a click in a form',
      { ...who, type: 'block_actions', view, actions: [{ ...pressed, action_id: 'picked_block' }] },
    ],
    [
      'a submitted form',
      { ...who, type: 'view_submission', view: { ...view, callback_id: 'card_command', state: { values } } },
    ],
  ];
  let side: SlackSide;
  beforeAll(async () => {
    side = await startSlackSide();
    await side.redis.kill();
  });
  afterAll(async () => {
    const { port, folder } = side.redis;
    // A process that stops waits for Redis.
    const again = await startRedis({ port, folder });
    await side.stop();
    await again.stop();
  });

  it.each(deliveries)('%s, which has no response_url, is answered in a direct message', async (_what, body) => {
    side.calls.length = 0;

    const { status } = await side.deliverInteraction(body);

    expect(status).toBe(200);
    const isDirect = ({ path, body: sent }: (typeof side.calls)[0]) =>
      path.endsWith('chat.postMessage') && unreachable.test(sent);
    await until(() => side.calls.some(isDirect), 'the person gets a message');
    expect(side.calls.filter(isDirect)).toHaveLength(1);
  });
});
