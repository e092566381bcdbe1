import { createServer } from 'node:net';

/** Whoever was given a port may listen there only later. */
const given = new Set<number>();

/** The given port of 127.0.0.1 if nobody listens on it, else a free one. */
export async function portOrFree(wanted: number): Promise<number> {
  return wanted !== 0 && (await isFree(wanted)) ? wanted : await freePort();
}

/**
 * A TCP port on 127.0.0.1 that nobody listened on a moment ago.
 *
 * Below those that the system gives to outgoing connections: one of them could otherwise sit on it before a server
 * listens there, or while a server that was killed is started again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = 10_000 + Math.floor(Math.random() * 22_000);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
}

/** Whether one could listen on a port of 127.0.0.1 a moment ago. */
export async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
