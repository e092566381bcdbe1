import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { ServerOptions as HttpsOptions } from 'node:https';
import type { Socket } from 'node:net';
import { answerJson, onlyReads } from '../core/answer-json.ts';
import type { Log } from '../core/log.ts';
import { version } from '../core/version.ts';

interface Deps {
  /** `/webhooks/KIND`, called with KIND; `/webhooks/PROGRAM/KIND` for a card program other than the first. */
  readonly webhook: (
    program: string,
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
  ) => Promise<void>;
  /** Whether webhooks and Slack's requests can be accepted. The reasons are shown on the admin port only. */
  readonly isReady: () => Promise<boolean>;
  readonly log: Log;
}

/**
 * The service keeps connections open and reuses them. Node 20 closes an idle connection after 5 seconds, and a request
 * sent at that moment fails for no good reason. Bodies are small, so a sender that sends one slowly is probably
 * malicious.
 */
export const serverOptions = {
  keepAliveTimeout: 72_000,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
} as const;

/** TLS 1.2 or newer, as the service requires. */
export function tlsOptions(tls: { cert: Buffer; key: Buffer }): HttpsOptions {
  return { cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2', handshakeTimeout: 10_000 };
}

const webhookPath = /^\/webhooks\/(?:([^/]+)\/(?=[^/]))?([^/]*)\/?$/;

/**
 * Puts our routes in front of `otherwise` (Slack's `/slack/events`). Also answers "100 Continue" where expected.
 *
 * They are not Bolt's custom routes, because Bolt compiles every route's pattern on every request, which halves the
 * throughput of the receivers (docs/performance.md).
 */
export function createHttpServer(
  deps: Deps,
  otherwise: (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => void,
): (request: IncomingMessage, response: ServerResponse, expectsContinue?: boolean) => void {
  const probes: Readonly<Record<string, Probe>> = {
    '/healthz': async (response) => answerJson(response, 200, { status: 'alive', version }),
    '/readyz': async (response) => {
      if (await deps.isReady()) answerJson(response, 200, { status: 'ready' });
      else answerJson(response, 503, { status: 'not ready' });
    },
  };

  return function open(request, response, expectsContinue = false) {
    const url = targetOf(request.url ?? '/');
    request.url = url;
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    const [isWebhook, program = '', kind = ''] = webhookPath.exec(path) ?? [];
    const probe = probes[path];
    const run =
      isWebhook !== undefined
        ? deps.webhook(program, kind, request, response, expectsContinue)
        : probe !== undefined
          ? answerProbe(probe, request, response)
          : null;
    if (run === null) {
      otherwise(request, response, expectsContinue);
      return;
    }
    run.catch((error: unknown) => {
      deps.log.error({ err: error }, 'could not handle a request');
      if (!response.headersSent) answerJson(response, 500, { error: 'unexpected error on our side' });
      else response.destroy();
    });
  };
}

/** Some proxies send the whole address, which every server must accept (RFC 9112, 3.2.2). */
const targetOf = (url: string): string => (url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?]*\/?/i, '/'));

type Probe = (response: ServerResponse) => Promise<void>;

async function answerProbe(probe: Probe, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (onlyReads(request, response)) await probe(response);
}

/** Handles requests with `Expect: 100-continue` before Node answers "continue" to all of them. */
export function watchContinue(server: Server, open: ReturnType<typeof createHttpServer>): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => open(request, response, true));
}

/** More connections would take memory and file descriptors that the service's and Slack's connections need. */
export const CONNECTIONS_MAX = 4096;
/** Room for evicted connections that are still closing. */
const CLOSING_MAX = 1024;

/** While the process stops, a sender that takes longer than this for a body must send it again, to another process. */
const BODY_DEADLINE_MS = 2000;

interface Connection {
  readonly socket: Socket;
  readonly inFlight: Set<IncomingMessage>;
}

/** The first idle connection; if there is none, the first whose requests anybody may have sent. Null: each is in use. */
function leastNeeded(connections: ReadonlyMap<string, Pick<Connection, 'inFlight'>>): string | null {
  let unproved: string | null = null;
  for (const [key, { inFlight }] of connections) {
    if (inFlight.size === 0) return key;
    if (unproved === null && [...inFlight].every(isUnproved)) unproved = key;
  }
  return unproved;
}

/**
 * Slack's signature can be checked only with the body. A webhook whose body is awaited has shown its secret. Slack repeats an
 * event that was cut off, and shows people that anything else failed.
 */
function isUnproved({ complete, url = '' }: IncomingMessage): boolean {
  return !complete && !url.startsWith('/webhooks/');
}

/**
 * Manages a server's connections. When there are too many, closes the one that has been idle longest, or if none is idle, the
 * oldest one that anybody could have begun to use. So a client that opens thousands and sends nothing, or half a request on
 * each, cannot lock others out.
 *
 * @returns a function that stops the server gracefully: it accepts no new connections, answers the requests in flight,
 * and closes each connection once it has none. Node's own `close` also waits for connections that have not sent
 * anything yet, and for kept-alive connections after their last answer.
 */
export function watchConnections(server: Server, max = CONNECTIONS_MAX): () => Promise<void> {
  /** By both ends, because the socket of a request over TLS is not the one of its connection. Most recently used last. */
  const connections = new Map<string, Connection>();
  /** Kept, because a connection has many requests, and a new text is slow to find in a map. */
  const keys = new WeakMap<Socket, string>();
  const keyOf = (socket: Socket): string => {
    const known = keys.get(socket);
    if (known !== undefined) return known;
    const key = `${socket.localAddress} ${socket.remoteAddress} ${socket.remotePort}`;
    keys.set(socket, key);
    return key;
  };
  let isStopping = false;

  server.maxConnections = max + CLOSING_MAX;
  server.on('connection', (socket: Socket) => {
    if (connections.size >= max) makeRoom();
    const key = keyOf(socket);
    connections.set(key, { socket, inFlight: new Set() });
    socket.once('close', () => {
      if (connections.get(key)?.socket === socket) connections.delete(key);
    });
  });
  const makeRoom = (): void => {
    const key = leastNeeded(connections);
    if (key === null) return;
    connections.get(key)?.socket.destroy();
    connections.delete(key);
  };
  const nowUsed = (key: string, connection: Connection | undefined): void => {
    if (connection === undefined || connections.get(key) !== connection) return;
    connections.delete(key);
    connections.set(key, connection);
  };
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const key = keyOf(request.socket);
    const connection = connections.get(key);
    connection?.inFlight.add(request);
    nowUsed(key, connection);
    response.once('close', () => {
      connection?.inFlight.delete(request);
      nowUsed(key, connection);
      if (isStopping && (connection?.inFlight.size ?? 0) === 0) request.socket.destroySoon();
    });
  };
  server.prependListener('request', onRequest);
  server.prependListener('checkContinue', onRequest);

  return () =>
    new Promise((resolve) => {
      isStopping = true;
      server.close(() => resolve());
      for (const { socket, inFlight } of connections.values()) if (inFlight.size === 0) socket.destroy();
      setTimeout(() => {
        for (const { socket, inFlight } of connections.values()) {
          if ([...inFlight].some(({ complete }) => !complete)) socket.destroy();
        }
      }, BODY_DEADLINE_MS).unref();
    });
}
