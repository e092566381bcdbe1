import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { ServerOptions as HttpsOptions } from 'node:https';
import type { Socket } from 'node:net';
import { Server as TlsServer } from 'node:tls';
import type { Log } from '../core/log.ts';
import { version } from '../core/version.ts';

/** A door that is not Slack's: webhooks and probes. */
export type Route = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => Promise<void>;

interface Deps {
  /** `/webhooks/KIND`, with what stands for KIND. */
  readonly webhook: (
    path: string,
    request: IncomingMessage,
    response: ServerResponse,
    expectsContinue: boolean,
  ) => Promise<void>;
  /** Whether webhooks and Slack's requests can be taken. Why not is told on the admin port only. */
  readonly isReady: () => Promise<boolean>;
  readonly log: Log;
}

/**
 * The service keeps connections open and reuses them. Node 20 closes an idle one after 5 seconds, and a sender that
 * reuses it in that moment sees a failure that was none. Bodies are small, so a slow one is no honest one.
 */
export const serverOptions = {
  keepAliveTimeout: 72_000,
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  connectionsCheckingInterval: 5_000,
} as const;

/** TLS 1.2 or newer, as the service demands of receivers. */
export function tlsOptions(tls: { cert: Buffer; key: Buffer }): HttpsOptions {
  return { cert: tls.cert, key: tls.key, minVersion: 'TLSv1.2' };
}

const webhookPath = /^\/webhooks\/([^/]*)\/?$/;

/**
 * Puts our routes in front of `otherwise` (Bolt's listener for `/slack/events`).
 *
 * In front, not as Bolt's custom routes: Bolt compiles the pattern of each route anew for each request, which halves
 * what the receivers can take (docs/performance.md).
 */
export function createHttpServer(
  deps: Deps,
  otherwise: RequestListener,
): (request: IncomingMessage, response: ServerResponse, expectsContinue?: boolean) => void {
  const plain: Readonly<Record<string, Route>> = {
    '/healthz': async (_request, response) => answer(response, 200, { status: 'alive', version }),
    '/readyz': async (_request, response) => {
      if (await deps.isReady()) answer(response, 200, { status: 'ready' });
      else answer(response, 503, { status: 'not ready' });
    },
  };

  return function open(request, response, expectsContinue = false) {
    const url = request.url ?? '/';
    const query = url.indexOf('?');
    const path = query === -1 ? url : url.slice(0, query);
    const kind = webhookPath.exec(path)?.[1];
    const route = plain[path];
    const run =
      kind !== undefined
        ? deps.webhook(kind, request, response, expectsContinue)
        : route !== undefined
          ? plainRoute(route, request, response)
          : null;
    if (run === null) {
      if (expectsContinue) response.writeContinue();
      otherwise(request, response);
      return;
    }
    run.catch((error: unknown) => {
      deps.log.error({ err: error }, 'request could not be handled');
      if (!response.headersSent) answer(response, 500, { error: 'unexpected trouble on this side' });
      else response.destroy();
    });
  };
}

async function plainRoute(route: Route, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    answer(response, 405, { error: 'expected GET' });
    return;
  }
  await route(request, response, false);
}

function answer(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** Hands requests with `Expect: 100-continue` to the door before Node says "continue" to all of them. */
export function watchContinue(server: Server, open: ReturnType<typeof createHttpServer>): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => open(request, response, true));
}

/** Who sends the rest of a body more slowly than this while we stop will find another process, or send it again. */
const BODY_PATIENCE_MS = 2000;

/**
 * Makes a server's orderly end: nobody new is let in, requests under way are answered, and every connection closes as
 * soon as it has none. Node's own `close` waits for connections that have not sent anything yet, and for those that
 * are kept alive after an answer given meanwhile.
 */
export function createStop(server: Server): () => Promise<void> {
  const requests = new Map<Socket, Set<IncomingMessage>>();
  let isStopping = false;

  server.on(server instanceof TlsServer ? 'secureConnection' : 'connection', (socket: Socket) => {
    requests.set(socket, new Set());
    socket.once('close', () => requests.delete(socket));
  });
  const onRequest = (request: IncomingMessage, response: ServerResponse): void => {
    const { socket } = request;
    const inFlight = requests.get(socket);
    inFlight?.add(request);
    response.once('close', () => {
      inFlight?.delete(request);
      if (isStopping && (inFlight?.size ?? 0) === 0) socket.destroySoon();
    });
  };
  server.prependListener('request', onRequest);
  server.prependListener('checkContinue', onRequest);

  return () =>
    new Promise((resolve) => {
      isStopping = true;
      server.close(() => resolve());
      for (const [socket, inFlight] of requests) if (inFlight.size === 0) socket.destroy();
      setTimeout(() => {
        for (const [socket, inFlight] of requests) {
          if ([...inFlight].some(({ complete }) => !complete)) socket.destroy();
        }
      }, BODY_PATIENCE_MS).unref();
    });
}
