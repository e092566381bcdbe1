import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname } from 'node:path';

const ROOT = new URL('./page/', import.meta.url);

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** No external resources, no inline scripts: nothing in a message can ever run. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: https: http:; connect-src 'self'; base-uri 'none'; form-action 'none'";

/** Sends a file of the page. Every path without a file is the page itself. */
export async function sendPage(response: ServerResponse, url: URL) {
  const permalink = /^\/archives\/([A-Z0-9]+)\/p(\d{10})(\d{6})$/.exec(url.pathname);
  if (permalink) {
    const [, channel, seconds, rest] = permalink;
    return void response.writeHead(302, { location: `/?channel=${channel}&ts=${seconds}.${rest}` }).end();
  }
  const name = url.pathname === '/' ? 'index.html' : url.pathname.slice(1);
  const type = TYPES[extname(name)];
  if (type === undefined || !/^[a-z0-9-]+\.[a-z]+$/.test(name)) return void response.writeHead(404).end('not found');
  try {
    const content = await readFile(new URL(name, ROOT));
    response.writeHead(200, { 'content-type': type, 'content-security-policy': POLICY, 'cache-control': 'no-store' });
    response.end(content);
  } catch {
    response.writeHead(404).end('not found');
  }
}
