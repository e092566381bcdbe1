import { createServer, type Server } from 'node:http';
import type { ModalView } from '@slack/types';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listen } from '../../../local/port.ts';
import { SlackError } from '../../../src/core/errors.ts';
import { createSlack, type MessageSearch, type Slack } from '../../../src/slack/client.ts';
import { METADATA_TYPE } from '../../../src/slack/messages.ts';
import recorded from '../../fixtures/slack/answers.json' with { type: 'json' };

type Method = keyof typeof recorded.answers;
type Answer = Record<string, unknown>;

let server: Server;
let slack: Slack;
let url: string;
/** Slack's answer to each method. `null`: a body that is not JSON. */
let answers: Partial<Record<string, Answer | null>> = {};
let asked: string[] = [];

beforeAll(async () => {
  // No call is to meet a connection that is being closed, however busy the machine is.
  server = createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
    const method = (request.url ?? '').slice('/api/'.length);
    request.resume();
    asked.push(method);
    const answer = answers[method];
    response.setHeader('content-type', 'application/json');
    response.setHeader('x-oauth-scopes', 'chat:write,commands');
    // At the upload URL Slack answers with a plain OK.
    response.end(
      answer === undefined
        ? 'OK'
        : answer === null
          ? '<html><a href="#">A link in a block of text</a></html>'
          : JSON.stringify(answer),
    );
  });
  url = `http://127.0.0.1:${await listen(server)}`;
  slack = createSlack({ token: 'xoxb-client-1', apiUrl: `${url}/api/` });
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

/** The recorded answer without the fields that only an error has. */
function taken(method: Method): Answer {
  const { error: _error, needed: _needed, provided: _provided, ...answer } = recorded.answers[method] as Answer;
  return { ...answer, ok: true };
}

/** The same answer with other leaf values, except `ok`. */
function withLeaves(value: unknown, leaf: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((element) => withLeaves(element, leaf));
  if (typeof value !== 'object' || value === null) return leaf(value);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === 'ok' ? inner : withLeaves(inner, leaf)]),
  );
}

/** The same answer with hundreds of unknown fields in every part. */
function withUnknown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withUnknown);
  if (typeof value !== 'object' || value === null) return value;
  const unknown = Array.from({ length: 300 }, (_, index) => [`x_${index}`, index % 2 === 0 ? '' : { deep: [null] }]);
  return {
    ...Object.fromEntries(unknown),
    ...Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withUnknown(inner)])),
  };
}

const empty = (value: unknown): unknown => (typeof value === 'string' ? '' : value);
const variants: readonly (readonly [string, (answer: Answer) => Answer])[] = [
  ['as recorded', (answer) => answer],
  ['with hundreds of unknown fields', (answer) => withUnknown(answer) as Answer],
  ['with all texts empty', (answer) => withLeaves(answer, empty) as Answer],
  ['with null for every value', (answer) => withLeaves(answer, () => null) as Answer],
  ['without any values', (answer) => withLeaves(answer, () => undefined) as Answer],
  [
    // Slack's SDK itself cannot read a `response_metadata` of null.
    'with null for every part',
    ({ ok, response_metadata: _sdk, ...rest }) => ({
      ok,
      ...Object.fromEntries(Object.keys(rest).map((key) => [key, null])),
    }),
  ],

  ['with nothing but ok', ({ ok }) => ({ ok })],
];

const search = (threadTs: string | null): MessageSearch => ({ channel: 'C1', threadTs, sinceMs: 0 });
const message = { text: 'a', blocks: [] };
const view: ModalView = { type: 'modal', title: { type: 'plain_text', text: 'a' }, blocks: [] };
const file = { id: 'F1', name: 'a.csv', title: 'a' };
const yesNo = expect.any(Boolean);
const words = expect.any(String);

/** Every Slack method that Cardbell uses: the methods called, the call, and the expected result of any answer. */
const calls: readonly (readonly [readonly Method[], (slack: Slack) => Promise<unknown>, unknown])[] = [
  [['auth.test'], (s) => s.authTest(), { team: words, url: words, scopes: ['chat:write', 'commands'] }],
  [['conversations.history'], (s) => s.findMessages(search(null)), expect.any(Array)],
  [['conversations.replies'], (s) => s.findMessages(search('1.1')), expect.any(Array)],
  [['chat.delete'], (s) => s.delete({ channel: 'C1', ts: '1.1' }), undefined],
  [['chat.update'], (s) => s.update({ channel: 'C1', ts: '1.1' }, message), undefined],
  [['chat.postEphemeral'], (s) => s.postEphemeral('C1', 'U1', message), undefined],
  [['files.completeUploadExternal'], (s) => s.shareFile('C1', file, 'a', null), undefined],
  [['views.open'], (s) => s.openView('1.2.x', view), { viewId: words, hash: words }],
  [['views.push'], (s) => s.pushView('1.2.x', view), { viewId: words, hash: words }],
  [['views.update'], (s) => s.updateView({ viewId: 'V1', hash: 'h' }, view), undefined],
  [['views.publish'], (s) => s.publishHome('U1', { type: 'home', blocks: [] }), undefined],
  [['conversations.open'], (s) => s.openDirect('U1'), expect.stringMatching(/^[UD]\w+$/)],
  [['usergroups.users.list'], (s) => s.groupMembers('S1'), expect.any(Array)],
  [
    ['users.info'],
    (s) => s.person('U1'),
    { name: null, email: null, isBot: yesNo, isGuest: yesNo, isExternal: yesNo, isDeactivated: yesNo },
  ],
  [
    ['conversations.info'],
    (s) => s.channelInfo('C1'),
    { isPrivate: yesNo, isExtShared: yesNo, isMember: yesNo, isArchived: yesNo, name: expect.stringMatching(/./) },
  ],
];

describe.each(variants)('Slack’s answer, %s', (_how, vary) => {
  it.each(calls.map(([methods, call, made]) => [methods.join(), call, made, methods] as const))(
    'to %s is read',
    async (_names, call, made, methods) => {
      answers = Object.fromEntries(methods.map((method) => [method, vary(taken(method))]));
      asked = [];

      expect(await call(slack)).toEqual(made);
      expect(asked).toEqual(methods);
    },
  );
});

describe('a posted message', () => {
  const recordedTs = taken('chat.postMessage')['ts'];

  it.each(variants.slice(0, 2))("is found again through Slack's answer, %s", async (_how, vary) => {
    answers = { 'chat.postMessage': vary(taken('chat.postMessage')) };

    expect(await slack.post('C1', message, 'm_1')).toEqual({ channel: 'C00000000', ts: recordedTs });
  });

  it.each(variants.slice(2))('may exist if the answer does not say where it is: %s', async (_how, vary) => {
    answers = { 'chat.postMessage': vary(taken('chat.postMessage')) };

    const failed = await slack.post('C1', message, 'm_1').catch((error: unknown) => error);

    expect(failed).toBeInstanceOf(SlackError);
    expect(failed).toMatchObject({ method: 'chat.postMessage', code: 'unknown' });
  });

  it('is found by its metadata among messages with other metadata or none', async () => {
    const [other] = (taken('conversations.history')['messages'] ?? []) as Answer[];
    const of = (event_payload: object) => ({ event_type: METADATA_TYPE, event_payload });
    const ours = { ...other, ts: '2.2', metadata: of({ ref: 'm_1' }) };
    const several = { ...other, ts: '2.3', metadata: of({ ref: 'm_2', marks: '0123456789abcdef' }) };
    const messages = [
      null,
      other,
      { ...other, metadata: null },
      { ...other, ts: '2.1', metadata: { event_type: METADATA_TYPE } },
      several,
      ours,
    ];
    answers = { 'conversations.history': { ...taken('conversations.history'), messages } };

    const found = await slack.findMessages(search(null));

    expect(found.slice(-3).map(({ ts, ref, marks }) => [ts, ref, marks])).toEqual([
      ['2.1', null, []],
      ['2.2', 'm_1', []],
      ['2.3', 'm_2', ['01234567', '89abcdef']],
    ]);
  });

  it('is found by the name of its file', async () => {
    const [other] = (taken('conversations.history')['messages'] ?? []) as Answer[];
    const [recordedFile] = (other?.['files'] ?? []) as Answer[];
    const ours = { ...other, ts: '2.2', files: [null, recordedFile, { ...recordedFile, name: 'a.csv' }] };
    const messages = [{ ...other, files: null }, { ...other, files: [null] }, ours];
    answers = { 'conversations.replies': { ...taken('conversations.replies'), messages } };

    const found = await slack.findMessages(search('1.1'));

    expect(found.filter(({ files }) => files.includes('a.csv')).map(({ ts }) => ts)).toEqual(['2.2']);
  });

  it.each([null, '', undefined])(
    'is not searched for on another page if the next cursor is %j',
    async (next_cursor) => {
      answers = { 'conversations.history': { ok: true, messages: [], response_metadata: { next_cursor } } };
      asked = [];

      expect(await slack.findMessages(search(null))).toEqual([]);
      expect(asked).toEqual(['conversations.history']);
    },
  );
});

describe('a file upload', () => {
  it.each(variants.slice(0, 2))("goes to the URL in Slack's answer, %s", async (_how, vary) => {
    answers = {
      'files.getUploadURLExternal': { ...vary(taken('files.getUploadURLExternal')), upload_url: `${url}/api/upload` },
    };
    asked = [];

    expect(await slack.uploadFile({ name: 'a.csv', title: 'a', content: 'x' })).toMatchObject({ id: 'F00000000' });
    expect(asked).toEqual(['files.getUploadURLExternal', 'upload']);
  });

  it.each(variants.slice(2))("fails if Slack's answer has no URL, %s", async (_how, vary) => {
    answers = { 'files.getUploadURLExternal': vary(taken('files.getUploadURLExternal')) };

    await expect(slack.uploadFile({ name: 'a.csv', title: 'a', content: 'x' })).rejects.toBeInstanceOf(SlackError);
  });
});

describe('a Slack user', () => {
  const person = (change: Answer): Answer => ({
    ok: true,
    user: { ...(taken('users.info')['user'] as Answer), ...change },
  });

  it.each([
    [{ profile: { email: ' ana@example.com ' }, is_email_confirmed: true }, 'ana@example.com'],
    [{ profile: { email: 'ana@example.com' }, is_email_confirmed: undefined }, 'ana@example.com'],
    [{ profile: { email: 'ana@example.com' }, is_email_confirmed: false }, null],
    [{ profile: { email: ' ' }, is_email_confirmed: true }, null],
    [{ profile: { email: null }, is_email_confirmed: true }, null],
    [{ profile: null, is_email_confirmed: true }, null],
  ])('has an email only if its owner confirmed it: %j', async (change, email) => {
    answers = { 'users.info': person(change) };

    expect(await slack.person('U1')).toMatchObject({ email });
  });

  it.each([
    [{ is_bot: true }, { isBot: true }],
    [{ is_restricted: true }, { isGuest: true }],
    [{ is_ultra_restricted: true }, { isGuest: true }],
    [{ is_stranger: true }, { isExternal: true }],
    [{ deleted: true }, { isDeactivated: true }],
  ])('%j means %j', async (change, made) => {
    answers = { 'users.info': person(change) };

    expect(await slack.person('U1')).toMatchObject(made);
  });

  it.each(['user_not_found', 'user_not_visible'])('is null after %s', async (error) => {
    answers = { 'users.info': { ok: false, error } };

    expect(await slack.person('U1')).toBe(null);
  });
});

const posting: (typeof calls)[number] = [['chat.postMessage'], (s) => s.post('C1', message, 'm_1'), undefined];

it.each([posting, ...calls].map(([methods, call]) => [methods[0], call] as const))(
  'an HTML page from a proxy in answer to %s leaves the outcome unknown',
  async (method, call) => {
    answers = { [String(method)]: null };

    await expect(call(slack)).rejects.toMatchObject({ code: 'unknown', slackError: 'no_json' });
  },
);

it('the reasons that Slack gives for a refusal are in the error, and the SDK prints none of them', async () => {
  const printed = (['debug', 'info', 'warn', 'error'] as const).map((level) => vi.spyOn(console, level));
  const messages = ['[ERROR] invalid additional property: foo', '[WARN] A Content-Type is missing'];
  answers = { 'views.publish': { ok: false, error: 'invalid_arguments', response_metadata: { messages } } };

  const failed = slack.publishHome('U1', { type: 'home', blocks: [] });

  await expect(failed).rejects.toMatchObject({ slackError: `invalid_arguments (${messages[0]})` });
  for (const print of printed) expect(print).not.toHaveBeenCalled();
  vi.restoreAllMocks();
});
