import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { listen } from '../../local/port.ts';

/** A proxy between Cardbell and Redis that can delay data and cut connections. */
export interface Wire {
  readonly port: number;
  /** Delays all data by this many milliseconds in each direction. */
  slow(ms: number): void;
  /** Cuts all connections. */
  cut(): void;
  stop(): Promise<void>;
}

/** @param target loopback port to connect to. */
export async function startWire(target: number): Promise<Wire> {
  let delayMs = 0;
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(target, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.setNoDelay(true);
      // In sequence, because chunks must not overtake each other.
      let before = Promise.resolve();
      from.on('data', (chunk) => {
        const at = performance.now() + delayMs;
        before = before.then(async () => {
          const left = at - performance.now();
          if (left > 0) await sleep(left);
          if (!to.destroyed) to.write(chunk);
        });
      });
      from.on('error', () => {
        // Closed below.
      });
      from.once('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const port = await listen(server);
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port,
    slow: (ms) => {
      delayMs = ms;
    },
    cut,
    async stop() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
      cut();
      await closed;
    },
  };
}
