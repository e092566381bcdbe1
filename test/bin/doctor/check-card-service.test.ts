import { createServer, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { checkCardService } from '../../../bin/doctor/check-card-service.ts';
import { createReport } from '../../../bin/doctor/report.ts';
import { listen } from '../../../local/port.ts';
import { workerConfig } from '../../../src/app/config.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

/** What the doctor finds when the card API answers each path with this status; null: not in time. */
async function findings(statusOf: (path: string) => number | null, timeoutMs = 10_000): Promise<string[]> {
  server = createServer(({ url = '' }, response) => {
    const status = statusOf(url);
    if (status !== null) response.writeHead(status, { 'content-type': 'application/json' }).end('{}');
  });
  const config = workerConfig({
    SLACK_BOT_TOKEN: 'xoxb-1',
    ALERTS_CHANNEL: 'C0',
    CARD_API_URL: `http://127.0.0.1:${await listen(server)}/v4`,
    CARD_API_TOKEN: 'a-card-api-token',
  });
  const report = createReport(() => {});
  await checkCardService(config, report, timeoutMs);
  server.closeAllConnections();
  return report.findings.map(({ what, todo }) => (todo === null ? what : `${what} → ${todo}`));
}

const newToken = / → Create a new token and set CARD_API_TOKEN/;
const again = / → try again; if it stays, ask whoever runs the card service$/;

it.each<[string, number | null, RegExp]>([
  ['401', 401, newToken],
  ['429', 429, again],
  ['500', 500, again],
  ['503', 503, again],
  ['404', 404, / → correct CARD_API_URL/],
  ['nothing', null, / → correct CARD_API_URL/],
])('says what helps if the card API answers the first call with %s', async (_, status, todo) => {
  expect(await findings(() => status, status === null ? 300 : undefined)).toEqual([expect.stringMatching(todo)]);
});

it.each<[string, number | null, RegExp]>([
  ['401', 401, newToken],
  ['429', 429, again],
  ['500', 500, again],
  ['503', 503, again],
])('has a token replaced only if the card API refuses it: %s', async (_, status, todo) => {
  const found = await findings((path) => (path.endsWith('/ping') ? 200 : status));

  expect(found).toEqual(['the card API answers', expect.stringMatching(todo)]);
});

it.each([null, 400, 403])('does not doubt the address of a card API that has just answered: %s', async (status) => {
  const found = await findings((path) => (path.endsWith('/ping') ? 200 : status), status === null ? 1000 : undefined);

  expect(found).toEqual(['the card API answers', expect.stringMatching(again)]);
});
