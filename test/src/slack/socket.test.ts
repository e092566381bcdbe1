import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { listen } from '../../../local/port.ts';
import { createLog } from '../../../src/core/log.ts';
import { createSlackApp } from '../../../src/slack/app.ts';
import { createHttpServer } from '../../../src/webhooks/http-server.ts';
import { settled, until } from '../../support/until.ts';

/** Slack's side: `apps.connections.open`, and the sockets that it opens. */
let slack: Server;
let sockets: WebSocketServer;
/** Slack answers this many more calls with 503. */
let failures: number;
let calls: number;
let connections: number;
let greets: boolean;
let lines: { level: string; msg: string; err?: { message?: string } }[];
let app: ReturnType<typeof createSlackApp>;
let port: number;

beforeEach(async () => {
  [failures, calls, connections, greets, lines] = [0, 0, 0, true, []];
  slack = createServer((_request, response) => {
    calls += 1;
    failures -= 1;
    if (failures >= 0) return void response.writeHead(503).end('away');
    const { port: at } = slack.address() as AddressInfo;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ ok: true, url: `ws://127.0.0.1:${at}/socket` }));
  });
  sockets = new WebSocketServer({ server: slack });
  sockets.on('connection', (socket) => {
    connections += 1;
    if (greets) send(socket, { type: 'hello' });
  });
  app = openApp(`http://127.0.0.1:${await listen(slack)}/api/`);
  port = await app.start({ host: '127.0.0.1', port: 0, tls: null });
});

afterEach(async () => {
  await app.stop();
  for (const socket of sockets.clients) socket.terminate();
  await new Promise((resolve) => slack.close(resolve));
});

const send = (socket: WebSocket, message: object): void => socket.send(JSON.stringify(message));

function openApp(apiUrl: string): ReturnType<typeof createSlackApp> {
  const log = createLog({
    level: 'debug',
    process: 'web',
    destination: { write: (line) => void lines.push(JSON.parse(line)) },
    repeatMs: 0,
  });
  return createSlackApp({
    botToken: 'xoxb-socket',
    signingSecret: undefined,
    appToken: 'xapp-socket',
    apiUrl,
    log,
    programs: [{ name: '', command: '/card', inside: (run) => run(), register: () => {} }],
    whichProgram: { all: [{ name: '', command: '/card' }], chosen: async () => '' },
    answerFailed: async () => {},
    answerUnknown: async (_body, ack) => await ack({ text: 'answered' }),
    mayAsk: () => true,
    answerTooMany: async () => {},
    routes: (otherwise) =>
      createHttpServer({ webhook: async () => {}, isReady: async () => app.takesSlack(), log }, otherwise),
  });
}

const opened = (times = 1): Promise<void> =>
  until(() => connections === times && app.takesSlack(), `socket ${times} is open`);

/** A command of a person, and its acknowledgement. */
async function press(): Promise<unknown> {
  const [socket] = sockets.clients;
  if (socket === undefined) throw new Error('no socket is open');
  const answer = new Promise((resolve) =>
    socket.once('message', (data) => resolve(JSON.parse((data as Buffer).toString()))),
  );
  send(socket, { type: 'slash_commands', envelope_id: 'e1', payload: { command: '/card', user_id: 'U1' } });
  return await answer;
}

it('opens the socket again after Slack has closed it, however often Slack fails meanwhile', async () => {
  await opened();
  failures = 2;

  for (const socket of sockets.clients) send(socket, { type: 'disconnect', reason: 'refresh_requested' });
  await until(() => !app.takesSlack(), 'the lost socket is noticed');
  // The receivers do not depend on Slack.
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);

  await opened(2);
  expect(failures).toBe(-1);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  expect(await press()).toMatchObject({ envelope_id: 'e1', payload: { text: 'answered' } });
  expect(lines).toContainEqual(expect.objectContaining({ msg: 'lost the socket to Slack; opening it again' }));
});

it('opens the socket again after its connection broke', async () => {
  await opened();

  for (const socket of sockets.clients) socket.terminate();

  await opened(2);
  expect(await press()).toMatchObject({ envelope_id: 'e1' });
});

it('tries again if the socket closes before Slack has greeted', async () => {
  await opened();
  greets = false;
  sockets.once('connection', (socket) => {
    greets = true;
    socket.close();
  });

  for (const socket of sockets.clients) socket.close();

  await opened(3);
  const failed = lines.find(({ msg }) => msg === 'could not open the socket to Slack; retrying');
  expect(failed?.err?.message).toBe('Slack closed the socket before it was open');
});

it('opens no socket after it was stopped', async () => {
  await opened();
  for (const socket of sockets.clients) socket.close();
  await until(() => !app.takesSlack(), 'the lost socket is noticed');

  await app.stop();
  await settled(2000);

  expect(calls).toBe(1);
  expect(connections).toBe(1);
});
