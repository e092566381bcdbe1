import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Proves that a holder of the same secret wrote this, for one purpose. */
export type Signer = ReturnType<typeof createSigner>;

/**
 * HMAC-SHA256 with a key for one purpose, derived from a secret that both processes hold and that is not in Redis.
 * Signs plain JSON; field order does not matter, because Redis and schemas may change it.
 *
 * @param secrets the first one signs; the others, older ones, are still accepted.
 */
export function createSigner(secrets: string | readonly string[], purpose: string) {
  const keys = [secrets]
    .flat()
    .map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `cardbell signature: ${purpose}`, 32)));
  const [current] = keys;
  if (current === undefined) throw new Error('no secret for signing');
  const signBy = (key: Buffer, content: unknown): Buffer =>
    createHmac('sha256', key)
      .update(`${purpose}\n${canonical(content)}`)
      .digest();
  return {
    sign: (content: unknown): string => signBy(current, content).toString('base64url'),
    verify(content: unknown, signature: unknown): boolean {
      if (typeof signature !== 'string') return false;
      const given = Buffer.from(signature, 'base64url');
      return keys.some((key) => {
        const expected = signBy(key, content);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
    },
  };
}

/** JSON with each object's fields in alphabetical order. Omits what JSON omits. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(',')}}`;
}
