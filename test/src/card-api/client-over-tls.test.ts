import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { SecureVersion } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listen } from '../../../local/port.ts';
import { createCardClient } from '../../../src/card-api/client.ts';

const file = (name: string): Buffer => readFileSync(new URL(`../../fixtures/tls/${name}`, import.meta.url));
const servers: Server[] = [];

/** Accepts the untrusted test certificate, so that only the TLS version decides. */
const before = process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
beforeAll(() => {
  process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
});
afterAll(() => {
  if (before === undefined) delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
  else process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = before;
  for (const server of servers) server.close();
});

/** A service that speaks only this TLS version. */
async function serviceWith(
  version: SecureVersion,
): Promise<{ url: string; refusals: string[]; answered: () => number }> {
  const refusals: string[] = [];
  let answered = 0;
  const server = createServer(
    {
      cert: file('cert.pem'),
      key: file('key.pem'),
      minVersion: version,
      maxVersion: version,
      // Without this OpenSSL would not even offer the old versions.
      ciphers: 'DEFAULT@SECLEVEL=0',
    },
    (_request, response) => {
      answered += 1;
      response.end('{}');
    },
  );
  server.on('tlsClientError', (error: NodeJS.ErrnoException) => void refusals.push(error.code ?? error.message));
  servers.push(server);
  const url = `https://localhost:${await listen(server)}/v4`;
  return { url, refusals, answered: () => answered };
}

it.each([
  ['TLSv1', 'is not called'],
  ['TLSv1.1', 'is not called'],
  ['TLSv1.2', 'is called'],
  ['TLSv1.3', 'is called'],
] as const)('a service that only offers %s %s', async (version, what) => {
  const { url, refusals, answered } = await serviceWith(version);
  const client = createCardClient({ baseUrl: url, token: 'T', sleep: async () => {}, timeoutMs: 2000 });

  await client.ping().catch(() => undefined);

  if (what === 'is called') {
    expect(answered()).toBeGreaterThan(0);
  } else {
    expect(answered()).toBe(0);
    expect(refusals).toContain('ERR_SSL_UNSUPPORTED_PROTOCOL');
  }
});
