import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { afterAll, beforeAll } from 'vitest';
import { listen } from '../../local/port.ts';
import { type LocalRedis, startRedis } from '../../local/redis.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server.ts';
import { assertFitsDocument } from './fits-document.ts';
import type { Payload } from './payload.ts';

/** A webhook as received. */
export interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Payload;
  readonly atMs: number;
}

export interface Receiver {
  readonly url: string;
  readonly received: Received[];
  /** Writes the response. 200 unless set. */
  answer: (request: Received, response: ServerResponse) => void;
  close(): Promise<void>;
}

/** A webhook receiver on loopback. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
      const one = { path: request.url ?? '', headers: request.headers, body, atMs: performance.now() };
      received.push(one);
      receiver.answer(one, response);
    });
  });
  const receiver: Receiver = {
    url: `http://127.0.0.1:${await listen(server)}/hooks`,
    received,
    answer: (_request, response) => void response.writeHead(200).end(),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return receiver;
}

export interface ApiResult {
  readonly status: number;
  readonly body: Payload;
  readonly headers: Headers;
}

/** Calls the API with the valid token, and checks the response against the OpenAPI document. */
export async function callApi(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ApiResult> {
  const response = await fetch(`${sandbox.url}${path}`, {
    method,
    headers: { Authorization: 'token T', 'Content-Type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') ?? false;
  const result: Payload = isJson ? JSON.parse(text) : text;
  if (isJson) assertFitsDocument(method, new URL(response.url).pathname, response.status, result);
  return { status: response.status, body: result, headers: response.headers };
}

/** Calls a `/simulate` route, and checks the response in the same way. */
export async function simulate(sandbox: Sandbox, name: string, body: unknown): Promise<ApiResult> {
  const response = await fetch(`${sandbox.simulateUrl}/${name}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const answer: Payload = await response.json();
  assertFitsDocument('POST', `/simulate/${name}`, response.status, answer);
  return { status: response.status, body: answer, headers: response.headers };
}

/** Waits until the condition is true. @throws when it never is. */
export async function until(holds: () => boolean, what: string, deadlineMs = 60_000): Promise<void> {
  const end = performance.now() + deadlineMs;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** Provides one Redis per test file, and sandboxes that are stopped after it. */
export function useSandboxes(): {
  redisUrl: () => string;
  start: (options?: Partial<SandboxOptions>) => Promise<Sandbox>;
} {
  let redis: LocalRedis;
  const running: Sandbox[] = [];
  beforeAll(async () => {
    redis = await startRedis();
  });
  afterAll(async () => {
    for (const sandbox of running) await sandbox.stop();
    await redis.stop();
  });
  return {
    redisUrl: () => redis.url,
    async start(options = {}) {
      const sandbox = await startSandbox({ token: 'T', secret: 'S3CRET', redisUrl: redis.url, ...options });
      running.push(sandbox);
      return sandbox;
    },
  };
}
