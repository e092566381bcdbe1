import { createServer } from 'node:http';
import { listen } from '../../local/port.ts';
import type { WebhookKind } from '../../sandbox/server.ts';

/** Accepts the card service's webhooks about clicks at once, so that our own sender can deliver them. */
export interface Relay {
  readonly url: string;
  to(next: (kind: WebhookKind, body: string) => void): void;
  close(): void;
}

export async function startRelay(): Promise<Relay> {
  let next: (kind: WebhookKind, body: string) => void = () => {};
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (part: Buffer) => (body += part.toString()));
    request.on('end', () => {
      response.end('{}');
      next((request.url?.split('/').at(-1) ?? '') as WebhookKind, body);
    });
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}`,
    to(given) {
      next = given;
    },
    close: () => void server.close(),
  };
}
