import { connect, type Socket } from 'node:net';
import { until } from './until.ts';

/** A TCP connection that sends exactly the given bytes and exposes the response bytes. */
export interface RawConnection {
  readonly socket: Socket;
  write(text: string): void;
  received(): string;
  /** Waits until the received bytes match. */
  sees(pattern: RegExp, deadlineMs?: number): Promise<void>;
  /** Status codes of all responses so far. */
  statuses(): number[];
  isClosed(): boolean;
  close(): void;
}

export async function openRaw(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  let closed = false;
  socket.setEncoding('latin1').on('data', (part: string) => {
    text += part;
  });
  socket.on('close', () => {
    closed = true;
  });
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  await opened;
  socket.on('error', () => {
    // Visible as closed.
  });
  return {
    socket,
    write: (part) => void socket.write(part, 'latin1'),
    received: () => text,
    sees: (pattern, deadlineMs) =>
      until(() => pattern.test(text), `${pattern} in what came back: ${text.slice(-500)}`, deadlineMs),
    statuses: () => [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)),
    isClosed: () => closed,
    close: () => void socket.destroy(),
  };
}

/** The head of a request. */
export function head(path: string, headers: Readonly<Record<string, string | number>>, method = 'POST'): string {
  const lines = Object.entries({ host: 'localhost', ...headers }).map(([name, value]) => `${name}: ${value}`);
  return `${[`${method} ${path} HTTP/1.1`, ...lines].join('\r\n')}\r\n\r\n`;
}
