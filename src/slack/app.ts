import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { App, HTTPReceiver, type Logger, LogLevel, type ReceiverEvent, SocketModeReceiver } from '@slack/bolt';
import type { Log } from '../core/log.ts';
import {
  type createHttpServer,
  createStop,
  serverOptions,
  tlsOptions,
  watchContinue,
} from '../webhooks/http-server.ts';

export interface SlackAppOptions {
  readonly botToken: string;
  readonly signingSecret: string | undefined;
  /** Given: Slack's side runs over Socket Mode, webhooks stay on HTTP. */
  readonly appToken: string | undefined;
  readonly apiUrl: string | undefined;
  readonly log: Log;
  /** Tells a person that what they asked for did not get through; `body` is what Slack delivered. */
  readonly apologise: (body: Record<string, unknown>) => Promise<void>;
  /** Answers what no listener takes: a button of an older version, a command or a form that does not exist. */
  readonly answerUnknown: AnswerUnknown;
  /** Routes that are not Slack's, put in front of Bolt's listener. */
  readonly door: (otherwise: RequestListener) => ReturnType<typeof createHttpServer>;
}

/** @param ack acknowledges a delivery, with what Slack takes as the answer to its kind. */
export type AnswerUnknown = (body: Record<string, unknown>, ack: (answer?: object) => Promise<void>) => Promise<void>;

export interface SlackApp {
  readonly app: App;
  /** Listens, and takes Slack's requests. @returns the port. */
  start(options: { host: string; port: number; tls: { cert: Buffer; key: Buffer } | null }): Promise<number>;
  /** False while the socket of Socket Mode is not open. */
  takesSlack(): boolean;
  /** Stops taking; requests under way are finished. */
  stop(): Promise<void>;
}

const SOCKET_RETRY_MAX_MS = 30_000;

const notFound: RequestListener = (_request, response) => {
  response.writeHead(404, { 'content-type': 'application/json; charset=utf-8' });
  response.end('{"error":"not found"}');
};

/**
 * Bolt on its own HTTP server, with our routes in front; or over Socket Mode, with our routes on a plain server.
 *
 * `authorize` answers from what we hold: asking Slack at start would keep the receivers shut while Slack is away.
 */
export function createSlackApp(options: SlackAppOptions): SlackApp {
  const { botToken, signingSecret, appToken, apiUrl, log } = options;
  const logger = toBoltLogger(log);
  const clientOptions = {
    timeout: 10_000,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    ...(apiUrl === undefined ? {} : { slackApiUrl: apiUrl }),
  };
  const receiver =
    appToken === undefined
      ? new HTTPReceiver({
          signingSecret: signingSecret ?? '',
          logger,
          dispatchErrorHandler: ({ request, response }) =>
            notFound(request, response as Parameters<RequestListener>[1]),
        })
      : new SocketModeReceiver({ appToken, logger, installerOptions: { clientOptions } });
  const app = new App({
    receiver,
    logger,
    extendedErrorHandler: true,
    authorize: async () => ({ botToken }),
    clientOptions,
  });
  const failed = new WeakSet<object>();
  // A listener that failed has acknowledged already, or Slack tells the person itself after three seconds.
  app.error(async ({ error, body }: { error: Error; body: object }) => {
    failed.add(body);
    log.error({ err: error }, 'listener failed');
    await options.apologise(body as Record<string, unknown>);
  });
  // Acknowledged is not done: what a listener still has to store must be stored before we go.
  const inFlight = new Set<Promise<void>>();
  const processEvent = app.processEvent.bind(app);
  app.processEvent = async (event) => {
    const run = processOrAnswer(event);
    inFlight.add(run);
    try {
      await run;
    } finally {
      inFlight.delete(run);
    }
  };

  /** Bolt leaves what nobody listens to without an answer: Slack would wait three seconds and warn of a broken app. */
  async function processOrAnswer(event: ReceiverEvent): Promise<void> {
    let isAcknowledged = false;
    const ack: ReceiverEvent['ack'] = async (answer) => {
      isAcknowledged = true;
      await event.ack(answer);
    };
    await processEvent({ ...event, ack });
    if (!isAcknowledged && !failed.has(event.body)) await options.answerUnknown(event.body, ack);
  }

  let stop: (() => Promise<void>) | undefined;
  let socket: 'unused' | 'connecting' | 'connected' | 'stopped' = appToken === undefined ? 'unused' : 'connecting';

  /** Tries until it works: Slack being away at start is no reason to be away oneself. */
  async function connectSocket(): Promise<void> {
    for (let attempt = 1; socket === 'connecting'; attempt += 1) {
      try {
        await app.start();
        socket = 'connected';
      } catch (error) {
        log.error({ err: error }, 'socket to Slack could not be opened, trying again');
        await sleep(Math.min(1000 * 2 ** attempt, SOCKET_RETRY_MAX_MS));
      }
    }
  }

  return {
    app,
    takesSlack: () => socket === 'unused' || socket === 'connected',
    async start({ host, port, tls }) {
      const tlsSettings = tls === null ? {} : tlsOptions(tls);
      let server: Server;
      const open = options.door(receiver instanceof HTTPReceiver ? receiver.requestListener : notFound);
      if (receiver instanceof HTTPReceiver) {
        receiver.requestListener = open;
        server = (await receiver.start({ host, port } as never, { ...serverOptions, ...tlsSettings })) as Server;
      } else {
        server =
          tls === null
            ? createServer(serverOptions, open)
            : createTlsServer({ ...serverOptions, ...tlsSettings }, open);
        await listen(server, host, port);
        // In the background: the receivers must not wait for Slack.
        void connectSocket();
      }
      watchContinue(server, open);
      stop = createStop(server);
      const address = server.address();
      return address !== null && typeof address === 'object' ? address.port : port;
    },
    async stop() {
      const wasConnected = socket === 'connected';
      socket = 'stopped';
      if (wasConnected) await app.stop();
      await stop?.();
      await Promise.allSettled(inFlight);
    },
  };
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => resolve());
  });
}

/** Bolt's log lines as ours. What Bolt says at its debug level may hold request bodies, so that level stays shut. */
export function toBoltLogger(log: Log): Logger {
  const text = (parts: unknown[]): string =>
    parts.map((part) => (part instanceof Error ? part.message : String(part))).join(' ');
  return {
    debug: () => {},
    info: (...parts) => log.debug({ bolt: text(parts) }, 'bolt'),
    warn: (...parts) => log.warn({ bolt: text(parts) }, 'bolt'),
    error: (...parts) => log.error({ bolt: text(parts) }, 'bolt'),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}
