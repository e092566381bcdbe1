import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, Server as TlsServer } from 'node:https';
import { App, HTTPReceiver, type Logger, LogLevel, type Receiver, type ReceiverEvent } from '@slack/bolt';
import { answerJson } from '../core/answer-json.ts';
import { listenError } from '../core/listen-error.ts';
import { type Log, printedText } from '../core/log.ts';
import { span } from '../core/trace.ts';
import {
  type createHttpServer,
  serverOptions,
  tlsOptions,
  watchConnections,
  watchContinue,
} from '../webhooks/http-server.ts';
import { callOptions } from './client.ts';
import { createBodyReader, createSlackGuard, SLACK_BODY_MAX_BYTES } from './guard.ts';
import type { PersonRate } from './person-rate.ts';
import { deliver, openedBy, type SlackProgram, type WhichProgram } from './several-programs.ts';
import { createSocket, createSocketReceiver } from './socket.ts';

interface SlackAppOptions {
  readonly botToken: string;
  readonly signingSecret: string | undefined;
  /** If set, Slack is reached over Socket Mode. Webhooks stay on HTTP. */
  readonly appToken: string | undefined;
  readonly apiUrl: string | undefined;
  readonly log: Log;
  /** The card programs that this process serves; `register` adds a program's listeners. */
  readonly programs: readonly (Omit<SlackProgram, 'processEvent'> & { readonly register: (app: App) => void })[];
  readonly whichProgram: WhichProgram;
  /** Tells a person that a request failed; `body` is Slack's delivery. */
  readonly answerFailed: (body: Record<string, unknown>) => Promise<void>;
  /** Answers deliveries that no listener handles: a button of an older version, an unknown command or form. */
  readonly answerUnknown: AnswerUnknown;
  readonly mayAsk: PersonRate;
  readonly answerTooMany: AnswerUnknown;
  /** Puts our own routes in front of Slack's. */
  readonly routes: (otherwise: Parameters<typeof createHttpServer>[1]) => ReturnType<typeof createHttpServer>;
}

/** @param ack acknowledges a delivery, with an answer that Slack accepts for this kind. */
export type AnswerUnknown = (body: Record<string, unknown>, ack: (answer?: object) => Promise<void>) => Promise<void>;

type Certificate = Parameters<typeof tlsOptions>[0];

const notFound: RequestListener = (_request, response) => answerJson(response, 404, { error: 'not found' });

/**
 * Bolt on its own HTTP server, with our routes in front; or over Socket Mode, with our routes on a plain server.
 *
 * `authorize` answers from memory: asking Slack at startup would keep the receivers closed while Slack is down.
 */
export function createSlackApp(options: SlackAppOptions) {
  const { log } = options;
  const { app, programs, receiver, failed } = createBolt(options);
  const untilAllRan = trackListeners(app, programs, failed, options);
  const socket = receiver instanceof HTTPReceiver ? null : createSocket(app, receiver, log);
  let stopServer: (() => Promise<void>) | undefined;
  let tlsServer: TlsServer | undefined;

  return {
    /** False while Socket Mode has no connection. */
    takesSlack: () => socket === null || socket.isOpen(),
    /** @returns the port. */
    async start({ host, port, tls }: { host: string; port: number; tls: Certificate | null }): Promise<number> {
      const settings = { ...serverOptions, ...(tls === null ? {} : tlsOptions(tls)) };
      const inWords = (error: unknown): never => {
        throw listenError(error, { host, port }, { host: 'HOST', port: 'PORT' });
      };
      let server: Server;
      const open = options.routes(
        receiver instanceof HTTPReceiver ? createSlackGuard(createBodyReader(receiver.requestListener)) : notFound,
      );
      if (receiver instanceof HTTPReceiver) {
        receiver.requestListener = open;
        server = (await receiver.start({ host, port }, settings).catch(inWords)) as Server;
      } else {
        server = tls === null ? createServer(settings, open) : createTlsServer(settings, open);
        await listen(server, host, port).catch(inWords);
        // In the background: the receivers must not wait for Slack.
        void socket?.open();
      }
      watchContinue(server, open);
      stopServer = watchConnections(server);
      if (server instanceof TlsServer) tlsServer = server;
      const address = server.address();
      return address !== null && typeof address === 'object' ? address.port : port;
    },
    /** Uses another certificate for new connections. */
    useTls: (tls: Certificate): void => tlsServer?.setSecureContext(tlsOptions(tls)),
    /** Accepts no more requests, and finishes those in flight. */
    async stop(): Promise<void> {
      await socket?.close();
      await stopServer?.();
      await untilAllRan();
    },
  };
}

function createBolt(options: SlackAppOptions) {
  const { botToken, signingSecret, appToken, apiUrl, log } = options;
  const logger = toBoltLogger(log);
  const clientOptions = callOptions(apiUrl);
  const receiver =
    appToken === undefined
      ? new HTTPReceiver({
          signingSecret: signingSecret ?? '',
          logger,
          bodyLimit: SLACK_BODY_MAX_BYTES,
          dispatchErrorHandler: ({ request, response }) => notFound(request, response),
        })
      : createSocketReceiver(appToken, logger, clientOptions);
  const authorize = async () => ({ botToken });
  const failed = new WeakSet<object>();
  const openApp = (source: Receiver): App => {
    const app = new App({ receiver: source, logger, extendedErrorHandler: true, authorize, clientOptions });
    // A listener that failed has already acknowledged, or Slack itself tells the person after three seconds.
    app.error(async ({ error, body }: { error: Error; body: object }) => {
      failed.add(body);
      log.error({ err: error }, 'a listener failed');
      await options.answerFailed({ ...body });
    });
    return app;
  };
  const first = openApp(receiver);
  const programs = options.programs.map(({ register, ...program }, index): SlackProgram => {
    const app = index === 0 ? first : openApp(noReceiver);
    program.inside(() => register(app));
    // Kept now: deliveries of the first app come through our own function later.
    const processEvent = app.processEvent.bind(app);
    return {
      ...program,
      // Errors of listeners go to `app.error`. What Bolt throws comes from reading the delivery, before any listener.
      processEvent: async (event) => {
        try {
          await processEvent(event);
        } catch {
          log.warn({ type: event.body['type'] }, 'could not read a Slack payload');
        }
      },
    };
  });
  return { app: first, programs, receiver, failed };
}

/** Deliveries arrive through the first program's app. */
const noReceiver: Receiver = { init: () => {}, start: async () => {}, stop: async () => {} };

/**
 * Answers deliveries that no listener handles: Bolt would not, and Slack would wait three seconds and warn of a broken
 * app. An acknowledged request may still have to be stored, so a process that stops waits for its listeners.
 *
 * @returns a function that resolves when no listener is running.
 */
function trackListeners(
  app: App,
  programs: readonly SlackProgram[],
  failed: WeakSet<object>,
  {
    mayAsk,
    answerTooMany,
    answerUnknown,
    whichProgram,
    log,
  }: Pick<SlackAppOptions, 'mayAsk' | 'answerTooMany' | 'answerUnknown' | 'whichProgram' | 'log'>,
): () => Promise<unknown> {
  const running = new Set<Promise<void>>();
  const processOrAnswer = async (event: ReceiverEvent): Promise<void> => {
    let isAcknowledged = false;
    const ack: ReceiverEvent['ack'] = async (answer) => {
      isAcknowledged = true;
      await event.ack(answer);
    };
    const person = askedBy(event.body);
    if (person !== null && !mayAsk(person)) return await answerTooMany(event.body, ack);
    const bodies = await span('slack request', { kind: 'server' }, () =>
      deliver({ ...event, ack }, programs, whichProgram),
    );
    if (!isAcknowledged && !bodies.some((body) => failed.has(body))) await answerUnknown(event.body, ack);
  };
  app.processEvent = async (event) => {
    const run = processOrAnswer(event);
    running.add(run);
    try {
      await run;
    } catch (error) {
      // Bolt answers 500, so that Slack tries again, but does not say why.
      log.error({ err: error }, 'could not handle a request of Slack');
      throw error;
    } finally {
      running.delete(run);
    }
  };
  return () => Promise.allSettled(running);
}

/** Who asks with a delivery. Null for workspace events, and for suggestions while someone types. */
function askedBy(body: Record<string, unknown>): string | null {
  const { type, user, user_id: userId } = body;
  if (type === 'block_suggestion') return null;
  const named = openedBy(body) ?? idOf(user) ?? userId;
  return typeof named === 'string' && named !== '' ? named : null;
}

function idOf(user: unknown): unknown {
  return typeof user === 'object' && user !== null && 'id' in user ? user.id : undefined;
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, () => resolve());
  });
}

/** Sends Bolt's log lines to our log. At debug level Bolt may log request bodies, so that level is dropped. */
function toBoltLogger(log: Log): Logger {
  return {
    debug: () => {},
    info: (...parts) => log.debug({ bolt: printedText(parts) }, 'bolt'),
    warn: (...parts) => log.warn({ bolt: printedText(parts) }, 'bolt'),
    error: (...parts) => log.error({ bolt: printedText(parts) }, 'bolt'),
    setLevel: () => {},
    getLevel: () => LogLevel.INFO,
    setName: () => {},
  };
}
