import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../../local/port.ts';
import { createSlack, type Slack } from '../../../src/slack/client.ts';
import { createSlackClock } from '../../../src/slack/clock.ts';
import { METADATA_TYPE } from '../../../src/slack/messages.ts';

let server: Server;
let slack: Slack;
/** The parameters of each history call, and how often Slack still refuses each page. */
let asked: URLSearchParams[] = [];
let refusals: number[] = [];

const page = (number: number): object => ({
  ok: true,
  messages: [
    {
      ts: `${number}.1`,
      metadata: { event_type: METADATA_TYPE, event_payload: { ref: number === 2 ? 'm_1' : 'm_0' } },
    },
  ],
  response_metadata: { next_cursor: number < 3 ? `page-${number + 1}` : '' },
});

beforeAll(async () => {
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const given = new URLSearchParams(body);
      asked.push(given);
      const number = Number((given.get('cursor') ?? 'page-1').slice('page-'.length));
      const left = refusals[number - 1] ?? 0;
      refusals[number - 1] = left - 1;
      response.statusCode = left > 0 ? 429 : 200;
      if (left > 0) response.setHeader('retry-after', '0');
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(left > 0 ? { ok: false, error: 'ratelimited' } : page(number)));
    });
  });
  const clock = createSlackClock();
  clock.hear('Fri, 20 Nov 2026 15:00:00 GMT');
  const apiUrl = `http://127.0.0.1:${await listen(server)}/api/`;
  slack = createSlack({ token: 'xoxb-messages-1', apiUrl, clock });
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
});

it('searches for a message between two moments, and does not restart the search after a rate limit', async () => {
  asked = [];
  refusals = [1, 2, 1];
  const sinceMs = Date.parse('2026-11-20T14:50:00Z');

  const found = await slack.findMessages({ channel: 'C1', threadTs: null, sinceMs });

  expect(found.map(({ ts, ref }) => [ts, ref])).toEqual([
    ['1.1', 'm_0'],
    ['2.1', 'm_1'],
    ['3.1', 'm_0'],
  ]);
  const [one, two, three] = [null, 'page-2', 'page-3'];
  expect(asked.map((given) => given.get('cursor'))).toEqual([one, one, two, two, two, three, three]);
  const bounds = new Set(asked.map((given) => `${given.get('oldest')} ${given.get('latest')}`));
  expect([...bounds], 'five minutes more on both sides, the same for all pages').toEqual([
    `${Date.parse('2026-11-20T14:45:00Z') / 1000} ${Date.parse('2026-11-20T15:05:00Z') / 1000}`,
  ]);
});
