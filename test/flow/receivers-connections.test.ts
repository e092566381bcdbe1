import { execFileSync } from 'node:child_process';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CONNECTIONS_MAX } from '../../src/webhooks/http-server.ts';
import { webhook } from '../fixtures/webhooks/webhook.ts';
import { head, openRaw, type RawConnection } from '../support/raw-connection.ts';
import { inbox, type RunningWeb, send, serviceHeaders, startWeb } from '../support/running-web.ts';
import { settled, until } from '../support/until.ts';

const IDLE_MAX = 2000;
let web: RunningWeb;
const connections: RawConnection[] = [];

beforeAll(async () => {
  web = await startWeb();
});
afterAll(async () => {
  await web.stop();
});
beforeEach(async () => {
  await web.store.flushall();
});
afterEach(() => {
  for (const connection of connections.splice(0)) connection.close();
});

const path = '/webhooks/decline';
const text = (id = 1): string => JSON.stringify(webhook('decline', { NetworkTransactionId: id }));
const { authorization = '', 'content-type': contentType = '' } = serviceHeaders;
const authentic = { authorization, 'content-type': contentType };
const open = async (): Promise<RawConnection> => {
  const connection = await openRaw(web.port);
  connections.push(connection);
  return connection;
};
const isAnswering = async (): Promise<boolean> => (await send(`${web.url}${path}`, { body: text(99) })).status === 200;

describe('a sender that waits for "100 Continue"', () => {
  const expecting = { expect: '100-continue', 'content-length': Buffer.byteLength(text()) };

  it('gets 100 and then 200 if authentic', async () => {
    const connection = await open();

    connection.write(head(path, { ...authentic, ...expecting }));
    await connection.sees(/^HTTP\/1\.1 100 Continue\r\n\r\n$/);
    connection.write(text());

    await connection.sees(/HTTP\/1\.1 200 /);
    expect(connection.statuses()).toEqual([100, 200]);
    expect(await web.store.xlen(inbox)).toBe(1);
  });

  it.each([
    ['is not authentic', path, { authorization: 'Basic x', 'content-type': contentType }, 401],
    ['sends no secret', path, { 'content-type': contentType }, 401],
    ['requests an unknown kind', '/webhooks/telex', authentic, 404],
    ['requests an unknown path', '/', authentic, 404],
    ['requests an invalid path', '//', {}, 404],
    ['sends no JSON content type', path, { authorization, 'content-type': 'text/plain' }, 415],
    ['sends too much', path, { ...authentic, 'content-length': 256 * 1024 + 1 }, 413],
  ])('is refused before sending a body and disconnected when it %s', async (_why, to, headers, status) => {
    const connection = await open();

    connection.write(head(to, { ...expecting, ...headers }));

    await connection.sees(/\r\n\r\n\{.*\}$/s);
    expect(connection.statuses()).toEqual([status]);
    expect(connection.received()).toMatch(/^connection: close\r$/im);
    await until(connection.isClosed, 'the connection is closed');
  });

  it('may send its body without waiting after all', async () => {
    const connection = await open();

    connection.write(head(path, { ...authentic, ...expecting }) + text());

    await connection.sees(/HTTP\/1\.1 200 /);
    expect(connection.statuses()).toEqual([100, 200]);
  });

  it('may do so several times on one connection', async () => {
    const connection = await open();

    for (const id of [1, 2, 3]) {
      connection.write(head(path, { ...authentic, ...expecting }));
      await until(() => connection.statuses().length === 2 * id - 1, 'it may continue');
      connection.write(text(id));
      await until(() => connection.statuses().length === 2 * id, 'it is answered');
    }

    expect(connection.statuses()).toEqual([100, 200, 100, 200, 100, 200]);
    expect(await web.store.xlen(inbox)).toBe(3);
  });

  it('gets 417 for any other expectation', async () => {
    const connection = await open();

    connection.write(head(path, { ...authentic, ...expecting, expect: 'a miracle' }));

    await connection.sees(/HTTP\/1\.1 417 /);
    expect(await isAnswering()).toBe(true);
  });
});

describe('a sender that does not wait', () => {
  it('is refused before its body arrives', async () => {
    const connection = await open();

    connection.write(head(path, { authorization: 'Basic x', 'content-type': contentType, 'content-length': 1000 }));

    await connection.sees(/HTTP\/1\.1 401 .*www-authenticate: Basic/is);
    expect(connection.statuses()).toEqual([401]);
  });

  it('may reuse the connection after a refused request and its body', async () => {
    const connection = await open();
    const length = Buffer.byteLength(text());

    connection.write(head(path, { authorization: 'Basic x', 'content-type': contentType, 'content-length': length }));
    await connection.sees(/401 /);
    connection.write(text() + head(path, { ...authentic, 'content-length': length }) + text());

    await until(() => connection.statuses().length === 2, 'both are answered');
    expect(connection.statuses()).toEqual([401, 200]);
  });

  it('gets ten answers in order for ten pipelined requests', async () => {
    const connection = await open();
    const length = Buffer.byteLength(text(10));
    const one = (id: number, headers: Record<string, string>): string =>
      head(path, { ...headers, 'content-length': length }) + text(id);
    const ids = [10, 11, 12, 13, 14, 15, 16, 17, 18, 19];

    connection.write(
      ids.map((id) => one(id, id % 2 === 0 ? authentic : { ...authentic, authorization: 'x' })).join(''),
    );

    await until(() => connection.statuses().length === 10, 'all are answered');
    expect(connection.statuses()).toEqual(ids.map((id) => (id % 2 === 0 ? 200 : 401)));
    expect(await web.store.xlen(inbox)).toBe(5);
  });

  it('leaves nothing stored when it disconnects in the middle of its body', async () => {
    const connection = await open();

    connection.write(head(path, { ...authentic, 'content-length': 5000 }) + text());
    await settled(50);
    connection.close();

    expect(await isAnswering()).toBe(true);
    expect(await web.store.xlen(inbox)).toBe(1);
  });

  it.each([
    [
      'sends endless headers',
      (secret: string) => `${head(path, { ...authentic, 'x-long': secret.repeat(4000) })}`,
      431,
    ],
    ['speaks no HTTP', () => 'EHLO there\r\n\r\n', 400],
    [
      'sends two lengths',
      () => head(path, authentic).replace('\r\n\r\n', '\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\n'),
      400,
    ],
    [
      'sends a length and chunks',
      () => head(path, { ...authentic, 'content-length': 3, 'transfer-encoding': 'chunked' }),
      400,
    ],
    ['sends a negative length', () => head(path, { ...authentic, 'content-length': -1 }), 400],
    ['sends a length that is not a number', () => head(path, { ...authentic, 'content-length': '5, 5' }), 400],
    [
      'hides its chunks behind a space',
      () =>
        head(path, { ...authentic, 'content-length': 3 }).replace(
          '\r\n\r\n',
          '\r\ntransfer-encoding : chunked\r\n\r\n',
        ),
      400,
    ],
    ['sends two transfer encodings', () => head(path, { ...authentic, 'transfer-encoding': 'chunked, identity' }), 400],
    ['sends an unknown transfer encoding', () => head(path, { ...authentic, 'transfer-encoding': 'xchunked' }), 400],
    [
      'sends a chunk without a size',
      () => `${head(path, { ...authentic, 'transfer-encoding': 'chunked' })}xyz\r\n`,
      400,
    ],
    [
      'sends a chunk of an impossible size',
      () => `${head(path, { ...authentic, 'transfer-encoding': 'chunked' })}ffffffffffffffff1\r\n`,
      400,
    ],
    [
      'ends a chunk at the wrong place',
      () => `${head(path, { ...authentic, 'transfer-encoding': 'chunked' })}3\r\n{"Callback\r\n0\r\n\r\n`,
      400,
    ],
    ['puts a control character into a header', () => head(path, { ...authentic, 'x-odd': 'a\u0000b' }), 400],
    [
      'folds a header',
      () => head(path, { ...authentic, 'x-odd': 'a' }).replace('x-odd: a', 'x-odd: a\r\n\u0001b'),
      400,
    ],
  ])('%s gets an error, and others are served as before', async (_what, write, status) => {
    const connection = await open();

    connection.write(write('SECRET-'));

    await connection.sees(new RegExp(`HTTP/1.1 ${status} `));
    await until(connection.isClosed, 'the connection is closed');
    expect(await isAnswering()).toBe(true);
  });
});

describe('while other connections are idle or slow', () => {
  it('a webhook is answered despite partial requests and slow bodies', async () => {
    const slow = await Promise.all(Array.from({ length: 100 }, open));
    for (const [index, connection] of slow.entries()) {
      if (index % 3 === 0) connection.write('POST /webhooks/decline HTTP/1.1\r\nhost: lo');
      if (index % 3 === 1) connection.write(`${head(path, { ...authentic, 'content-length': 5000 })}{"Callb`);
      if (index % 3 === 2)
        connection.write(`${head(path, { ...authentic, 'transfer-encoding': 'chunked' })}5\r\n{"Cal\r\n`);
    }

    const answer = await send(`${web.url}${path}`, { body: text() });

    expect(answer.status).toBe(200);
    expect(
      slow.every((connection) => connection.statuses().length === 0),
      'the others still wait',
    ).toBe(true);
  });

  it(`a webhook is answered despite ${IDLE_MAX} idle connections, which stay usable`, async () => {
    // Both ends are on this machine, and the test process needs open files too.
    const files = Number(execFileSync('sh', ['-c', 'ulimit -n'], { encoding: 'utf8' }).trim()) || IDLE_MAX * 2;
    const count = Math.min(IDLE_MAX, Math.floor(files / 2) - 200);
    const idle: RawConnection[] = [];
    while (idle.length < count) idle.push(...(await Promise.all(Array.from({ length: 100 }, open))));

    const answer = await send(`${web.url}${path}`, { body: text(1) });
    const last = idle.at(-1);
    last?.write(head(path, { ...authentic, 'content-length': Buffer.byteLength(text(2)) }) + text(2));
    await last?.sees(/HTTP\/1\.1 200 /);

    expect(answer.status).toBe(200);
    expect(idle.filter((connection) => connection.isClosed())).toHaveLength(0);
  });

  it('a webhook and a probe are answered despite more idle connections than are kept', async () => {
    for (let at = 0; at < CONNECTIONS_MAX + 500; at += 500) await Promise.all(Array.from({ length: 500 }, open));

    const answer = await send(`${web.url}${path}`, { body: text(1) });
    const probe = await fetch(`${web.url}/readyz`);

    expect([answer.status, probe.status]).toEqual([200, 200]);
    const kept = (): number => connections.filter((connection) => !connection.isClosed()).length;
    await until(() => kept() <= CONNECTIONS_MAX, 'no more connections are kept');
  });

  it('a connection from the card service stays open longer than the service might pause', async () => {
    const answer = await send(`${web.url}${path}`, { body: text(), headers: { connection: 'keep-alive' } });

    expect(Number(/timeout=(\d+)/.exec(String(answer.headers['keep-alive']))?.[1])).toBeGreaterThan(60);
  });
});
