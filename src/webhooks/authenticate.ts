import { timingSafeEqual } from 'node:crypto';

const basic = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Makes the check of a webhook's `Authorization` header against the shared secret.
 *
 * The credential of the Basic scheme is the secret itself: no user name, no colon, so the whole decoded credential is
 * compared. Whatever was sent is laid over zeros of one fixed length first, so neither content nor length shows in the
 * time it takes, and every secret is compared every time (two while it is rotated).
 *
 * Source: specification, "Webhook authentication".
 */
export function createAuthenticate(secrets: readonly string[]): (header: string | undefined) => boolean {
  const bytes = secrets.map((secret) => Buffer.from(secret, 'utf8'));
  // One byte more than the longest: a longer credential is cut off there, and is as long as no secret.
  const size = Math.max(0, ...bytes.map(({ length }) => length)) + 1;
  const expected = bytes.map((secret) => ({ length: secret.length, padded: Buffer.concat([secret], size) }));
  const given = Buffer.alloc(size);

  return function isAuthentic(header) {
    const encoded = header === undefined ? undefined : basic.exec(header.trim())?.[1];
    given.fill(0);
    const length = given.write(encoded ?? '', 'base64');
    let matches = false;
    for (const secret of expected) {
      matches = (timingSafeEqual(secret.padded, given) && secret.length === length) || matches;
    }
    return matches && length > 0;
  };
}
