import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { releaseExpiredHolds } from '../engine/purchase.ts';
import { ServiceError, wrongMethod } from '../service-error.ts';
import type { Simulation } from '../simulation.ts';
import type { World } from '../state/world.ts';
import { documentAt } from './documents.ts';
import type { Fault, Faults } from './faults.ts';
import { answerOf, readJson, sendJson } from './http-exchange.ts';
import { type ApiAnswer, type ApiOptions, createRouter, type Route } from './route.ts';
import { ROUTES } from './routes.ts';
import { SIMULATE_ROUTES } from './simulate.ts';
import { authenticate } from './token.ts';

/** One call of the API, as it arrived. */
export interface ApiCall {
  readonly method: string;
  /** With the version segment, without the query. */
  readonly path: string;
  readonly query: string;
  /** Parsed JSON. Undefined when there was none. */
  readonly body: unknown;
  /** Null while the call hangs, or when the connection was cut. */
  status: number | null;
  /** The status that the service meant to answer, even if the caller never got it. Null: nothing was done. */
  done: number | null;
  readonly at: Date;
}

interface Deps {
  readonly world: World;
  readonly simulation: Simulation;
  readonly faults: Faults;
  readonly token: string;
  readonly options: ApiOptions;
  readonly calls: ApiCall[];
  readonly countCall: (method: string, routePath: string) => void;
  /** Called after each call that may have changed something. */
  readonly changed: () => void;
  readonly report: (error: unknown) => void;
}

/** The HTTP server of the sandbox: the API under `/v4`, the simulation beside it. */
export function createHttpServer(deps: Deps): Server {
  const match = createRouter(ROUTES);

  function answerApi(call: ApiCall, request: IncomingMessage): ApiAnswer {
    const { world, token, options } = deps;
    const [, version = '', path = '/'] = /^\/(v\d[^/]*)(\/.*)?$/i.exec(call.path) ?? [];
    if (version.toLowerCase() !== 'v4') {
      const shown = version === '' ? 'The path has no version segment' : `Version ${version} is not served`;
      throw new ServiceError(world.assume.wrongVersionStatus, `${shown}: use /v4`);
    }
    const found = match(call.method, path);
    const isOpen = ('route' in found ? [found.route] : found.others).some(({ open }) => open === true);
    const bearer = isOpen ? '' : authenticate(world, request.headers.authorization, token);
    if (!('route' in found)) throw noSuchRoute(found.others);
    deps.countCall(found.route.method, found.route.path);
    if (call.body instanceof ServiceError) throw call.body;
    releaseExpiredHolds(world);
    return found.route.answer({
      world,
      params: found.params,
      query: new URLSearchParams(call.query),
      body: call.body,
      token: bearer,
      options,
    });
  }

  async function serveApi(request: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const body = await readJson(request).catch((error: unknown) => error);
    const call: ApiCall = {
      method: request.method ?? 'GET',
      path: url.pathname,
      query: url.search,
      body,
      status: null,
      done: null,
      at: new Date(),
    };
    deps.calls.push(call);
    const fault = deps.faults.take(call.method, call.path);
    const early = fault && beforeEffect(fault);
    if (early === 'hang_up') return void request.socket.destroy();
    if (early === 'hang' && !(await waits(fault, response))) return;

    let answer: ApiAnswer;
    if (typeof early === 'object') answer = early;
    else {
      try {
        answer = answerApi(call, request);
      } catch (error) {
        answer = answerOf(error, deps.report);
      }
      call.done = answer.status;
      deps.changed();
    }
    if (fault?.kind === 'hang_up_after_effect') return void request.socket.destroy();
    if (fault?.kind === 'hang_after_effect' && !(await waits(fault, response))) return;
    call.status = answer.status;
    if (fault?.kind === 'http_502_html') return sendHtml(response);
    sendJson(response, answer, headersOf(fault));
  }

  async function serveSimulate(request: IncomingMessage, response: ServerResponse, name: string): Promise<void> {
    let answer: ApiAnswer;
    try {
      assertLocal(request);
      const key = name.toLowerCase();
      const route = Object.hasOwn(SIMULATE_ROUTES, key) ? SIMULATE_ROUTES[key] : undefined;
      if (route === undefined)
        throw new ServiceError(404, `Nothing to simulate: ${Object.keys(SIMULATE_ROUTES).join(', ')}`);
      if (request.method !== 'POST') throw wrongMethod(['POST']);
      answer = { status: 200, body: route.act(deps.simulation, await readJson(request)) };
      deps.changed();
    } catch (error) {
      answer = answerOf(error, deps.report);
    }
    sendJson(response, answer);
  }

  // Node 20 closes an idle connection after 5 seconds, and a call sent at that moment fails.
  return createServer({ keepAliveTimeout: 72_000 }, (request, response) => {
    const url = urlOf(request.url ?? '/');
    if (url === null) {
      sendJson(response, { status: 400, body: { Message: 'The address is not encoded correctly.' } });
      return;
    }
    const document = documentAt(url.pathname);
    if (document !== undefined) {
      const isRead = request.method === 'GET';
      sendJson(response, isRead ? { status: 200, body: document } : answerOf(wrongMethod(['GET']), deps.report));
      return;
    }
    const simulated = /^\/simulate\/([^/]+)\/?$/i.exec(url.pathname);
    const served =
      simulated === null ? serveApi(request, response, url) : serveSimulate(request, response, simulated[1] ?? '');
    served.catch((error: unknown) => {
      deps.report(error);
      response.destroy();
    });
  });
}

/** Null when it cannot be decoded. `//` is a path here, not the start of a host. */
function urlOf(path: string): URL | null {
  const text = `http://sandbox${path.startsWith('/') ? path : `/${path}`}`;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  try {
    decodeURIComponent(url.pathname);
    return url;
  } catch {
    return null;
  }
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/**
 * Only programs on this machine may simulate: no page of another site (its `Origin`), and no host name that someone's
 * DNS points here (its `Host`).
 */
function assertLocal({ headers: { host, origin } }: IncomingMessage): void {
  for (const url of [host === undefined ? undefined : `http://${host}`, origin]) {
    if (url === undefined) continue;
    if (!URL.canParse(url) || !LOOPBACK.test(new URL(url).hostname))
      throw new ServiceError(403, 'Simulation is only for programs on this machine');
  }
}

function noSuchRoute(others: readonly Route[]): ServiceError {
  if (others.length === 0) return new ServiceError(404, 'No such endpoint');
  return wrongMethod(others.map(({ method }) => method));
}

/** What a fault does before the call takes effect: its own answer, a wait, a cut, or nothing. */
function beforeEffect({ kind, message = 'Refused' }: Fault): ApiAnswer | 'hang' | 'hang_up' | undefined {
  switch (kind) {
    case 'http_500':
      return { status: 500, body: { Message: 'System error' } };
    case 'http_502_html':
      return { status: 502 };
    case 'rate_limited':
      return { status: 429, body: { Message: 'Usage limits exceeded' } };
    case 'refused':
      return { status: 400, body: { Message: message } };
    case 'token_expired':
      return { status: 401, body: { Message: 'Token expired or does not exist' } };
    case 'hang':
    case 'hang_up':
      return kind;
    case 'hang_after_effect':
    case 'hang_up_after_effect':
      return undefined;
  }
}

/** Waits out a hanging call. False: it never ends, or the caller has gone. */
async function waits(fault: Fault | undefined, response: ServerResponse): Promise<boolean> {
  const { ms } = fault ?? {};
  if (ms === undefined) return false;
  await new Promise((resolve) => setTimeout(resolve, ms));
  return !response.destroyed;
}

function headersOf(fault: Fault | undefined): Record<string, string> {
  return fault?.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(fault.retryAfterSeconds) };
}

/** The answer of a proxy in front of the service: a page, not JSON. */
function sendHtml(response: ServerResponse): void {
  response
    .writeHead(502, { 'Content-Type': 'text/html' })
    .end('<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>');
}
