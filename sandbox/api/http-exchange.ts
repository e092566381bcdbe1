import type { IncomingMessage, ServerResponse } from 'node:http';
import { invalidRequest, ServiceError } from '../service-error.ts';
import type { ApiAnswer } from './route.ts';

const BODY_MAX_BYTES = 1024 * 1024;

/** Reads a JSON body; undefined when there is none. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new ServiceError(413, 'The request is too large.');
    chunks.push(chunk);
  }
  const text = Buffer.concat(chunks).toString('utf8');
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest('The body is not JSON.');
  }
}

/** Sends an answer as JSON. Without a body, sends only the status. */
export function sendJson(
  response: ServerResponse,
  { status, body, headers: own }: ApiAnswer,
  more: Record<string, string> = {},
): void {
  if (response.destroyed || response.headersSent) return;
  const headers = { ...own, ...more };
  if (body === undefined) {
    response.writeHead(status, { 'Content-Length': '0', ...headers }).end();
    return;
  }
  const text = JSON.stringify(body);
  response
    .writeHead(status, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      ...headers,
    })
    .end(text);
}

/** The answer to a thrown error: a refusal as it is; anything else counts as a fault of the sandbox. */
export function answerOf(error: unknown, report: (error: unknown) => void): ApiAnswer {
  if (error instanceof ServiceError) {
    return { status: error.status, body: { Message: error.message }, headers: error.headers };
  }
  report(error);
  return { status: 500, body: { Message: 'System error' } };
}
