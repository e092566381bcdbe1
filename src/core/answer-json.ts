import type { IncomingMessage, ServerResponse } from 'node:http';

export function answerJson(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

/** False for a request that would change something. It is then answered with 405. */
export function onlyReads({ method }: IncomingMessage, response: ServerResponse): boolean {
  if (method === 'GET' || method === 'HEAD') return true;
  answerJson(response, 405, { error: 'expected GET' }, { allow: 'GET, HEAD' });
  return false;
}
