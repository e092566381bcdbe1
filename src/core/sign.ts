import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Proves that whoever holds the same secret said this, for one purpose. */
export type Signer = ReturnType<typeof createSigner>;

/**
 * HMAC-SHA256 with a key for one purpose, derived from a secret that both processes hold and that is not in Redis. What is
 * signed is plain JSON; the order of its fields does not matter, because Redis and schemas may change it.
 */
export function createSigner(secret: string, purpose: string) {
  const key = Buffer.from(hkdfSync('sha256', secret, '', `cardbell signature: ${purpose}`, 32));
  const sign = (said: unknown): Buffer =>
    createHmac('sha256', key)
      .update(`${purpose}\n${canonical(said)}`)
      .digest();
  return {
    sign: (said: unknown): string => sign(said).toString('base64url'),
    verify(said: unknown, signature: string): boolean {
      const given = Buffer.from(signature, 'base64url');
      const expected = sign(said);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/** JSON with the fields of each object in alphabetical order; what JSON leaves out is left out. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item) => canonical(item ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, field]) => `${JSON.stringify(name)}:${canonical(field)}`);
  return `{${fields.join(',')}}`;
}
