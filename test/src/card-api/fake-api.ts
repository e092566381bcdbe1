import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect, vi } from 'vitest';
import { listen } from '../../../local/port.ts';
import { type CardClient, type CardClientOptions, createCardClient } from '../../../src/card-api/client.ts';
import { CardApiError } from '../../../src/core/errors.ts';

export interface Received {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly authorization: string | undefined;
  readonly userAgent: string | undefined;
  readonly contentType: string | undefined;
  readonly text: string;
}

export type Reply = (response: ServerResponse, request: Received, incoming: IncomingMessage) => void;

/** A card API on loopback that answers with the queued replies and repeats the last one. */
export interface FakeApi {
  readonly url: string;
  readonly received: Received[];
  /** The client's waits in milliseconds. */
  readonly waits: number[];
  answerWith(...replies: Reply[]): void;
  client(options?: Partial<CardClientOptions>): CardClient;
  close(): Promise<void>;
}

export const TOKEN = 'SECRET-TOKEN-1';

export async function startFakeApi(): Promise<FakeApi> {
  const received: Received[] = [];
  const waits: number[] = [];
  let replies: Reply[] = [json(200, {})];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const url = new URL(request.url ?? '', 'http://localhost');
      const one: Received = {
        method: request.method ?? '',
        path: url.pathname,
        query: url.searchParams,
        authorization: request.headers.authorization,
        userAgent: request.headers['user-agent'],
        contentType: request.headers['content-type'],
        text: Buffer.concat(chunks).toString(),
      };
      received.push(one);
      const reply = replies.length > 1 ? replies.shift() : replies[0];
      reply?.(response, one, request);
    });
  });
  const url = `http://127.0.0.1:${await listen(server)}/v4`;
  return {
    url,
    received,
    waits,
    answerWith(...next) {
      replies = next;
    },
    client: (options = {}) =>
      createCardClient({
        baseUrl: url,
        token: TOKEN,
        sleep: async (ms) => void waits.push(ms),
        breaker: { threshold: 1000 },
        ...options,
      }),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export function json(status: number, body: unknown, headers: Record<string, string> = {}): Reply {
  return (response) =>
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

export function refusal(status: number, message: string, headers: Record<string, string> = {}): Reply {
  return json(status, { Message: message }, headers);
}

export const html = (status: number, reason: string): Reply => {
  return (response) =>
    response.writeHead(status, reason, { 'content-type': 'text/html' }).end('<html>Jane Doe 4111 was here</html>');
};

/** The service made the change and the response was lost. */
export const cut: Reply = (response) => response.destroy();

export const hang: Reply = () => {};

/** Headers and half a body, then nothing more. */
export const halfBody = (status: number, then: 'cut' | 'hang'): Reply => {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"half":', () => {
      if (then === 'cut') response.destroy();
    });
  };
};

/** One call of each kind of retry. */
export const calls = {
  read: (client: CardClient) => client.getAccount(7378),
  block: (client: CardClient) => client.setCardStatus(7378, 'BLOCKED'),
  activate: (client: CardClient) => client.activateCard(7378, 6231),
  limit: (client: CardClient) => client.putSpendRules(7378, { DailySpendLimit: 450 }),
  resend: (client: CardClient) => client.requestVirtualCardData({ AcctId: 7378 }),
};

/** The error that a call ends with. */
export async function failureOf(work: Promise<unknown>): Promise<CardApiError> {
  const error: unknown = await work.then(
    () => new Error('it worked'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(CardApiError);
  return error as CardApiError;
}

/** Time stands still, so that no timeout decides when a test ends. */
export const stopTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
