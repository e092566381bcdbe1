import type { Server as HttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';

/** `fetch` refuses the ports of some old protocols; 10080 is the last of them. */
const [FIRST, COUNT] = [10_100, 22_000];

/**
 * Each process looks from another place on, so that two do not hand out one port before a server listens there. The
 * factor is the golden ratio of the count, so that processes with similar ids start far apart.
 */
let next = (process.pid * 13_597) % COUNT;

/** The given port on 127.0.0.1 if it is free, otherwise another free one. */
export async function portOrFree(wanted: number): Promise<number> {
  return wanted !== 0 && (await isFree(wanted)) ? wanted : await freePort();
}

/**
 * A TCP port on 127.0.0.1 that was free a moment ago.
 *
 * Below the range that the system uses for outgoing connections: one of these could otherwise occupy it before a server
 * listens there, or while a killed server is restarted.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + next;
    // Each port once: its user may start listening later.
    next = (next + 1) % COUNT;
    if (await isFree(port)) return port;
  }
}

/** Whether a port on 127.0.0.1 was free a moment ago. */
export async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}

/** Listens on 127.0.0.1. @returns the port; 0 takes a free one. */
export async function listen(server: Server, port = 0): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  return (server.address() as AddressInfo).port;
}

/** Stops listening, and closes every connection. */
export async function shut(server: HttpServer): Promise<void> {
  const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}
