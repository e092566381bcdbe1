import type { IncomingMessage } from 'node:http';

/**
 * The URL of a request, whatever its path looks like. Null when it cannot be parsed. `//` starts a path here, not a
 * host.
 */
export function requestUrl({ url = '/' }: IncomingMessage, origin: string): URL | null {
  const text = `${origin}${url.startsWith('/') ? url : `/${url}`}`;
  return URL.canParse(text) ? new URL(text) : null;
}
