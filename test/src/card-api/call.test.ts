import { Writable } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { freePort } from '../../../local/port.ts';
import { createLog } from '../../../src/core/log.ts';
import { version } from '../../../src/core/version.ts';
import {
  calls,
  cut,
  type FakeApi,
  failureOf,
  halfBody,
  hang,
  html,
  json,
  type Reply,
  refusal,
  startFakeApi,
  stopTime,
  TOKEN,
} from './fake-api.ts';

let api: FakeApi;

beforeEach(async () => {
  api = await startFakeApi();
});
afterEach(async () => {
  vi.useRealTimers();
  await api.close();
});

/** Hangs until the client gives up, which it does once the request is here. */
const hangFor =
  (ms: number): Reply =>
  () =>
    vi.advanceTimersByTime(ms);

const sentence: Reply = (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('Jane is done.');

describe('a response', () => {
  it.each([
    // what, status, message → code, outcome, how often it is sent
    ['read', 400, 'Invalid request', 'refused', 'refused', 1],
    ['read', 403, 'Invalid card account ID', 'refused', 'refused', 1],
    ['read', 409, 'Conflict', 'refused', 'refused', 1],
    ['read', 401, 'Token expired or does not exist', 'token_dead', 'refused', 1],
    ['read', 401, '', 'token_dead', 'refused', 1],
    ['read', 401, 'Must be card account ID', 'refused', 'refused', 1],
    ['read', 403, 'User is not active', 'token_dead', 'refused', 1],
    ['block', 403, 'token EXPIRED or does not exist', 'token_dead', 'refused', 1],
    ['block', 403, 'Cannot change status', 'refused', 'refused', 1],
    ['activate', 401, 'Password has changed', 'token_dead', 'refused', 1],
    ['read', 408, 'Timeout', 'timeout', 'unknown', 3],
    ['read', 500, 'System error', 'server_error', 'unknown', 2],
    ['read', 502, 'Bad Gateway', 'unavailable', 'unknown', 3],
    ['read', 503, 'Unavailable', 'unavailable', 'unknown', 3],
    ['read', 504, 'Gateway Timeout', 'unavailable', 'unknown', 3],
    ['block', 500, 'System error', 'server_error', 'unknown', 1],
    ['block', 502, 'Bad Gateway', 'unavailable', 'unknown', 1],
    ['block', 503, 'Unavailable', 'unavailable', 'unknown', 1],
    ['activate', 500, 'System error', 'server_error', 'unknown', 1],
    ['activate', 502, 'Bad Gateway', 'unavailable', 'unknown', 1],
    ['activate', 503, 'Unavailable', 'unavailable', 'unknown', 1],
    ['activate', 408, 'Timeout', 'timeout', 'unknown', 1],
    ['block', 301, 'Moved', 'bad_answer', 'refused', 1],
  ] as const)('to %s with %s %j is classified', async (what, status, message, code, outcome, sent) => {
    api.answerWith(refusal(status, message));

    const error = await failureOf(calls[what](api.client()));

    expect(error).toMatchObject({ code, outcome, status });
    expect(api.received).toHaveLength(sent);
  });

  it('keeps the service’s own message, masked and shortened', async () => {
    api.answerWith(refusal(403, `Cannot change\n status of 4111111111111111 ${'x'.repeat(500)}`));

    const error = await failureOf(
      api.client({ clean: (text) => text.replace(/\d{16}/, '[card]') }).setCardStatus(1, 'ACTIVE'),
    );

    expect(error.apiMessage).toMatch(/^Cannot change status of \[card\] x+$/);
    expect(error.apiMessage?.length).toBeLessThanOrEqual(300);
    expect(error.message).toBe('card API answered 403 to setCardStatus');
  });

  it.each([
    // what, status of the page → code, outcome
    ['read', 200, 'unavailable', 'unknown'],
    ['read', 302, 'unavailable', 'unknown'],
    ['read', 403, 'unavailable', 'unknown'],
    ['read', 404, 'unavailable', 'unknown'],
    ['block', 200, 'unavailable', 'unknown'],
    ['block', 404, 'unavailable', 'unknown'],
    ['limit', 200, 'unavailable', 'unknown'],
    ['activate', 403, 'unavailable', 'unknown'],
    ['read', 401, 'unavailable', 'unknown'],
    ['block', 401, 'unavailable', 'unknown'],
    ['resend', 201, 'unavailable', 'unknown'],
  ] as const)('to %s that is a page with status %s comes from a gateway', async (what, status, code, outcome) => {
    api.answerWith(html(status, 'A phrase'));

    const error = await failureOf(calls[what](api.client()));

    expect(error).toMatchObject({ code, outcome, status });
    expect(error.message).toMatch(`card API answered ${status} with a page instead of JSON to `);
    expect(error.apiMessage).toBe(status < 400 ? null : 'A phrase');
    expect(api.waits, 'and would be the same a second later').toEqual([]);
  });

  it.each([401, 403])(
    'to a read that is a page with status %s, and says that the token has expired, is about the token',
    async (status) => {
      api.answerWith(html(status, 'Token expired or does not exist'));

      expect(await failureOf(calls.read(api.client()))).toMatchObject({
        code: 'token_dead',
        outcome: 'refused',
        status,
      });
    },
  );

  it('that is a page does not mean that a list is empty', async () => {
    api.answerWith(html(404, 'Not Found'));

    expect(await failureOf(api.client().listRulesets())).toMatchObject({ code: 'unavailable', status: 404 });
  });

  it('from a proxy keeps the reason phrase of its page', async () => {
    api.answerWith(html(502, 'Bad Gateway'));

    const error = await failureOf(api.client().activateCard(1, 2));

    expect(error).toMatchObject({ code: 'unavailable', outcome: 'unknown', apiMessage: 'Bad Gateway' });
  });

  it('of another shape to a read is a bad answer, not a crash', async () => {
    for (const reply of [sentence, json(200, null), json(200, { AccountId: 'seven' }), json(200, [])]) {
      api.answerWith(reply);
      const error = await failureOf(api.client().getAccount(1));
      expect(error).toMatchObject({ code: 'bad_answer', status: 200 });
      expect(error.message).not.toMatch(/seven|Jane/);
    }
  });

  it('is unknown if an order was accepted but its number cannot be read', async () => {
    api.answerWith(sentence);

    expect(await failureOf(api.client().orderVirtualCards({ VirtualCards: [] }))).toMatchObject({
      code: 'bad_answer',
      outcome: 'unknown',
    });
    expect(api.received).toHaveLength(1);
  });

  it.each([
    ['no body', (response: { end(): void }) => response.end()],
    ['{}', json(200, {})],
    ['null', json(200, null)],
    ['a sentence', sentence],
    ['a truncated body', halfBody(200, 'cut')],
  ] as const)('to a write is accepted with %s', async (_what, reply) => {
    api.answerWith(reply);

    await api.client().putSpendRules(1, { DailySpendLimit: 5 });
    await api.client().setCardStatus(1, 'BLOCKED');

    expect(api.received).toHaveLength(2);
  });
});

describe('without a response', () => {
  it.each([
    ['read', 3],
    ['block', 1],
    ['activate', 1],
  ] as const)('retries a read, but no write, over a connection that breaks: %s', async (what, sent) => {
    api.answerWith(cut);

    expect(await failureOf(calls[what](api.client()))).toMatchObject({
      code: 'unavailable',
      outcome: 'unknown',
      status: null,
    });
    expect(api.received).toHaveLength(sent);
  });

  it.each([
    ['read', 3],
    ['block', 1],
    ['activate', 1],
  ] as const)('retries a read, but no write, at a server that hangs: %s', async (what, sent) => {
    stopTime();
    api.answerWith(hangFor(50));

    expect(await failureOf(calls[what](api.client({ timeoutMs: 50 })))).toMatchObject({
      code: 'timeout',
      outcome: 'unknown',
      status: null,
    });
    expect(api.received).toHaveLength(sent);
  });

  it.each(['cut', 'hang'] as const)(
    'treats a read whose body stops (%s) as no response, within the timeout',
    async (then) => {
      stopTime();
      api.answerWith(halfBody(200, then), json(200, { AccountId: 7, CardList: [] }));
      const client = api.client({
        timeoutMs: 100,
        async fetch(...request) {
          const response = await fetch(...request);
          // The client now waits for the rest of the body.
          if (then === 'hang' && api.received.length === 1) setImmediate(() => vi.advanceTimersByTime(100));
          return response;
        },
      });

      expect(await client.getAccount(7)).toMatchObject({ acctId: 7 });
      expect(api.received).toHaveLength(2);
    },
  );

  it.each(['read', 'block', 'activate'] as const)('reports %s as not sent if nothing listens', async (what) => {
    const client = api.client({ baseUrl: `http://127.0.0.1:${await freePort()}/v4` });

    expect(await failureOf(calls[what](client))).toMatchObject({
      code: 'unavailable',
      outcome: 'not_sent',
      status: null,
    });
  });

  it('fails at the deadline, including waits', async () => {
    stopTime();
    api.answerWith(hangFor(200));

    const error = await failureOf(api.client({ timeoutMs: 10_000, deadlineMs: 200 }).getAccount(1));

    expect(error.code).toBe('timeout');
    expect(api.received).toHaveLength(1);
    expect(api.waits).toEqual([]);
  });

  it('does not count as down a service that is only too slow for a caller with little time', async () => {
    stopTime();
    api.answerWith(hangFor(50), json(200, {}));
    const client = api.client({ timeoutMs: 1_000, breaker: { threshold: 1, halfOpenAfterMs: 60_000 } });

    expect((await failureOf(client.getAccount(1, { deadlineMs: 50, maxRetries: 0 }))).code).toBe('timeout');

    await client.setCardStatus(1, 'BLOCKED');
    expect(api.received).toHaveLength(2);
  });

  describe('for an answer that takes longer than usual', () => {
    const slow = { attemptMs: 30_000, deadlineMs: 60_000, maxRetries: 0 };
    const client = () => api.client({ timeoutMs: 1_000, breaker: { threshold: 1, halfOpenAfterMs: 60_000 } });
    const answerAfter =
      (ms: number): Reply =>
      (...request) => {
        vi.advanceTimersByTime(ms);
        json(200, { AccountId: 7, CardList: [] })(...request);
      };

    it('waits as long as the caller allows', async () => {
      stopTime();
      api.answerWith(answerAfter(29_000));

      expect(await client().getAccount(7, slow)).toMatchObject({ acctId: 7 });
      expect(api.received).toHaveLength(1);
    });

    it.each([
      ['that time', slow],
      ['the deadline', { ...slow, deadlineMs: 20_000, attemptMs: 60_000 }],
    ])('waits no longer than %s, and does not count the service as down for others', async (_what, options) => {
      stopTime();
      api.answerWith(hangFor(Math.min(options.attemptMs, options.deadlineMs)), json(200, {}));
      const shared = client();

      expect((await failureOf(shared.getAccount(7, options))).code).toBe('timeout');

      await shared.setCardStatus(1, 'BLOCKED');
      expect(api.received).toHaveLength(2);
    });

    it('counts the service as down for others when nothing listens', async () => {
      const shared = api.client({
        baseUrl: `http://127.0.0.1:${await freePort()}/v4`,
        breaker: { threshold: 1, halfOpenAfterMs: 60_000 },
      });
      await failureOf(shared.getAccount(7, slow));

      expect((await failureOf(shared.getAccount(7))).message).toBe('card API is down; getAccount was not sent');
    });

    it('is not asked while the service is down', async () => {
      stopTime();
      api.answerWith(hangFor(1_000));
      const shared = client();
      await failureOf(shared.getAccount(7, { maxRetries: 0 }));

      expect((await failureOf(shared.getAccount(7, slow))).outcome).toBe('not_sent');
      expect(api.received).toHaveLength(1);
    });
  });

  it('sends only one attempt without retries', async () => {
    api.answerWith(refusal(503, ''));

    await failureOf(api.client().getAccount(1, { maxRetries: 0 }));

    expect(api.received).toHaveLength(1);
  });
});

it('a call is measured once, with its last outcome', async () => {
  const measured: unknown[] = [];
  const client = api.client({ measure: (operation, outcome) => void measured.push([operation, outcome]) });
  api.answerWith(refusal(503, ''), json(200, { AccountId: 7378, CardList: [] }));
  await client.getAccount(7378);
  api.answerWith(refusal(403, ''));
  await failureOf(client.setCardStatus(7378, 'BLOCKED'));

  expect(measured).toEqual([
    ['getAccount', 'ok'],
    ['setCardStatus', 'refused'],
  ]);
});

describe('data that leaves the process', () => {
  it('includes the name and version of Cardbell', async () => {
    await api.client().ping();

    expect(api.received[0]?.userAgent).toBe(`cardbell/${version}`);
  });

  it('includes the configured auth scheme, and never follows a redirect', async () => {
    const elsewhere = await startFakeApi();
    api.answerWith(json(302, {}, { location: `${elsewhere.url}/Details/AccountDetails/1` }));

    await failureOf(api.client({ authScheme: 'Bearer' }).getAccount(1));

    expect(api.received[0]?.authorization).toBe(`Bearer ${TOKEN}`);
    expect(elsewhere.received).toEqual([]);
    await elsewhere.close();
  });

  it('has no token, ids, bodies or people in errors and logs', async () => {
    const lines: string[] = [];
    const destination = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString());
        done();
      },
    });
    const log = createLog({ level: 'debug', process: 'test', destination });
    const client = api.client({ log, timeoutMs: 50 });
    const errors: unknown[] = [];
    for (const reply of [html(500, 'Oops'), refusal(403, 'no'), json(200, { AccountId: 'Jane Doe' }), cut, hang]) {
      api.answerWith(reply);
      errors.push(await failureOf(client.getAccount(987_654)));
      errors.push(await failureOf(client.putSpendRules(987_654, { FirstName: 'Jane' })).catch(() => null));
    }

    const told = errors
      .map((error) => (error instanceof Error ? `${error.message} ${error.stack} ${String(error.cause)}` : ''))
      .join('\n');
    expect(`${told}${lines.join('')}`).not.toMatch(new RegExp(`${TOKEN}|987654|Jane|4111|AccountDetails/`));
    expect(lines.join('')).toContain('"operation":"getAccount"');
  });

  it('never includes an invalid id, for which nothing is sent', async () => {
    expect(await failureOf(api.client().setCardStatus(Number.NaN, 'BLOCKED'))).toMatchObject({ outcome: 'not_sent' });
    expect(api.received).toEqual([]);
  });
});

describe('paths with two spellings', () => {
  it('activates with the slash, and with the specification’s spelling if that is unknown', async () => {
    api.answerWith((response, request) => {
      response.writeHead(request.path === '/v4/Card/Activate7378/6231' ? 200 : 404).end();
    });
    const client = api.client();

    await client.activateCard(7378, 6231);
    await client.activateCard(7378, 6231);

    expect(api.received.map(({ path }) => path)).toEqual([
      '/v4/Card/Activate/7378/6231',
      '/v4/Card/Activate7378/6231',
      '/v4/Card/Activate7378/6231',
    ]);
  });

  it('tries the other one after any 404, which may be the page of a server that does not know the path', async () => {
    api.answerWith((response, request, incoming) => {
      if (request.path === '/v4/Card/Activate7378/6231') response.writeHead(200).end();
      else html(404, 'Not Found')(response, request, incoming);
    });

    await api.client().activateCard(7378, 6231);

    expect(api.received).toHaveLength(2);
  });

  it('reports the first spelling if none is known', async () => {
    api.answerWith(refusal(404, 'none'));

    expect(await failureOf(api.client().activateCard(1, 2))).toMatchObject({ status: 404, outcome: 'refused' });
    expect(api.received).toHaveLength(2);
  });
});
