import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { checkSlack } from '../../../bin/doctor/check-slack.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { listen } from '../../../local/port.ts';
import { readPolicy } from '../../../src/policy/policy-source.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

interface Answer {
  readonly status?: number;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What the doctor finds when Slack answers this to each method. */
async function findings(answerTo: (method: string) => Answer, operators: readonly string[] = [], appToken?: string) {
  server = createServer(({ url = '' }, response) => {
    const {
      status = 200,
      body = json({ ok: true, ts: '1795184040.000100' }),
      headers = {},
    } = answerTo(url.replace('/api/', ''));
    response.writeHead(status, headers).end(body);
  });
  const slackApiUrl = `http://127.0.0.1:${await listen(server)}/api/`;
  const variables = { operators, approvers: [], twoPersonAboveCents: 0, serviceZone: 'UTC', policyFile: null };
  const channels = { fallback: 'C0' } as Parameters<typeof checkSlack>[0]['config']['channels'];
  const config = { slackBotToken: 'xoxb-1', slackApiUrl, channels, policyFile: null };
  const report = createReport(() => {});
  await checkSlack({ config, policy: readPolicy(variables), appToken, timeoutMs: 5000 }, report);
  return report.findings.map(({ what, todo }) => (todo === null ? what : `${what} → ${todo}`));
}

/** What the doctor says to fix when everything that Slack is asked gets this answer. */
const fixes = (status: number, body: string, headers: Record<string, string> = {}) =>
  findings(() => ({ status, body, headers }));
const json = (body: object): string => JSON.stringify(body);

describe('the doctor, when Slack does not accept the first call,', () => {
  it.each(['invalid_auth', 'token_revoked', 'account_inactive'])('blames the token for %s', async (error) => {
    expect(await fixes(200, json({ ok: false, error }))).toEqual([
      `the bot token does not work (${error}) → copy the bot token again from OAuth & Permissions`,
    ]);
  });

  it.each([
    ['502', 502, 'Bad Gateway', 'http_502'],
    ['a proxy’s 403', 403, 'Forbidden', 'http_403'],
    ['a page', 200, '<html>Log in</html>', 'no_json'],
    ['an error of Slack', 200, json({ ok: false, error: 'internal_error' }), 'internal_error'],
    ['too many requests', 429, '', 'ratelimited'],
  ] as const)('does not blame the token for %s', async (_, status, body, code) => {
    expect(await fixes(status, body, { 'retry-after': '30' })).toEqual([
      `Slack, or a proxy, answered ${code} → try again; if it stays, check HTTPS_PROXY and SLACK_API_URL`,
    ]);
  });
});

describe('the doctor, when Slack accepts the token, but', () => {
  const refusal = (error: string): Answer => ({ body: json({ ok: false, error }) });
  const channel = { name: 'alerts', is_member: true, is_private: true };
  const answers = (over: Readonly<Record<string, Answer>>) => (method: string) =>
    over[method] ?? (method === 'conversations.info' ? { body: json({ ok: true, channel }) } : {});
  const again = 'try again; if it stays, check HTTPS_PROXY and SLACK_API_URL';

  it.each<[string, string, Answer, RegExp]>([
    ['no such channel', 'conversations.info', refusal('channel_not_found'), /correct the id, or invite Cardbell/],
    [
      'a missing scope',
      'conversations.info',
      refusal('missing_scope'),
      /OAuth & Permissions and install the app again$/,
    ],
    [
      'too many requests',
      'conversations.info',
      { status: 429, headers: { 'retry-after': '30' } },
      /→ try again in a minute$/,
    ],
    ['no clear answer', 'chat.postMessage', { status: 502, body: 'Bad Gateway' }, /→ try again;/],
    ['a proxy’s refusal', 'chat.postMessage', { status: 403 }, /→ let the proxy or firewall pass Cardbell’s requests/],
    [
      'posting rules',
      'chat.postMessage',
      refusal('restricted_action'),
      /→ let Cardbell post in the channel \(its settings/,
    ],
    ['suspended posting', 'chat.postMessage', refusal('ekm_access_denied'), /→ ask a Slack administrator to allow/],
    ['another refusal', 'chat.postMessage', refusal('team_gone'), /→ look up team_gone in Slack’s documentation/],
  ])('%s keeps it from a channel, says what helps against that', async (_, method, answer, advice) => {
    const found = (await findings(answers({ [method]: answer }))).filter((text) => text.startsWith('channel C0'));

    expect(found).toEqual([expect.stringMatching(advice)]);
    if (!advice.source.includes('correct the id')) expect(found.join('')).not.toMatch(/correct the id|invite/);
  });

  it.each([
    ['for a second, tries again', 1, 1, 'can post in #alerts'],
    ['and again, says that it is busy', 1, 2, 'channel C0 is busy (ratelimited): Slack took no message there'],
    ['for long, says so at once', 30, 1, 'channel C0 is busy (ratelimited): Slack took no message there'],
  ])('takes no line in a channel that others write to %s', async (_how, seconds, times, expected) => {
    let refused = 0;
    const busy = { status: 429, headers: { 'retry-after': `${seconds}` } };
    const found = await findings((method) => {
      if (method !== 'chat.postMessage' || refused === times) return answers({})(method);
      refused += 1;
      return busy;
    });

    expect(found).toContain(expected);
    expect(found.join('\n')).not.toMatch(/cannot be used|try again/);
  });

  it('says why it refuses, prints nothing but the report', async () => {
    const print = vi.spyOn(console, 'error');
    const messages = ['[ERROR] must be more than 0 characters'];
    const refused = { body: json({ ok: false, error: 'invalid_blocks', response_metadata: { messages } }) };

    const found = await findings(answers({ 'chat.postMessage': refused, 'blocks.validate': refused }));

    expect(found).toContainEqual(
      expect.stringMatching(/^Slack refuses the messages of: .*must be more than 0 characters/),
    );
    expect(print).not.toHaveBeenCalled();
    vi.restoreAllMocks();
  });

  it('does not delete the line that was posted, says so, and that posting works', async () => {
    const found = await findings(answers({ 'chat.delete': refusal('compliance_exports_prevent_deletion') }));

    expect(found).toContain('can post in #alerts');
    expect(found).toContain('the line that was posted in #alerts is still there (compliance_exports_prevent_deletion)');
    expect(found.join('\n')).not.toMatch(/cannot be used/);
  });

  it('gives no clear answer about a person, does not blame the variable', async () => {
    const found = await findings(answers({ 'users.info': { status: 502, body: '' } }), ['U1']);

    expect(found).toContain(`OPERATORS: U1 cannot be looked up (http_502) → ${again}`);
  });

  it.each(['invalid_auth', 'not_allowed_token_type', 'missing_scope'])(
    'does not open a socket with the app token (%s), says what Socket Mode needs',
    async (error) => {
      const found = await findings(answers({ 'apps.connections.open': refusal(error) }), [], 'xapp-1');

      expect(found).toContainEqual(
        expect.stringMatching(
          `^SLACK_APP_TOKEN does not work .${error}. → turn on Socket Mode, and .* connections:write`,
        ),
      );
      expect(await findings(answers({}), [], 'xapp-1')).toContain('the token for Socket Mode works');
      expect((await findings(answers({}))).join()).not.toContain('Socket Mode');
    },
  );

  it.each<[string, Answer]>([
    ['http_502', { status: 502, body: 'Bad Gateway' }],
    ['ratelimited', { status: 429, headers: { 'retry-after': '30' } }],
    ['internal_error', refusal('internal_error')],
  ])('does not blame the app token for %s', async (code, answer) => {
    const found = await findings(answers({ 'apps.connections.open': answer }), [], 'xapp-1');

    expect(found.join('\n')).toMatch(/^Slack, or a proxy, .* → try again;/m);
    expect(found.join('\n'), code).not.toContain('SLACK_APP_TOKEN does not work');
  });
});
