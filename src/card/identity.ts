import { hash } from 'node:crypto';

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/**
 * Identity of an event, made from its content because the service sends none: `evt_` and 80 bits of SHA-256 in
 * Crockford's base 32.
 *
 * The transport's ids (Request-Id) must stay out: each retry carries a new one.
 */
export function eventId(parts: readonly (string | number | null)[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'buffer');
  let id = 'evt_';
  for (let bit = 0; bit < 80; bit += 5) {
    const byte = bit >> 3;
    const window = ((digest[byte] ?? 0) << 8) | (digest[byte + 1] ?? 0);
    id += alphabet[(window >> (11 - (bit & 7))) & 31];
  }
  return id;
}
