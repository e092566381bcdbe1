import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';

/**
 * The certificate and key that the web process serves with. Null without TLS, and when something is wrong with them,
 * which is then added to `problems`.
 */
export function readTls(
  given: Record<string, string>,
  problems: string[],
): { readonly cert: Buffer; readonly key: Buffer } | null {
  const cert = given['TLS_CERT_FILE'];
  const key = given['TLS_KEY_FILE'];
  if (cert === undefined && key === undefined) return null;
  if (cert === undefined || key === undefined) {
    problems.push(`${cert === undefined ? 'TLS_CERT_FILE' : 'TLS_KEY_FILE'}: expected both TLS files, or neither`);
    // The one that is there may be wrong as well.
    if (cert !== undefined) readPem('TLS_CERT_FILE', cert, problems);
    if (key !== undefined) readPem('TLS_KEY_FILE', key, problems);
    return null;
  }
  const contents = { cert: readPem('TLS_CERT_FILE', cert, problems), key: readPem('TLS_KEY_FILE', key, problems) };
  if (contents.cert === null || contents.key === null) return null;
  try {
    createSecureContext({ cert: contents.cert, key: contents.key });
  } catch {
    problems.push('TLS_CERT_FILE, TLS_KEY_FILE: expected a certificate and the private key that belongs to it, in PEM');
    return null;
  }
  return { cert: contents.cert, key: contents.key };
}

function readPem(name: string, path: string, problems: string[]): Buffer | null {
  try {
    return readFileSync(path);
  } catch {
    problems.push(`${name}: expected a readable PEM file`);
    return null;
  }
}
