import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FaultKind, Workspace } from '../../workspace/server.ts';
import { until } from '../support/until.ts';
import { type Clock, call, clientFor, createClock, openWorkspace } from './local-workspace.ts';

let workspace: Workspace;
let clock: Clock;
beforeEach(async () => {
  clock = createClock();
  workspace = await openWorkspace({ enforceRateLimits: true, now: clock.now });
});
afterEach(async () => await workspace.stop());

const post = async (channel = 'C1') => await call(workspace, 'chat.postMessage', { channel, text: 'a' });

describe('the rate limit of a channel', () => {
  it('is one message a second, then 429 with Retry-After', async () => {
    expect((await post()).status).toBe(200);
    const refused = await post();
    clock.advance(999);
    const stillRefused = await post();
    clock.advance(1);
    const accepted = await post();

    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('1');
    expect(refused.body).toEqual({ ok: false, error: 'ratelimited' });
    expect(stillRefused.status).toBe(429);
    expect(accepted.status).toBe(200);
    expect(workspace.messages('C1')).toHaveLength(2);
  });

  it('is counted separately per channel', async () => {
    expect([(await post('C1')).status, (await post('C5')).status, (await post('#cards')).status]).toEqual([
      200, 200, 429,
    ]);
  });

  it('allows the configured burst', async () => {
    await workspace.stop();
    workspace = await openWorkspace({ enforceRateLimits: true, now: clock.now, burst: 3, postsPerSecond: 0.5 });

    const statuses = [];
    for (let index = 0; index < 4; index += 1) statuses.push(await post());

    expect(statuses.map(({ status }) => status)).toEqual([200, 200, 200, 429]);
    expect(statuses.at(-1)?.headers.get('retry-after')).toBe('2');
  });

  it('reaches Slack’s own client as a rate-limit error', async () => {
    const client = clientFor(workspace);
    await client.chat.postMessage({ channel: 'C1', text: 'a' });

    await expect(client.chat.postMessage({ channel: 'C1', text: 'b' })).rejects.toMatchObject({ retryAfter: 1 });
  });
});

it.each([
  ['usergroups.list', 20],
  ['conversations.info', 50],
  ['users.info', 100],
])('%s may be called %i times a minute', async (method, times) => {
  const one = async () => (await call(workspace, method, { channel: 'C1', user: 'U1' })).status;

  for (let index = 0; index < times; index += 1) expect(await one()).toBe(200);
  expect(await one()).toBe(429);

  clock.advance(60_000 / times);
  expect(await one()).toBe(200);
  expect(await one()).toBe(429);
});

const FAULTS: [FaultKind, { accepted: boolean; status: number }][] = [
  ['http_500', { accepted: false, status: 500 }],
  ['http_500_after_accept', { accepted: true, status: 500 }],
  ['hang_up', { accepted: false, status: 0 }],
  ['hang_up_after_accept', { accepted: true, status: 0 }],
  ['rate_limited', { accepted: false, status: 429 }],
  ['slow', { accepted: true, status: 200 }],
  ['error', { accepted: false, status: 200 }],
];

describe('a fault', () => {
  it.each(FAULTS)('%s occurs once, with or without effect', async (kind, { accepted, status }) => {
    workspace.faults.add({ method: 'chat.postMessage', kind, ms: 5, retryAfterSeconds: 7 });

    const answer = await post().catch(() => undefined);

    expect(answer?.status ?? 0).toBe(status);
    expect(workspace.messages('C1')).toHaveLength(accepted ? 1 : 0);
    expect(workspace.calls[0]).toMatchObject({ accepted, status, responded: status !== 0 });
    if (kind === 'rate_limited') expect(answer?.headers.get('retry-after')).toBe('7');
    clock.advance(1000);
    expect((await post()).body.ok).toBe(true);
  });

  it.each([
    ['timeout', 0],
    ['timeout_after_accept', 1],
  ] as const)('%s leaves the caller waiting', async (kind, posted) => {
    workspace.faults.add({ method: /^chat\./, kind });
    let isAnswered = false;
    const end = (): void => {
      isAnswered = true;
    };

    clientFor(workspace).chat.postMessage({ channel: 'C1', text: 'a' }).then(end, end);

    await until(() => workspace.calls.length === 1, 'the call arrives');
    await call(workspace, 'auth.test');
    expect(isAnswered, 'a later call is answered, this one is not').toBe(false);
    expect(workspace.messages('C1')).toHaveLength(posted);
    expect(workspace.calls[0]).toMatchObject({ responded: false, accepted: posted === 1 });
  });

  it('can be a given error, for a number of times, for a pattern, until cleared', async () => {
    workspace.faults.add({ method: /^chat\./g, kind: 'error', error: 'fatal_error', times: 2 });

    const errors = [(await post()).body.error, (await post()).body.error, (await post()).body.error];

    expect(errors).toEqual(['fatal_error', 'fatal_error', undefined]);
    workspace.faults.add({ method: '*', kind: 'http_500', times: Number.POSITIVE_INFINITY });
    expect((await call(workspace, 'auth.test')).status).toBe(500);
    workspace.faults.clear();
    expect((await call(workspace, 'auth.test')).status).toBe(200);
  });
});
