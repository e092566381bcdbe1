import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { parseJson } from './http-body.ts';
import { isRecord, type Json } from './json.ts';
import { requestUrl } from './request-url.ts';

const PING_MS = 5_000;
/** How long an app may take to answer a close frame. */
const CLOSE_MS = 200;
/** https://www.rfc-editor.org/rfc/rfc6455#section-7.4.1 */
const GOING_AWAY = 1001;
/** Longest acknowledgement in bytes: four times the largest view. */
const PAYLOAD_MAX = 1_000_000;

const ENVELOPES = { command: 'slash_commands', interactive: 'interactive', event: 'events_api' } as const;

/** The app's connections over Socket Mode. https://docs.slack.dev/apis/events-api/using-socket-mode */
export interface SocketMode {
  /** A URL for one connection, as returned by `apps.connections.open`. */
  createAddress(origin: string): string;
  connected(): boolean;
  /** Sends one envelope and waits for its acknowledgement. Throws when none arrives in time. */
  send(form: keyof typeof ENVELOPES, payload: Json, waitMs: number): Promise<{ status: number; body: string }>;
  /** Accepts a connection that requests an upgrade. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  closeAll(): void;
}

/** Starts without connections. */
export function createSocketMode(): SocketMode {
  const tickets = new Set<string>();
  const server = new WebSocketServer({ noServer: true, maxPayload: PAYLOAD_MAX });
  const waiting = new Map<string, (body: string) => void>();

  function receive(data: RawData) {
    // A server receives one Buffer per message unless another `binaryType` is set.
    const answer = parseJson((data as Buffer).toString());
    if (!isRecord(answer) || typeof answer.envelope_id !== 'string') return;
    const body = answer.payload;
    waiting.get(answer.envelope_id)?.(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
    waiting.delete(answer.envelope_id);
  }

  function greet(client: WebSocket) {
    const pings = setInterval(() => client.ping('ping'), PING_MS).unref();
    client.on('message', receive);
    // `ws` closes a connection with an error.
    client.on('error', () => undefined);
    client.on('close', () => clearInterval(pings));
    const connections = server.clients.size;
    const hello = { type: 'hello', num_connections: connections, debug_info: { approximate_connection_time: 18_060 } };
    client.send(JSON.stringify(hello));
  }

  function openClient(): WebSocket | undefined {
    return [...server.clients].find((client) => client.readyState === client.OPEN);
  }

  return {
    createAddress(origin) {
      const ticket = randomBytes(16).toString('hex');
      tickets.add(ticket);
      return `${origin.replace('http:', 'ws:')}/socket/?ticket=${ticket}`;
    },
    connected: () => openClient() !== undefined,
    send(form, payload, waitMs) {
      const client = openClient();
      if (!client) throw new Error('no connection over Socket Mode');
      const id = randomBytes(16).toString('hex');
      const envelope = { envelope_id: id, type: ENVELOPES[form], payload, accepts_response_payload: form !== 'event' };
      return new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          waiting.delete(id);
          reject(Object.assign(new Error('no acknowledgement'), { name: 'TimeoutError' }));
        }, waitMs);
        waiting.set(id, (body) => {
          clearTimeout(late);
          resolve({ status: 200, body });
        });
        client.send(JSON.stringify(envelope));
      });
    },
    accept(request, socket, head) {
      const ticket = requestUrl(request, 'http://127.0.0.1')?.searchParams.get('ticket') ?? '';
      if (!tickets.delete(ticket)) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      server.handleUpgrade(request, socket, head, greet);
    },
    closeAll() {
      for (const client of server.clients) {
        client.close(GOING_AWAY);
        setTimeout(() => client.terminate(), CLOSE_MS);
      }
    },
  };
}
