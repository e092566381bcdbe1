import { createServer } from 'node:net';

/** Ports already handed out. Their users may start listening later. */
const given = new Set<number>();

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
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    if (given.has(port)) continue;
    given.add(port);
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
