import type { IncomingMessage } from 'node:http';

/** Reads a request's body. Never rejects. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | 'too_large' | 'cut_off'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > maxBytes) {
        // Read and drop the rest, so that the sender sees the answer. The server's request timeout ends it.
        request.removeAllListeners('data').resume();
        resolve('too_large');
      } else {
        chunks.push(chunk);
      }
    });
    request.on('end', () => {
      // Nearly all bodies come in one piece.
      const [first = Buffer.alloc(0), ...more] = chunks;
      resolve(more.length === 0 ? first : Buffer.concat(chunks));
    });
    request.on('error', () => resolve('cut_off'));
    request.on('close', () => resolve('cut_off'));
  });
}
