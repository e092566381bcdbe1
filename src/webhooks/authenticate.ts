import { timingSafeEqual } from 'node:crypto';

const basic = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/**
 * Makes the check of a webhook's `Authorization` header against the shared secret.
 *
 * The Basic credential is the secret itself, without user name and colon, so all of it is compared. It is padded to a
 * fixed length and compared with every secret (two during a rotation), so that timing reveals neither content nor
 * length.
 *
 * Source: specification, "Webhook authentication".
 */
export function createAuthenticate(secrets: readonly string[]): (header: string | undefined) => boolean {
  const bytes = secrets.map((secret) => Buffer.from(secret, 'utf8'));
  // One byte more than the longest secret. Longer credentials are truncated to this size, so they never have a secret's
  // length.
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
