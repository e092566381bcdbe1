import { hash } from 'node:crypto';

/** Crockford's base 32: no easily confused letters; safe in URLs, in job ids and when read aloud. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Builds an id from content: `prefix` and 80 bits of SHA-256. Equal parts give equal ids in every process. */
export function contentId(prefix: string, parts: readonly (string | number | null)[]): string {
  // One character for each byte.
  const digest = hash('sha256', JSON.stringify(parts), 'binary');
  let id = prefix;
  for (let at = 0; at < 80; at += 5) {
    const [byte, bit] = [at >> 3, at & 7];
    const bits = (digest.charCodeAt(byte) << 8) | digest.charCodeAt(byte + 1);
    id += alphabet[(bits >> (11 - bit)) & 31];
  }
  return id;
}
