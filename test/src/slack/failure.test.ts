import webApi from '@slack/web-api';
import { expect, it } from 'vitest';
import type { SlackError } from '../../../src/core/errors.ts';
import { createSlackCall } from '../../../src/slack/failure.ts';

const { WebAPIHTTPError, WebAPIPlatformError, WebAPIRateLimitedError } = webApi;

const refusal = (error: string) => new WebAPIPlatformError({ ok: false, error });
const status = (code: number) => new WebAPIHTTPError(code, '', {});

async function failureOf(method: string, thrown: Error): Promise<SlackError> {
  const failed = createSlackCall()(method, () => Promise.reject(thrown));
  return await failed.then(
    () => expect.fail('the call should have failed'),
    (error: SlackError) => error,
  );
}

it.each<[string, string, Error, SlackError['code']]>([
  ['a rate limit', 'chat.postMessage', new WebAPIRateLimitedError(3), 'rate_limited'],
  ['a revoked token', 'chat.postMessage', refusal('token_revoked'), 'app_refused'],
  ['an archived channel', 'chat.postMessage', refusal('is_archived'), 'channel_unusable'],
  ['an edit in an archived channel', 'chat.update', refusal('is_inactive'), 'channel_unusable'],
  ['a block that Slack rejects', 'chat.postMessage', refusal('invalid_blocks'), 'refused'],
  ['an unknown code for a post', 'chat.postMessage', refusal('workspace_is_moving'), 'app_refused'],
  ['the same code for another call', 'views.open', refusal('workspace_is_moving'), 'refused'],
  ['an internal error', 'chat.postMessage', refusal('internal_error'), 'unknown'],
  ['a server error', 'chat.update', status(503), 'unknown'],
  ['a proxy that forbids an update', 'chat.update', status(403), 'refused'],
  ['a broken connection', 'chat.postMessage', new Error('socket hang up'), 'unknown'],
])('%s in %s maps to what the caller has to do', async (_what, method, thrown, code) => {
  expect((await failureOf(method, thrown)).code).toBe(code);
});

it('waits at least a second after a rate limit, even if Slack asks for less', async () => {
  expect((await failureOf('chat.update', new WebAPIRateLimitedError(0))).retryAfterMs).toBe(1000);
  expect((await failureOf('chat.update', new WebAPIRateLimitedError(7))).retryAfterMs).toBe(7000);
});

it('reports each call with its outcome', async () => {
  const reported: string[] = [];
  const call = createSlackCall((method, outcome) => reported.push(`${method} ${outcome}`));

  await call('auth.test', async () => 'yes');
  await call('chat.update', () => Promise.reject(refusal('is_archived'))).catch(() => {});
  await call('auth.test', () => Promise.reject(refusal('token_revoked'))).catch(() => {});

  // The runbook knows the last one by this name.
  expect(reported).toEqual(['auth.test ok', 'chat.update channel_unusable', 'auth.test token_dead']);
});
