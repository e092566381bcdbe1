import { readFileSync, unwatchFile, watchFile } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Log } from '../core/log.ts';
import { readText } from './read-variables.ts';

/** What the web process serves HTTPS with, and the files it came from. */
export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly paths: { readonly cert: string; readonly key: string };
}

/**
 * The certificate and key that the web process serves with. Null without TLS, and when they are unusable; the problem
 * is then added to `problems`.
 */
export function readTls(given: Record<string, string>, problems: string[]): TlsFiles | null {
  const paths = { cert: given['TLS_CERT_FILE'], key: given['TLS_KEY_FILE'] };
  const cert = readPem('TLS_CERT_FILE', paths.cert, problems);
  const key = readPem('TLS_KEY_FILE', paths.key, problems);
  if (paths.cert === undefined || paths.key === undefined) {
    const missing = paths.cert === undefined ? 'TLS_CERT_FILE' : 'TLS_KEY_FILE';
    if (paths.cert !== paths.key) problems.push(`${missing}: expected both TLS files, or neither`);
    return null;
  }
  if (cert === null || key === null) return null;
  try {
    createSecureContext({ cert, key });
  } catch {
    problems.push('TLS_CERT_FILE, TLS_KEY_FILE: expected a certificate and the private key that belongs to it, in PEM');
    return null;
  }
  return { cert, key, paths: { cert: paths.cert, key: paths.key } };
}

function readPem(name: string, path: string | undefined, problems: string[]): Buffer | null {
  if (path === undefined) return null;
  try {
    return readFileSync(path);
  } catch {
    problems.push(`${name}: expected a readable PEM file`);
    return null;
  }
}

/** The authority that signed Redis' certificate, in PEM. Adds to `problems` when its file cannot be read. */
export function readRedisCa(given: Readonly<Record<string, string>>, problems: string[]): string | undefined {
  const path = given['REDIS_TLS_CA_FILE'];
  if (path === undefined) return undefined;
  const pem = readText(path);
  if (pem?.includes('-----BEGIN CERTIFICATE-----') === true) return pem;
  problems.push('REDIS_TLS_CA_FILE: expected a readable file with certificates in PEM');
  return undefined;
}

/**
 * Certificates are replaced by hand, by certbot, or by Kubernetes, which swaps links. All of these change the file's
 * time.
 */
const LOOK_EVERY_MS = 10_000;

/**
 * Starts using a renewed certificate without a restart. A mismatched pair (one file is written before the other) is not
 * used; the current one stays.
 *
 * @returns a function that stops watching.
 */
export function watchTlsFiles(
  { paths }: TlsFiles,
  options: { readonly use: (files: TlsFiles) => void; readonly log: Log; readonly lookEveryMs?: number },
): () => void {
  const { use, log, lookEveryMs = LOOK_EVERY_MS } = options;
  const reload = (): void => {
    const problems: string[] = [];
    const files = readTls({ TLS_CERT_FILE: paths.cert, TLS_KEY_FILE: paths.key }, problems);
    if (files === null) {
      log.error({ problems }, 'the renewed TLS files cannot be used; the old ones stay in use');
      return;
    }
    use(files);
    log.info({}, 'the renewed TLS files are in use');
  };
  const watched = [paths.cert, paths.key];
  for (const path of watched) watchFile(path, { interval: lookEveryMs, persistent: false }, reload);
  return () => {
    for (const path of watched) unwatchFile(path, reload);
  };
}
