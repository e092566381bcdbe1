import { createServer, type Server } from 'node:http';
import { getGlobalDispatcher, setGlobalDispatcher } from 'undici';
import { afterEach, expect, it } from 'vitest';
import { listen } from '../../../local/port.ts';
import { proxyOf, useProxy } from '../../../src/app/outgoing-proxy.ts';

const direct = getGlobalDispatcher();
const servers: Server[] = [];
afterEach(() => {
  setGlobalDispatcher(direct);
  for (const server of servers.splice(0)) {
    server.close();
    server.closeAllConnections();
  }
});

/** A proxy that answers everything itself and records the requested hosts. */
async function startProxy(asked: string[]): Promise<string> {
  const server = createServer((_request, response) => response.end('direct'));
  server.on('connect', (request, socket) => {
    asked.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  servers.push(server);
  return `http://127.0.0.1:${await listen(server)}`;
}

it('reaches hosts on the internet through the proxy', async () => {
  const asked: string[] = [];
  const proxy = proxyOf({ HTTPS_PROXY: await startProxy(asked) });
  await useProxy(proxy);

  await fetch('https://card.example/v4/ping').catch(() => {});

  expect(asked).toEqual(['card.example:443']);
});

it('reaches this machine and the hosts in NO_PROXY directly', async () => {
  const asked: string[] = [];
  const url = await startProxy(asked);
  const proxy = proxyOf({ HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: 'internal.invalid' });
  await useProxy(proxy);

  expect(await (await fetch(url)).text()).toBe('direct');
  // Nothing listens there.
  await fetch('https://[::1]:1/').catch(() => {});
  await fetch('https://internal.invalid/').catch(() => {});

  expect(asked).toEqual([]);
});

it.each([
  ['none is set', { NO_PROXY: 'x' }],
  ['NO_PROXY names every host', { HTTPS_PROXY: 'http://proxy:3128', NO_PROXY: 'x, *' }],
])('uses no proxy if %s', (_what, values) => {
  expect(proxyOf(values)).toBeNull();
});
