import { hash } from 'node:crypto';

/** Crockford's base 32: no letters that are read wrong, safe in URLs, job ids and speech. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * An id made from content: `prefix` and 80 bits of SHA-256. Equal parts give equal ids, in every process.
 */
export function contentId(prefix: string, parts: readonly (string | number | null)[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'buffer');
  let id = prefix;
  for (let bit = 0; bit < 80; bit += 5) {
    const byte = bit >> 3;
    const window = ((digest[byte] ?? 0) << 8) | (digest[byte + 1] ?? 0);
    id += alphabet[(window >> (11 - (bit & 7))) & 31];
  }
  return id;
}
