import { createServer, type Server } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { listen } from '../../../local/port.ts';
import { createSlackGuard, SLACK_BODY_MAX_BYTES } from '../../../src/slack/guard.ts';
import { watchContinue } from '../../../src/webhooks/http-server.ts';
import { head, openRaw, type RawConnection } from '../../support/raw-connection.ts';

const at = Date.parse('2026-11-20T15:00:00Z');
let server: Server | undefined;
let raw: RawConnection | undefined;

afterEach(async () => {
  raw?.close();
  await new Promise((resolve) => server?.close(resolve));
});

/** Sends request headers without the body. @returns the response, and the number of requests that reached Bolt. */
async function sent(headers: Record<string, string | number>, path = '/slack/events') {
  let passed = 0;
  const guard = createSlackGuard(
    (_request, response) => {
      passed += 1;
      response.writeHead(200).end();
    },
    () => at,
  );
  const open = createServer((request, response) => guard(request, response, false));
  server = open;
  watchContinue(open, (request, response, expectsContinue = false) => guard(request, response, expectsContinue));
  raw = await openRaw(await listen(open));
  raw.write(head(path, { 'content-length': 100, ...headers }));
  await raw.sees(/HTTP\/1\.1 [2345]/);
  return { passed, statuses: raw.statuses() };
}

const signed = { 'x-slack-signature': `v0=${'a'.repeat(64)}`, 'x-slack-request-timestamp': at / 1000 };

it('accepts a request with a fresh signature, and sends 100 Continue if expected', async () => {
  expect(await sent(signed)).toEqual({ passed: 1, statuses: [200] });
  raw?.close();
  await new Promise((resolve) => server?.close(resolve));
  expect((await sent({ ...signed, expect: '100-continue' })).passed).toBe(1);
});

it.each<[string, Record<string, string | number>, number]>([
  ['without a signature', { 'x-slack-request-timestamp': at / 1000 }, 401],
  ['with an invalid signature', { ...signed, 'x-slack-signature': 'v0=no' }, 401],
  ['without a timestamp', { 'x-slack-signature': signed['x-slack-signature'] }, 401],
  ['from six minutes ago', { ...signed, 'x-slack-request-timestamp': at / 1000 - 360 }, 401],
  ['from the future', { ...signed, 'x-slack-request-timestamp': at / 1000 + 360 }, 401],
  ['that waits for 100 Continue', { expect: '100-continue' }, 401],
  ['that declares more than Slack sends', { ...signed, 'content-length': SLACK_BODY_MAX_BYTES + 1 }, 413],
])('rejects a request %s before its body arrives', async (_what, headers, status) => {
  expect(await sent(headers)).toEqual({ passed: 0, statuses: [status] });
});

it.each([
  ['/elsewhere', {}],
  ['/', signed],
  ['//', { expect: '100-continue' }],
  ['/', { expect: '100-continue' }],
  ['/slack/events/', { ...signed, expect: '100-continue' }],
])('answers %s with %j itself with 404, because Bolt would throw and end the process', async (path, headers) => {
  expect(await sent(headers, path)).toEqual({ passed: 0, statuses: [404] });
});
