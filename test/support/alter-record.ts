import type { Redis } from 'ioredis';
import { createSigner } from '../../src/core/sign.ts';
import { secrets } from './people.ts';

/**
 * Changes fields of a signed record and signs it again, like a worker.
 *
 * @param field of a hash. Omitted when the record has a separate key.
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
