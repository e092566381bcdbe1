import { createServer } from 'node:net';
import { freePort } from './redis.ts';

/** The given port of 127.0.0.1 if nobody listens on it, else a free one. */
export async function portOrFree(wanted: number): Promise<number> {
  return wanted !== 0 && (await isFree(wanted)) ? wanted : await freePort();
}

/** Whether one could listen on a port of 127.0.0.1 a moment ago. */
export async function isFree(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
