import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { readBody } from '../../../src/core/read-body.ts';
import { head, openRaw, type RawConnection } from '../../support/raw-connection.ts';
import { until } from '../../support/until.ts';

let server: Server | undefined;
let raw: RawConnection | undefined;

afterEach(async () => {
  raw?.close();
  await new Promise((resolve) => server?.close(resolve));
});

/** Sends a request, and waits until its body of at most four bytes is read. */
async function read(request: string, act: (connection: RawConnection) => void = () => {}) {
  const bodies: (Buffer | string)[] = [];
  const open = createServer((incoming, response) => {
    void readBody(incoming, 4).then((body) => {
      bodies.push(body);
      response.end();
    });
  });
  server = open;
  await new Promise<void>((resolve) => open.listen(0, '127.0.0.1', resolve));
  raw = await openRaw((open.address() as AddressInfo).port);
  raw.write(request);
  act(raw);
  await until(() => bodies.length > 0, 'the body is read');
  return bodies.map((body) => body.toString());
}

it('returns a body of exactly the limit, in one piece or in several', async () => {
  expect(await read(`${head('/', { 'content-length': 4 })}abcd`)).toEqual(['abcd']);
  raw?.close();
  await new Promise((resolve) => server?.close(resolve));
  const chunked = head('/', { 'transfer-encoding': 'chunked' });
  expect(await read(`${chunked}3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n`)).toEqual(['abcd']);
});

it('says that a body is too large, also before it has ended', async () => {
  expect(await read(`${head('/', { 'content-length': 9 })}abcde`)).toEqual(['too_large']);
});

it('says that a body was cut off when the sender leaves', async () => {
  expect(await read(`${head('/', { 'content-length': 4 })}ab`, (sender) => sender.socket.end())).toEqual(['cut_off']);
});
