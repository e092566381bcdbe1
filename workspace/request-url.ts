import type { IncomingMessage } from 'node:http';

/** The address of a request, whatever its path looks like; null where it cannot be read. `//` begins a path here, not a host. */
export function requestUrl({ url = '/' }: IncomingMessage, origin: string): URL | null {
  const text = `${origin}${url.startsWith('/') ? url : `/${url}`}`;
  return URL.canParse(text) ? new URL(text) : null;
}
