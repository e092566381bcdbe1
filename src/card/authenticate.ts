import { hash, timingSafeEqual } from 'node:crypto';

const basic = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Makes the check of a webhook's `Authorization` header against the shared secret.
 *
 * The credential of the Basic scheme is the secret itself: no user name, no colon, so the whole decoded credential is
 * compared. Digests are compared instead of texts, so neither content nor length shows in the time it takes, and every
 * secret is compared every time (two while it is rotated).
 *
 * Source: specification, "Webhook authentication".
 */
export function createAuthenticate(secrets: readonly string[]): (header: string | undefined) => boolean {
  const expected = secrets.map((secret) => digest(Buffer.from(secret, 'utf8')));

  return function isAuthentic(header) {
    const encoded = header === undefined ? undefined : basic.exec(header.trim())?.[1];
    const given = digest(Buffer.from(encoded ?? '', 'base64'));
    let matches = false;
    for (const secret of expected) matches = timingSafeEqual(secret, given) || matches;
    return matches && encoded !== undefined;
  };
}

function digest(bytes: Buffer): Buffer {
  return hash('sha256', bytes, 'buffer');
}
