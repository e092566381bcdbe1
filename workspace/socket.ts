import { createHash, randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { decodeFrame, encodeFrame, OPCODES } from './frame.ts';
import { parseJson } from './http-body.ts';
import { isRecord, type Json } from './json.ts';

const PING_MS = 5_000;
/** How long an app has to answer a close frame. */
const CLOSE_MS = 200;
/** Status 1001 in two bytes. */
const GOING_AWAY = Buffer.from([0x03, 0xe9]);
/** From RFC 6455: a peer that knows this constant has read it. */
const WEBSOCKET_GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

const ENVELOPES = { command: 'slash_commands', interactive: 'interactive', event: 'events_api' } as const;

/** The app's connections over Socket Mode. https://docs.slack.dev/apis/events-api/using-socket-mode */
export interface SocketMode {
  /** An address for one connection, as `apps.connections.open` answers it. */
  createAddress(origin: string): string;
  connected(): boolean;
  /** Sends one envelope and waits for its acknowledgement. Throws when none comes in time. */
  send(form: keyof typeof ENVELOPES, payload: Json, waitMs: number): Promise<{ status: number; body: string }>;
  /** Takes over a connection that asks for an upgrade. */
  accept(request: IncomingMessage, socket: Duplex): void;
  closeAll(): void;
}

/** No connections yet. */
export function createSocketMode(): SocketMode {
  const tickets = new Set<string>();
  const open = new Set<Duplex>();
  const waiting = new Map<string, (body: string) => void>();

  function receive(socket: Duplex, opcode: number, payload: Buffer) {
    if (opcode === OPCODES.ping) socket.write(encodeFrame(OPCODES.pong, payload));
    if (opcode === OPCODES.close) socket.end(encodeFrame(OPCODES.close, payload));
    if (opcode !== OPCODES.text) return;
    const answer = parseJson(payload.toString());
    if (!isRecord(answer) || typeof answer.envelope_id !== 'string') return;
    const body = answer.payload;
    waiting.get(answer.envelope_id)?.(body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body));
    waiting.delete(answer.envelope_id);
  }

  function listen(socket: Duplex) {
    let bytes: Buffer = Buffer.alloc(0);
    const pings = setInterval(() => socket.write(encodeFrame(OPCODES.ping, Buffer.from('ping'))), PING_MS).unref();
    open.add(socket);
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk]);
      for (let next = decodeFrame(bytes); next; next = decodeFrame(bytes)) {
        bytes = next.rest;
        receive(socket, next.frame.opcode, next.frame.payload);
      }
    });
    socket.on('error', () => socket.destroy());
    socket.on('close', () => {
      clearInterval(pings);
      open.delete(socket);
    });
  }

  return {
    createAddress(origin) {
      const ticket = randomBytes(16).toString('hex');
      tickets.add(ticket);
      return `${origin.replace('http:', 'ws:')}/socket/?ticket=${ticket}`;
    },
    connected: () => open.size > 0,
    send(form, payload, waitMs) {
      const [socket] = open;
      if (!socket) throw new Error('no connection over Socket Mode');
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
        socket.write(encodeFrame(OPCODES.text, Buffer.from(JSON.stringify(envelope))));
      });
    },
    accept(request, socket) {
      const ticket = new URL(request.url ?? '/', 'http://127.0.0.1').searchParams.get('ticket') ?? '';
      const key = request.headers['sec-websocket-key'];
      if (!tickets.delete(ticket) || key === undefined) return void socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
      const accept = createHash('sha1')
        .update(key + WEBSOCKET_GUID)
        .digest('base64');
      const head = [
        'HTTP/1.1 101 Switching Protocols',
        'Upgrade: websocket',
        'Connection: Upgrade',
        `Sec-WebSocket-Accept: ${accept}`,
      ];
      socket.write(`${head.join('\r\n')}\r\n\r\n`);
      listen(socket);
      const hello = { type: 'hello', num_connections: open.size, debug_info: { approximate_connection_time: 18_060 } };
      socket.write(encodeFrame(OPCODES.text, Buffer.from(JSON.stringify(hello))));
    },
    closeAll() {
      for (const socket of open) {
        if (socket.writable) socket.end(encodeFrame(OPCODES.close, GOING_AWAY));
        setTimeout(() => socket.destroy(), CLOSE_MS);
      }
      open.clear();
    },
  };
}
