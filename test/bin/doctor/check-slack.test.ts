import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { checkSlack } from '../../../bin/doctor/check-slack.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { listen } from '../../../local/port.ts';
import { readPolicy } from '../../../src/policy/policy-source.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

/** What the doctor says to fix when everything that Slack is asked gets this answer. */
async function fixes(status: number, body: string, headers: Record<string, string> = {}) {
  server = createServer((_request, response) => response.writeHead(status, headers).end(body));
  const slackApiUrl = `http://127.0.0.1:${await listen(server)}/api/`;
  const variables = { operators: [], approvers: [], twoPersonAboveCents: 0, serviceZone: 'UTC', policyFile: null };
  const channels = { fallback: 'C0' } as Parameters<typeof checkSlack>[0]['config']['channels'];
  const config = { slackBotToken: 'xoxb-1', slackApiUrl, channels, policyFile: null };
  const report = createReport(() => {});
  await checkSlack({ config, policy: readPolicy(variables), timeoutMs: 5000 }, report);
  return report.findings.map(({ what, todo }) => `${what} → ${todo}`);
}
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
