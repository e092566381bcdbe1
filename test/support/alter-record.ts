import type { Redis } from 'ioredis';
import { createSigner } from '../../src/core/sign.ts';
import { secrets } from './people.ts';

/**
 * Writes a signed record with other fields, as a worker would have written it.
 *
 * @param field of a hash; left out: the record has a key of its own.
 */
export async function alterRecord<T extends object = Record<string, unknown>>(
  store: Pick<Redis, 'get' | 'set' | 'hget' | 'hset'>,
  purpose: 'request' | 'temporary change' | 'claim' | 'block',
  [key, field]: readonly [key: string, field?: string],
  fields: (kept: T) => Partial<T>,
): Promise<void> {
  const text = field === undefined ? await store.get(key) : await store.hget(key, field);
  const { signature: _former, ...kept } = JSON.parse(text ?? '{}');
  const record = { ...kept, ...fields(kept) };
  const signed = JSON.stringify({ ...record, signature: createSigner(secrets.apiToken, purpose).sign(record) });
  if (field === undefined) await store.set(key, signed);
  else await store.hset(key, field, signed);
}
