import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { PayloadError, StoreUnavailableError } from '../../../src/core/errors.ts';
import type { StoredEvent } from '../../../src/core/event.ts';
import { createLog } from '../../../src/core/log.ts';
import { createSigner } from '../../../src/core/sign.ts';
import { BODY_MAX_BYTES, receiveWebhook } from '../../../src/webhooks/receive-webhook.ts';
import { webhook } from '../../fixtures/webhooks/webhook.ts';
import { read, readBody, receivedAt } from './read.ts';

type Deps = Parameters<typeof receiveWebhook>[3];

let server: Server | undefined;
afterEach(() => {
  server?.close();
  server?.closeAllConnections();
});

const digestWith = (secret: string): Deps['digest'] => {
  const { sign } = createSigner(secret, 'quarantine');
  return (raw) => sign(raw.toString('latin1'));
};

/** Sends one body to a receiver with these dependencies. */
async function deliver(
  given: Partial<Deps>,
  body: string | Uint8Array<ArrayBuffer> = '{"CallbackTime":"x","Data":{}}',
) {
  const take = vi.fn<Deps['take']>(async () => 'new');
  const toEvent = vi.fn<Deps['toEvent']>(() => read('decline'));
  const measure = vi.fn<Deps['measure']>();
  const missed = vi.fn<Deps['missed']>();
  const deps: Deps = {
    isAuthentic: () => true,
    toEvent,
    digest: digestWith('xoxb-one'),
    take,
    missed,
    measure,
    now: () => new Date(receivedAt),
    log: createLog({ level: 'silent', process: 'test' }),
    ...given,
  };
  server = createServer((request, response) => void receiveWebhook('decline', request, response, deps));
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const headers = { 'content-type': 'application/json', 'x-service-version': '2.0.1.1' };
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body });
  return { status: response.status, text: await response.text(), take, toEvent, measure, missed };
}

it('passes on the JSON, the path and the request facts, and stores the resulting event', async () => {
  const { status, take, toEvent } = await deliver({});

  expect(status).toBe(200);
  expect(toEvent).toHaveBeenCalledWith({ CallbackTime: 'x', Data: {} }, 'decline', { version: '2.0.1.1', receivedAt });
  expect(take).toHaveBeenCalledExactlyOnceWith({ type: 'event', event: read('decline') });
});

it('reassembles a body that arrives in several chunks', async () => {
  const padding = 'x'.repeat(100_000);
  const { status, toEvent } = await deliver({}, JSON.stringify({ CallbackTime: 'x', Data: { padding } }));

  expect(status).toBe(200);
  expect(toEvent.mock.calls[0]?.[0]).toEqual({ CallbackTime: 'x', Data: { padding } });
});

it('keeps every digit of 64-bit ids, which JavaScript numbers cannot hold', async () => {
  const text = JSON.stringify(webhook('settlement'))
    .replace('2265020', '9007199254740993')
    .replace('2465657073', '9223372036854775807');
  const { status, take } = await deliver({ toEvent: (body, path, facts) => readBody(body, path, facts.version) }, text);
  const other = await deliver(
    { toEvent: (body, path, facts) => readBody(body, path, facts.version) },
    text.replace('9223372036854775807', '9223372036854775806'),
  );

  expect(status).toBe(200);
  const [entry, neighbour] = [take.mock.calls[0]?.[0], other.take.mock.calls[0]?.[0]];
  expect(entry).toMatchObject({ type: 'event', event: { networkTransactionId: '9007199254740993' } });
  expect(entry?.type === 'event' && entry.event.id).not.toBe(neighbour?.type === 'event' && neighbour.event.id);
});

it('takes a webhook whose text is not UTF-8: the event lacks a letter, and a retry would not bring it', async () => {
  const body = Buffer.from(JSON.stringify(webhook('decline', { MerchantName: 'CAFÉ' })), 'latin1');
  const { status, take } = await deliver({ toEvent: (json, path, facts) => readBody(json, path, facts.version) }, body);

  expect(status).toBe(200);
  expect(take.mock.calls[0]?.[0]).toMatchObject({ type: 'event', event: { merchant: { name: 'CAF\uFFFD' } } });
});

it.each([
  ['new', 'taken', 'stored'],
  ['seen', 'seen before', 'duplicate'],
] as const)('reports an event that is %s as %j, and measures the time to store it', async (taken, says, name) => {
  const { text, measure } = await deliver({ take: async () => taken });

  expect(JSON.parse(text)).toEqual({ status: says });
  expect(measure).toHaveBeenCalledExactlyOnceWith('decline', name, true, expect.any(Number));
});

it('counts a webhook that Redis cannot store separately, and does not time it', async () => {
  const { status, measure } = await deliver({
    take: async () => {
      throw new StoreUnavailableError('redis is not connected');
    },
  });

  expect(status).toBe(503);
  expect(measure).toHaveBeenCalledExactlyOnceWith('decline', 'store_unavailable', false, expect.any(Number));
});

it('quarantines an invalid payload with its issues, and never stores the event', async () => {
  const toEvent = (): StoredEvent => {
    throw new PayloadError(['AcctId: expected a positive id']);
  };

  const { status, take } = await deliver({ toEvent });

  expect(status).toBe(200);
  expect(take).toHaveBeenCalledTimes(1);
  expect(take.mock.calls[0]?.[0]).toMatchObject({
    type: 'quarantine',
    webhook: { path: 'decline', version: '2.0.1.1', issues: ['AcctId: expected a positive id'] },
  });
});

describe('a webhook that does not fit', () => {
  const toEvent = (): StoredEvent => {
    throw new PayloadError(['AcctId: expected a positive id']);
  };
  async function idOf(body: string, given: Partial<Deps> = {}): Promise<string> {
    const { take } = await deliver({ toEvent, ...given }, body);
    const [entry] = take.mock.calls[0] ?? [];
    return entry?.type === 'quarantine' ? entry.webhook.id : '';
  }

  it('is one entry however often it is sent, whenever it arrives', async () => {
    const first = await idOf('{"n":1}');

    expect(first).not.toBe('');
    expect(await idOf('{"n":1}', { now: () => new Date(0) })).toBe(first);
  });

  it('is another entry than one that differs only where nothing is kept', async () => {
    expect(await idOf('{"n":1}')).not.toBe(await idOf('{"n":2}'));
  });

  it('has an id from which nobody without our secret can guess what was removed', async () => {
    const body = '{"CardNumber":"4111111111111111","CVV2":"737"}';

    expect(await idOf(body, { digest: digestWith('xoxb-other') })).not.toBe(await idOf(body));
  });
});

it('quarantines an object that is nested as deep as the largest body allows', async () => {
  const toEvent = () => {
    throw new PayloadError(['Data: expected something else']);
  };
  const depth = Math.floor((BODY_MAX_BYTES - 20) / 6);
  const { status, take } = await deliver({ toEvent }, `{"Data":${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}}`);

  expect(status).toBe(200);
  expect(take.mock.calls[0]?.[0]).toMatchObject({ type: 'quarantine' });
});

it('quarantines a webhook that triggers a bug of ours, because retries would fail too and the event would be lost', async () => {
  const toEvent = (): StoredEvent => {
    throw new TypeError('a bug of ours with 4111111111111111');
  };

  const { status, take } = await deliver({ toEvent });

  expect(status).toBe(200);
  expect(take.mock.calls[0]?.[0]).toMatchObject({ type: 'quarantine' });
  expect(JSON.stringify(take.mock.calls)).not.toContain('4111111111111111');
});

it.each([
  ['an event', () => read('decline')],
  [
    'an invalid payload',
    () => {
      throw new PayloadError(['x']);
    },
  ],
])('answers 503 when the store cannot take %s', async (_what, toEvent) => {
  const take = async (): Promise<never> => {
    throw new StoreUnavailableError('redis is not connected');
  };

  const { status, missed } = await deliver({ take, toEvent });

  expect(status).toBe(503);
  expect(missed, 'recovery looks for it').toHaveBeenCalledTimes(1);
});

it('answers 500 when the store fails unexpectedly, so that the service retries', async () => {
  const take = async (): Promise<never> => {
    throw new RangeError('what is this');
  };

  const { status, text, missed } = await deliver({ take });

  expect(status).toBe(500);
  expect(missed, 'recovery looks for it').toHaveBeenCalledTimes(1);
  expect(text).not.toContain('what is this');
});

it('reads and stores nothing from an unauthenticated caller', async () => {
  const { status, take, toEvent } = await deliver({ isAuthentic: () => false });

  expect(status).toBe(401);
  expect(toEvent).not.toHaveBeenCalled();
  expect(take).not.toHaveBeenCalled();
});

it('counts a request without any secret apart from one with a wrong secret', async () => {
  const { measure } = await deliver({ isAuthentic: () => false });

  expect(measure).toHaveBeenCalledExactlyOnceWith('decline', 'no_secret', false, expect.any(Number));
});

describe('a request', () => {
  interface Sent {
    readonly path?: string;
    readonly method?: string;
    readonly headers?: OutgoingHttpHeaders;
    /** The body in pieces. Null: the sender hangs up after the first byte. */
    readonly body?: readonly string[] | null;
    readonly expectsContinue?: boolean;
  }

  /** Sends one request, and returns the answer with everything the receiver measured and logged. */
  async function send({ path = 'decline', method = 'POST', headers, body, expectsContinue = false }: Sent) {
    const measured: unknown[][] = [];
    const logged: string[] = [];
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const listener = (incoming: IncomingMessage, response: ServerResponse): void => {
      void receiveWebhook(
        path,
        incoming,
        response,
        {
          isAuthentic: (authorization) => authorization !== 'Basic wrong',
          toEvent: () => read('decline'),
          digest: () => '',
          take: async () => 'new',
          missed: () => {},
          measure: (...args) => void measured.push(args),
          now: () => new Date(receivedAt),
          log: createLog({ level: 'debug', process: 'test', destination: { write: (line) => void logged.push(line) } }),
        },
        expectsContinue,
      ).then(finish);
    };
    server = createServer(listener).on('checkContinue', listener);
    await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const outgoing = request({
      host: '127.0.0.1',
      port,
      method,
      headers: { 'content-type': 'application/json', ...headers },
    });
    let isContinued = false;
    outgoing.on('continue', () => {
      isContinued = true;
    });
    const answered = new Promise<IncomingMessage | null>((resolve) => {
      outgoing.once('response', resolve).once('error', () => resolve(null));
    });
    if (body === null) outgoing.write('{', () => outgoing.destroy());
    else for (const piece of body ?? ['{"CallbackTime":"x","Data":{}}']) outgoing.write(piece);
    if (body !== null) outgoing.end();
    const answer = await answered;
    const text = answer === null ? '' : (await answer.toArray()).join('');
    await finished;
    return { status: answer?.statusCode, headers: answer?.headers ?? {}, text, measured, logged, isContinued };
  }

  it.each<[string, Sent, number, string]>([
    ['that fits', {}, 200, 'stored'],
    [
      'with a character set in its type',
      { headers: { 'content-type': 'Application/JSON; charset=utf-8; v=1' } },
      200,
      'stored',
    ],
    ['that says it is not compressed', { headers: { 'content-encoding': ' Identity ' } }, 200, 'stored'],
    ['with a byte order mark', { body: ['\uFEFF{"Data":{}}'] }, 200, 'stored'],
    ['of exactly the largest size', { body: [padded(BODY_MAX_BYTES)] }, 200, 'stored'],
    ['of an unknown kind', { path: 'weather' }, 404, 'unknown_kind'],
    ['with another method', { method: 'PUT' }, 405, 'wrong_method'],
    ['with a wrong secret', { headers: { authorization: 'Basic wrong' } }, 401, 'not_authentic'],
    ['of another type', { headers: { 'content-type': 'text/plain' } }, 415, 'wrong_type'],
    ['without a type', { headers: { 'content-type': '' } }, 415, 'wrong_type'],
    ['that is compressed', { headers: { 'content-encoding': 'gzip' } }, 415, 'wrong_type'],
    [
      'that declares a byte too many',
      { headers: { 'content-length': BODY_MAX_BYTES + 1 }, body: [] },
      413,
      'too_large',
    ],
    ['that sends a byte too many without declaring it', { body: [padded(BODY_MAX_BYTES), ' '] }, 413, 'too_large'],
    ['that is not JSON', { body: ['{'] }, 400, 'not_json'],
    ['that is a list', { body: ['[]'] }, 400, 'not_json'],
    ['that is null', { body: ['null'] }, 400, 'not_json'],
    ['that is a string', { body: ['"text"'] }, 400, 'not_json'],
  ])('%s is answered %s, and counted under its kind', async (_what, sent, status, name) => {
    const answer = await send(sent);

    expect(answer.status).toBe(status);
    expect(answer.measured).toEqual([
      [sent.path === undefined ? 'decline' : 'unknown', name, status === 200, expect.any(Number)],
    ]);
    expect(answer.measured[0]?.[3]).toBeLessThan(60_000);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(answer.text)),
    });
    expect(JSON.parse(answer.text)).toEqual({ [status === 200 ? 'status' : 'error']: expect.stringMatching(/\w/) });
  });

  it('that is refused says what would be accepted', async () => {
    expect((await send({ method: 'GET', body: [] })).headers['allow']).toBe('POST');
    expect((await send({ headers: { authorization: 'Basic wrong' } })).headers['www-authenticate']).toMatch(
      /^Basic realm=/,
    );
    expect((await send({ path: 'weather' })).text).toContain('card-shipping');
    expect((await send({ headers: { 'content-length': BODY_MAX_BYTES + 1 }, body: [] })).text).toContain('262144');
  });

  it('that ends early is counted, and not logged as an error of ours', async () => {
    const { measured, logged } = await send({ headers: { 'content-length': 100 }, body: null });

    expect(measured).toEqual([['decline', 'cut_off', false, expect.any(Number)]]);
    expect(logged).toEqual([]);
  });

  it('that waits for "100 Continue" gets it once it may be sent, and a refusal ends its connection', async () => {
    const waiting = { expect: '100-continue', authorization: 'Basic right' };
    const taken = await send({ headers: waiting, expectsContinue: true });
    const refused = await send({ headers: { ...waiting, authorization: 'Basic wrong' }, expectsContinue: true });

    expect([taken.status, taken.isContinued, taken.headers.connection]).toEqual([200, true, 'keep-alive']);
    expect([refused.status, refused.isContinued, refused.headers.connection]).toEqual([401, false, 'close']);
  });

  it('is logged in one line, without anything from its body', async () => {
    const { logged } = await send({});

    expect(logged.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { level: 'debug', msg: 'webhook taken', path: 'decline', kind: 'decline', taken: 'new' },
    ]);
  });

  /** A JSON object of exactly this many bytes. */
  function padded(bytes: number): string {
    return `{"Data":{}}${' '.repeat(bytes - 11)}`;
  }
});

it('logs a quarantined payload as a warning, and a bug of ours also as an error', async () => {
  const linesOf = async (error: Error): Promise<unknown[]> => {
    const lines: string[] = [];
    const log = createLog({ level: 'info', process: 'test', destination: { write: (line) => void lines.push(line) } });
    const { take } = await deliver({
      log,
      toEvent: () => {
        throw error;
      },
    });
    const [entry] = take.mock.calls[0] ?? [];
    const issues = entry?.type === 'quarantine' ? entry.webhook.issues : [];
    return [issues, ...lines.map((line) => JSON.parse(line) as unknown)];
  };

  expect(await linesOf(new PayloadError(['AcctId: expected a positive id']))).toMatchObject([
    ['AcctId: expected a positive id'],
    { level: 'warn', msg: 'webhook quarantined', issues: ['AcctId: expected a positive id'] },
  ]);
  expect(await linesOf(new TypeError('a bug'))).toMatchObject([
    [expect.stringContaining('unexpected error')],
    { level: 'error', msg: 'webhook could not be read' },
    { level: 'warn', msg: 'webhook quarantined' },
  ]);
});

it('logs an error that it cannot handle', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', process: 'test', destination: { write: (line) => void lines.push(line) } });

  await deliver({
    log,
    take: async () => {
      throw new RangeError('what is this');
    },
  });

  expect(lines.join('')).toContain('webhook could not be handled');
});
