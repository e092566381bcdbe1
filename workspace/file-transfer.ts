import type { IncomingMessage, ServerResponse } from 'node:http';
import { answerCall } from './call.ts';
import type { Core } from './core.ts';
import { readBody } from './http-body.ts';

async function readFile(request: IncomingMessage): Promise<Buffer> {
  const body = await readBody(request);
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return body;
  const form = await new Response(new Uint8Array(body), { headers: { 'content-type': type } }).formData();
  for (const [, value] of form) if (typeof value !== 'string') return Buffer.from(await value.arrayBuffer());
  return Buffer.alloc(0);
}

/** Receives a file's bytes at the URL from `files.getUploadURLExternal`. Counts as method `upload_url`. */
export async function takeUpload(core: Core, request: IncomingMessage, response: ServerResponse, url: URL) {
  const id = url.pathname.split('/')[2] ?? '';
  const content = await readFile(request);
  await answerCall(core, response, 'upload_url', { file_id: id, bytes: content.length }, () => {
    const file = core.state.files.get(id);
    if (!file || file.complete) return { status: 404, body: { ok: false, error: 'file_not_found' } };
    if (content.length !== file.size) return { status: 400, body: { ok: false, error: 'length_mismatch' } };
    file.content = content;
    return { status: 200, body: { ok: true } };
  });
}

/** Sends a shared file, always as a download, because its content came from outside. */
export function sendFile(core: Core, response: ServerResponse, url: URL) {
  const file = core.state.files.get(url.pathname.split('/')[2] ?? '');
  if (!file?.complete) return void response.writeHead(404).end();
  const headers = {
    'content-type': file.mimetype.startsWith('text/') ? `${file.mimetype}; charset=utf-8` : file.mimetype,
    'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(file.name)}`,
    'x-content-type-options': 'nosniff',
  };
  response.writeHead(200, headers).end(file.content);
}
