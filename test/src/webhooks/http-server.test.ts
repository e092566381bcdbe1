import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer, request } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { tlsOptions, watchConnections } from '../../../src/webhooks/http-server.ts';
import { head, openRaw, type RawConnection } from '../../support/raw-connection.ts';
import { until } from '../../support/until.ts';

const MAX = 5;
let server: Server;
let port: number;
/** Answers the request of `/slow`. Null: it has not arrived. */
let answerSlow: (() => void) | null = null;
/** The path of the latest request that arrived. */
let arrived: string | null = null;
const opened: RawConnection[] = [];

beforeEach(async () => {
  answerSlow = null;
  arrived = null;
  server = createServer(answer);
  watchConnections(server, MAX);
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
  server.closeAllConnections();
  server.close();
});

const answer = (request: IncomingMessage, response: ServerResponse): void => {
  arrived = request.url ?? null;
  if (request.url === '/slow') answerSlow = () => void response.end();
  else if (request.method === 'GET') response.end();
};
const slowArrived = (): Promise<void> => until(() => answerSlow !== null, 'the slow request has arrived');
const open = async (): Promise<RawConnection> => {
  const connection = await openRaw(port);
  opened.push(connection);
  return connection;
};
const isAnswered = async (connection: RawConnection, path = '/'): Promise<void> => {
  connection.write(head(path, {}, 'GET'));
  await connection.sees(/HTTP\/1\.1 200 /);
};

it('at the connection limit, closes the oldest idle connection to answer a new one', async () => {
  const idle: RawConnection[] = [];
  while (idle.length < MAX) idle.push(await open());

  await isAnswered(await open());

  await until(() => idle[0]?.isClosed() === true, 'the oldest is closed');
  expect(idle.map((connection) => connection.isClosed())).toEqual([true, false, false, false, false]);
});

it('at the connection limit, closes connections that never start a TLS handshake to answer one that does', async () => {
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => readFileSync(`test/fixtures/tls/${name}`)) as [
    Buffer,
    Buffer,
  ];
  const tls = createTlsServer(tlsOptions({ cert, key }), answer);
  watchConnections(tls, MAX);
  await new Promise<void>((resolve) => void tls.listen(0, '127.0.0.1', resolve));
  const { port: tlsPort } = tls.address() as AddressInfo;
  const get = (path: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port: tlsPort, path, rejectUnauthorized: false, agent: false };
      request(options, (response) => resolve(response.resume().statusCode))
        .on('error', reject)
        .end();
    });
  const slow = get('/slow');
  await slowArrived();
  const silent: RawConnection[] = [];
  while (silent.length < MAX) silent.push(await openRaw(tlsPort));
  opened.push(...silent);

  expect(await get('/')).toBe(200);

  await until(() => silent[0]?.isClosed() === true, 'the oldest is closed');
  answerSlow?.();
  expect(await slow, 'the one with a request in progress stays').toBe(200);
  tls.closeAllConnections();
  tls.close();
});

it('closes recently used connections after unused ones, and never one with a request in progress', async () => {
  const slow = await open();
  slow.write(head('/slow', {}, 'GET'));
  await slowArrived();
  const used = await open();
  const idle = await open();
  await isAnswered(used);

  const others: RawConnection[] = [];
  while (others.length < MAX - 2) others.push(await open());
  await until(() => idle.isClosed(), 'the idle one is closed');
  await isAnswered(await open());
  await until(() => used.isClosed(), 'then the used one is closed');
  answerSlow?.();

  await slow.sees(/HTTP\/1\.1 200 /);
});

it('where every connection has a request in progress, closes the oldest whose body is not there yet, but no webhook', async () => {
  const half = async (path: string, reused?: RawConnection): Promise<RawConnection> => {
    const connection = reused ?? (await open());
    connection.write(`${head(path, { 'content-length': 9 })}{`);
    await until(() => arrived === path, `${path} has arrived`);
    arrived = null;
    return connection;
  };
  // Its secret was checked before the body.
  const webhook = await half('/webhooks/decline');
  const kept = await open();
  await isAnswered(kept);
  const slow = await open();
  slow.write(head('/slow', {}, 'GET'));
  await slowArrived();
  arrived = null;
  const unproved: RawConnection[] = [];
  while (unproved.length < MAX - 3) unproved.push(await half('/slack/events'));
  await half('/slack/events', kept);

  await isAnswered(await open());

  await until(() => unproved[0]?.isClosed() === true, 'the oldest is closed');
  await half('/slack/events');
  await half('/slack/events');
  expect(unproved.map((connection) => connection.isClosed())).toEqual([true, true]);
  expect(kept.isClosed(), 'its request began last').toBe(false);
  expect([webhook.isClosed(), slow.isClosed()]).toEqual([false, false]);
});
