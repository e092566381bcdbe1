import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerJson, onlyReads } from '../core/answer-json.ts';
import { listenError } from '../core/listen-error.ts';
import type { Log } from '../core/log.ts';

/** What the admin port reports about its process. */
export interface AdminFacts {
  /** Problems that keep this process from working; empty when it is ready. Answers within a second. */
  readonly problems: () => Promise<readonly string[]>;
  /** Problems that do not stop the process, for example a refused token. */
  readonly warnings: () => readonly string[];
  /** Metrics in the Prometheus text format. */
  readonly metrics: () => Promise<{ readonly contentType: string; readonly text: string }>;
  /** The handler of `/queues`; null when there is none. */
  readonly queuePage: () => RequestListener | null;
  readonly log: Log;
}

/**
 * Serves probes and metrics on a separate port, so that they are never public: `GET /livez` (200 while the process lives),
 * `GET /readyz` (503 with the problems) and `GET /metrics`.
 *
 * @param address `port` 0 picks a free one.
 */
export async function startAdminServer(address: { readonly host: string; readonly port: number }, facts: AdminFacts) {
  const routes: Readonly<Record<string, (response: ServerResponse) => Promise<void>>> = {
    '/livez': async (response) => answerJson(response, 200, { status: 'alive' }),
    '/readyz': async (response) => {
      const problems = await facts.problems();
      const warnings = facts.warnings();
      const status = problems.length === 0 ? 200 : 503;
      answerJson(response, status, {
        status: status === 200 ? 'ready' : 'not ready',
        ...(problems.length > 0 && { problems }),
        ...(warnings.length > 0 && { warnings }),
      });
    },
    '/metrics': async (response) => {
      const { contentType, text } = await facts.metrics();
      response.writeHead(200, { 'content-type': contentType }).end(text);
    },
  };

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      facts.log.error({ err: error }, 'an admin request failed');
      if (response.headersSent) response.destroy();
      else answerJson(response, 500, { error: 'unexpected error' });
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, address, { host: 'ADMIN_HOST', port: 'ADMIN_PORT' })));
    server.listen(address.port, address.host, resolve);
  });

  return {
    port: (server.address() as AddressInfo).port,
    async close(): Promise<void> {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = request.url?.split('?')[0] ?? '';
    const page = /^\/queues(?:\/|$)/.test(path) ? facts.queuePage() : null;
    if (page !== null) return page(request, response);
    const route = routes[path];
    if (route === undefined) return answerJson(response, 404, { error: 'expected /livez, /readyz or /metrics' });
    if (onlyReads(request, response)) await route(response);
  }
}
