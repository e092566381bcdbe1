import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen } from '../../local/port.ts';

/** The simulated fault for a request. Null passes the request on unchanged. */
export type Tamper = (request: { method: string; path: string; body: string }) => 'twice' | { answer: object } | null;

/** A proxy between two programs that passes on, drops or duplicates requests. */
export interface Between {
  /** @returns a URL that reaches this URL through the proxy. */
  lead(url: string): Promise<string>;
  /** Sets the fault from now on. Null passes everything on. */
  tamper(how: Tamper | null): void;
  close(): void;
}

/** Injects faults on the wire, which avoids changes to Cardbell's code. */
export function createBetween(): Between {
  let tamper: Tamper | null = null;
  const servers: ReturnType<typeof createServer>[] = [];
  return {
    async lead(url) {
      const target = new URL(url);
      const server = createServer((request, response) => {
        pass(request, response, target, () => tamper).catch(() => response.destroy());
      });
      servers.push(server);
      const port = await listen(server);
      return `http://127.0.0.1:${port}${target.pathname === '/' ? '' : target.pathname}`;
    },
    tamper(how) {
      tamper = how;
    },
    close() {
      for (const server of servers) {
        server.closeAllConnections();
        server.close();
      }
    },
  };
}

async function pass(
  request: IncomingMessage,
  response: ServerResponse,
  target: URL,
  tamper: () => Tamper | null,
): Promise<void> {
  const body = await textOf(request);
  const path = request.url ?? '/';
  const how = tamper()?.({ method: request.method ?? '', path, body: body.toString() }) ?? null;
  if (how !== null && how !== 'twice') {
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(how.answer));
    return;
  }
  const answer = await send(request, body, target);
  if (how === 'twice') await send(request, body, target);
  response.writeHead(answer.status, answer.headers).end(answer.body);
}

async function send({ method, url: path, headers }: IncomingMessage, body: Buffer, { hostname, port }: URL) {
  return await new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
    const own = { ...headers, host: `${hostname}:${port}` };
    const sending = httpRequest({ hostname, port, path, method, headers: own }, (answer) => {
      textOf(answer).then(
        (text) => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: text }),
        reject,
      );
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

async function textOf(stream: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return Buffer.concat(parts);
}
