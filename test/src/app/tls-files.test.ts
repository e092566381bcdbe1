import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readTls, type TlsFiles, watchTlsFiles } from '../../../src/app/tls-files.ts';
import { createLog } from '../../../src/core/log.ts';
import { until } from '../../support/until.ts';

const fixture = (name: string): string => fileURLToPath(new URL(`../../fixtures/tls/${name}`, import.meta.url));
let folder: string;
let stop: (() => void) | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cardbell-tls-'));
});
afterEach(() => {
  stop?.();
  rmSync(folder, { recursive: true });
});

function start(): { used: TlsFiles[]; lines: string[]; write: (key: string) => void } {
  const path = (name: string): string => join(folder, name);
  copyFileSync(fixture('cert.pem'), path('cert.pem'));
  copyFileSync(fixture('key.pem'), path('key.pem'));
  const files = readTls({ TLS_CERT_FILE: path('cert.pem'), TLS_KEY_FILE: path('key.pem') }, []);
  if (files === null) throw new Error('expected the fixtures to be a pair');
  const [used, lines]: [TlsFiles[], string[]] = [[], []];
  const log = createLog({ level: 'info', process: 'test', destination: { write: (line) => void lines.push(line) } });
  stop = watchTlsFiles(files, { use: (renewed) => used.push(renewed), log, lookEveryMs: 5 });
  return { used, lines, write: (key) => copyFileSync(fixture(key), path('key.pem')) };
}

it('uses a renewed pair', async () => {
  const { used, write } = start();

  // Writes repeatedly, because a write before the first check of the files is not a change.
  await until(() => {
    write('key.pem');
    return used.length > 0;
  }, 'the renewed pair is used');

  expect(used[0]?.key).toEqual(readFileSync(fixture('key.pem')));
});

it('does not use a key that does not match the certificate, and logs so', async () => {
  const { used, lines, write } = start();

  await until(() => {
    write('other-key.pem');
    return lines.some((line) => line.includes('the old ones stay in use'));
  }, 'the log names the problem');

  expect(used).toEqual([]);
  expect(lines.join('')).not.toContain('PRIVATE');
});
