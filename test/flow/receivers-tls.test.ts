import { readFileSync } from 'node:fs';
import { connect as connectTls, type SecureVersion } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { webhook } from '../fixtures/webhooks/webhook.ts';
import { head } from '../support/raw-connection.ts';
import { type RunningWeb, serviceHeaders, startWeb } from '../support/running-web.ts';
import { until } from '../support/until.ts';

const tlsFile = (name: string): string => fileURLToPath(new URL(`../fixtures/tls/${name}`, import.meta.url));
const body = JSON.stringify(webhook('virtual-card'));
let web: RunningWeb | undefined;

afterEach(async () => {
  await web?.stop();
  web = undefined;
});

describe('TLS', () => {
  const shake = (port: number, version: SecureVersion): Promise<string> =>
    new Promise((resolve) => {
      const socket = connectTls({
        port,
        host: '127.0.0.1',
        ca: readFileSync(tlsFile('cert.pem')),
        minVersion: version,
        maxVersion: version,
        // At its default level the OpenSSL client refuses old versions, but this test is about the server.
        ciphers: 'DEFAULT:@SECLEVEL=0',
      });
      socket.once('secureConnect', () => {
        resolve(socket.getProtocol() ?? 'none');
        socket.destroy();
      });
      socket.once('error', () => resolve('refused'));
    });

  it('is 1.2 or newer and serves the same receivers', async () => {
    web = await startWeb({ TLS_CERT_FILE: tlsFile('cert.pem'), TLS_KEY_FILE: tlsFile('key.pem') });
    const { port } = web;

    expect(await shake(port, 'TLSv1')).toBe('refused');
    expect(await shake(port, 'TLSv1.1')).toBe('refused');
    expect(await shake(port, 'TLSv1.2')).toBe('TLSv1.2');
    expect(await shake(port, 'TLSv1.3')).toBe('TLSv1.3');

    const socket = connectTls({ port, host: '127.0.0.1', ca: readFileSync(tlsFile('cert.pem')) });
    let received = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      received += text;
    });
    const expecting = { expect: '100-continue', 'content-length': Buffer.byteLength(body) };
    socket.write(head('/webhooks/virtual-card', { ...serviceHeaders, ...expecting }));
    await until(() => received.includes('100 Continue'), 'it may continue');
    socket.write(body);
    await until(() => received.includes('HTTP/1.1 200'), 'it is answered');
    socket.destroy();
  });
});
