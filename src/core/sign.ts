import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';

/** Proves that whoever holds the same secret said this, for one purpose. */
export type Signer = ReturnType<typeof createSigner>;

/**
 * HMAC-SHA256 with a key for one purpose, derived from a secret that both processes hold and that is not in Redis. What is
 * signed is plain JSON; the order of its fields does not matter, because Redis and schemas may change it.
 *
 * @param secrets the first one signs; the others, from before it was changed, are still recognized.
 */
export function createSigner(secrets: string | readonly string[], purpose: string) {
  const keys = [secrets]
    .flat()
    .map((secret) => Buffer.from(hkdfSync('sha256', secret, '', `cardbell signature: ${purpose}`, 32)));
  const [current] = keys;
  if (current === undefined) throw new Error('no secret to sign with');
  const signBy = (key: Buffer, said: unknown): Buffer =>
    createHmac('sha256', key)
      .update(`${purpose}\n${canonical(said)}`)
      .digest();
  return {
    sign: (said: unknown): string => signBy(current, said).toString('base64url'),
    verify(said: unknown, signature: unknown): boolean {
      if (typeof signature !== 'string') return false;
      const given = Buffer.from(signature, 'base64url');
      return keys.some((key) => {
        const expected = signBy(key, said);
        return given.length === expected.length && timingSafeEqual(given, expected);
      });
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
