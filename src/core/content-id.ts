import { hash } from 'node:crypto';

/** Crockford's base 32: no easily confused letters; safe in URLs, in job ids and when read aloud. */
const alphabet = '0123456789abcdefghjkmnpqrstvwxyz';

/** Ten bits as two letters. An id has eight of these pairs. */
const pairs = Array.from({ length: 1024 }, (_, bits) => `${alphabet[bits >> 5]}${alphabet[bits & 31]}`);

/** Builds an id from content: `prefix` and 80 bits of SHA-256. Equal parts give equal ids in every process. */
export function contentId(prefix: string, parts: readonly (string | number | null)[]): string {
  const digest = hash('sha256', JSON.stringify(parts), 'hex');
  let id = prefix;
  for (let at = 0; at < 20; at += 5) {
    const bits = Number.parseInt(digest.slice(at, at + 5), 16);
    id += `${pairs[bits >> 10]}${pairs[bits & 1023]}`;
  }
  return id;
}
