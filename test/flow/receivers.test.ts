import { Agent, request as createRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { webhookKinds } from '../../src/core/event.ts';
import { plantedSecretsIn, webhook } from '../fixtures/webhooks/webhook.ts';
import { basic, inbox, type RunningWeb, send, serviceHeaders, sharedSecret, startWeb } from '../support/running-web.ts';

const LARGEST = 256 * 1024;
let web: RunningWeb;

beforeAll(async () => {
  web = await startWeb();
});
afterAll(async () => {
  await web.stop();
});
beforeEach(async () => {
  await web.store.flushall();
});

const to = (path: string): string => `${web.url}/webhooks/${path}`;
const body = (name: string, data: Record<string, unknown> = {}): string => JSON.stringify(webhook(name, data));
const stored = (): Promise<number> => web.store.xlen(inbox);

/** An authentic webhook of exactly this many bytes. */
function bodyOf(bytes: number): string {
  const rest = bytes - Buffer.byteLength(body('decline', { Padding: '' }));
  return body('decline', { Padding: ' '.repeat(rest) });
}

describe('an authentic webhook', () => {
  it.each(webhookKinds)('of kind %s is redacted and stored before the 200', async (kind) => {
    const answer = await send(to(kind), { body: body(kind) });

    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const [[, [, entry]] = ['', []]] = await web.store.xrange(inbox, '-', '+');
    expect(JSON.parse(entry ?? '')).toMatchObject({ type: 'event', event: { kind } });
    expect(plantedSecretsIn(entry ?? '')).toEqual([]);
  });

  it('adds nothing when repeated, even with another path, other headers or the older sign convention', async () => {
    await send(to('settlement'), { body: body('settlement') });

    const again = [
      await send(to('settlement'), { body: body('settlement') }),
      await send(to('decline'), { body: body('settlement'), headers: { 'request-id': '|other.2.' } }),
      await send(to('settlement'), {
        body: body('settlement', { TransactionAmount: 84.1 }),
        headers: { 'x-service-version': '2.0.1.1' },
      }),
    ];

    expect(again.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stored()).toBe(1);
  });

  it('sent over twenty connections at once is stored once', async () => {
    const agents = Array.from({ length: 20 }, () => new Agent({ keepAlive: true, maxSockets: 1 }));

    const answers = await Promise.all(
      agents.flatMap((agent) =>
        Array.from({ length: 10 }, () => send(to('decline'), { body: body('decline'), agent })),
      ),
    );

    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    expect(await stored()).toBe(1);
    for (const agent of agents) agent.destroy();
  });

  it('that does not fit its schema gets 200 and is quarantined once, redacted', async () => {
    const bad = body('virtual-card', { Status: ['lots'] });

    const answers = [await send(to('virtual-card'), { body: bad }), await send(to('virtual-card'), { body: bad })];

    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const entries = await web.store.xrange(inbox, '-', '+');
    expect(entries).toHaveLength(1);
    const entry = entries[0]?.[1][1] ?? '';
    expect(JSON.parse(entry)).toMatchObject({ type: 'quarantine', webhook: { path: 'virtual-card' } });
    expect(plantedSecretsIn(entry)).toEqual([]);
  });

  it.each([
    ['no version', { 'x-service-version': undefined }],
    ['the content type without charset', { 'content-type': 'application/json' }],
    ['the content type in capitals', { 'content-type': 'APPLICATION/JSON ; CHARSET=UTF-8' }],
    ['the identity encoding', { 'content-encoding': 'identity' }],
    ['the scheme in lower case', { authorization: basic(sharedSecret).replace('Basic', 'basic') }],
  ])('is accepted with %s', async (_what, headers) => {
    expect((await send(to('decline'), { body: body('decline'), headers })).status).toBe(200);
    expect(await stored()).toBe(1);
  });

  it.each(['decline/', 'decline?source=test', 'decline/?a=b'])('is accepted at %s', async (path) => {
    expect((await send(to(path), { body: body('decline') })).status).toBe(200);
    expect(await stored()).toBe(1);
  });

  it('is accepted with a byte order mark, in chunks, and at exactly the maximum size', async () => {
    const largest = bodyOf(LARGEST);
    const pieces = largest.match(/[\s\S]{1,10000}/g) ?? [];

    expect((await send(to('decline'), { body: `\uFEFF${body('decline')}` })).status).toBe(200);
    expect((await send(to('decline'), { body: largest })).status).toBe(200);
    expect((await send(to('decline'), { chunks: pieces })).status).toBe(200);
    expect(Buffer.byteLength(largest)).toBe(LARGEST);
    expect(await stored()).toBe(1);
  });

  it('is accepted when the request line holds the whole address, as some proxies send it', async () => {
    const { hostname, port, href } = new URL(to('decline'));

    const status = await new Promise((resolve, reject) => {
      const request = createRequest({ hostname, port, path: href, method: 'POST', headers: serviceHeaders });
      request.once('response', (response) => resolve(response.statusCode)).once('error', reject);
      request.end(body('decline'));
    });

    expect(status).toBe(200);
    expect(await stored()).toBe(1);
  });

  it('is answered within a tenth of a second while Slack is down', async () => {
    const times: number[] = [];
    for (let id = 0; id < 20; id += 1) {
      times.push((await send(to('decline'), { body: body('decline', { NetworkTransactionId: id }) })).ms);
    }

    // The fastest: a busy machine may slow most, while waiting for Slack would slow all.
    expect(Math.min(...times)).toBeLessThan(100);
  });
});

describe('a refused request', () => {
  it.each([
    ['no authorization', undefined],
    ['another scheme', `Bearer ${sharedSecret}`],
    ['another secret of the same length', basic(sharedSecret.replace('R', 'S'))],
    ['a longer secret', basic(`${sharedSecret}0`)],
    ['the secret as password', basic(`user:${sharedSecret}`)],
    ['nothing', 'Basic '],
  ])('gets 401 and how to authenticate for %s', async (_why, authorization) => {
    const answer = await send(to('decline'), { body: body('decline'), headers: { authorization } });

    expect(answer.status).toBe(401);
    expect(answer.headers['www-authenticate']).toMatch(/^Basic\b/);
    expect(answer.text).not.toContain(sharedSecret);
    expect(await stored()).toBe(0);
  });

  it.each([
    ['nothing', ''],
    ['no JSON', 'hello'],
    ['truncated JSON', body('decline').slice(0, -5)],
    ['a list', '[]'],
    ['a text', '"text"'],
    ['a number', '42'],
    ['null', 'null'],
    ['two objects', '{}{}'],
    ['bytes that are not text', Buffer.from([0xff, 0xfe, 0x7b, 0x7d])],
  ])('gets 400 for a body of %s', async (_what, sent) => {
    expect((await send(to('decline'), { body: sent })).status).toBe(400);
    expect(await stored()).toBe(0);
  });

  it.each([
    ['no content type', { 'content-type': undefined }],
    ['an empty content type', { 'content-type': '' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['almost JSON', { 'content-type': 'application/jsonp' }],
    ['compression', { 'content-encoding': 'gzip' }],
  ])('gets 415 for %s', async (_what, headers) => {
    expect((await send(to('decline'), { body: body('decline'), headers })).status).toBe(415);
    expect(await stored()).toBe(0);
  });

  it('gets 413 for its size, whether it states its length or not', async () => {
    const tooLarge = bodyOf(LARGEST + 1);

    expect((await send(to('decline'), { body: tooLarge })).status).toBe(413);
    expect((await send(to('decline'), { chunks: tooLarge.match(/[\s\S]{1,50000}/g) ?? [] })).status).toBe(413);
    expect((await send(to('decline'), { chunks: [Buffer.alloc(4 * LARGEST)] })).status).toBe(413);
    expect(await stored()).toBe(0);
  });

  it.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS', 'HEAD'])('gets 405 for the method %s', async (method) => {
    const answer = await send(to('decline'), { method });

    expect(answer.status).toBe(405);
    expect(answer.headers.allow).toBe('POST');
  });

  it.each([
    'webhooks/telex',
    'webhooks/',
    'webhooks',
    'webhooks/Decline',
    'webhooks/decline/more',
    'webhooks/__proto__',
    'webhooks/..%2fhealthz',
    'elsewhere',
    '',
  ])('gets 404 for /%s', async (path) => {
    expect((await send(`${web.url}/${path}`, { body: body('decline') })).status).toBe(404);
    expect(await stored()).toBe(0);
  });

  it('is checked in this order: kind, method, secret, type, size', async () => {
    const wrong = { authorization: 'Basic x', 'content-type': 'text/plain' };

    expect((await send(to('telex'), { method: 'PUT', headers: wrong })).status).toBe(404);
    expect((await send(to('decline'), { method: 'PUT', headers: wrong })).status).toBe(405);
    expect((await send(to('decline'), { headers: wrong, body: bodyOf(LARGEST + 1) })).status).toBe(401);
    const authentic = { ...wrong, authorization: serviceHeaders.authorization };
    expect((await send(to('decline'), { headers: authentic, body: bodyOf(LARGEST + 1) })).status).toBe(415);
  });
});

it('every response leaves the connection usable for the next request', async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses: number[] = [];
  const sendings = [
    { body: body('decline') },
    { body: body('decline'), headers: { authorization: 'Basic x' } },
    { body: 'no JSON' },
    { body: body('decline'), headers: { 'content-type': 'text/plain' } },
    { body: bodyOf(LARGEST + 1) },
    { chunks: [Buffer.alloc(2 * LARGEST)] },
    { method: 'PUT', body: '{}' },
    { body: body('pin') },
  ];

  for (const sending of sendings) statuses.push((await send(to('decline'), { ...sending, agent })).status);

  expect(statuses).toEqual([200, 401, 400, 415, 413, 413, 405, 200]);
  expect(Object.values(agent.freeSockets).flat()).toHaveLength(1);
  agent.destroy();
});
