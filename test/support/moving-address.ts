import { createConnection, createServer } from 'node:net';
import { pipeline } from 'node:stream';
import { listen } from '../../local/port.ts';

/** An address that leads to one server and later to another, like the name of a Redis with failover. */
export async function movingAddress(firstPort: number) {
  let port = firstPort;
  const server = createServer((near) => {
    const far = createConnection(port, '127.0.0.1');
    pipeline(near, far, near, () => {
      // Either side may disconnect first.
    });
  });
  return {
    url: `redis://127.0.0.1:${await listen(server)}`,
    /** For new connections. Open ones stay where they are. */
    leadTo(other: number): void {
      port = other;
    },
    close: (): void => void server.close(),
  };
}
