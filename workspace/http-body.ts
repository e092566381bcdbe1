import type { IncomingMessage, ServerResponse } from 'node:http';
import { parse } from 'node:querystring';
import { isRecord, type Json } from './json.ts';

const BODY_MAX_BYTES = 20 * 1024 * 1024;

/** Reads a complete request. Throws when it is larger than anything that a test or the demo sends. */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_MAX_BYTES) throw new Error('request body is too large');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The arguments of a Web API call from its query, form, multipart or JSON body. Undefined for invalid JSON. */
export async function readArguments(request: IncomingMessage, url: URL): Promise<Json | undefined> {
  const body = await readBody(request);
  const query = Object.fromEntries(url.searchParams);
  const type = request.headers['content-type'] ?? '';
  if (body.length === 0) return query;
  if (type.startsWith('application/json')) {
    const parsed = parseJson(body.toString());
    return isRecord(parsed) ? { ...query, ...parsed } : undefined;
  }
  if (type.startsWith('multipart/form-data')) {
    const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
    const fields = [...form].map(
      async ([name, value]): Promise<[string, unknown]> => [
        name,
        typeof value === 'string' ? value : Buffer.from(await value.arrayBuffer()),
      ],
    );
    return { ...query, ...Object.fromEntries(await Promise.all(fields)) };
  }
  return { ...query, ...parse(body.toString()) };
}

/** Parses JSON. Undefined when it is invalid. */
export function parseJson(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** Sends a JSON response. */
export function sendJson(
  response: ServerResponse,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
) {
  if (response.destroyed || response.headersSent) return;
  const bytes = Buffer.from(JSON.stringify(body));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': bytes.length,
    ...headers,
  });
  response.end(bytes);
}
