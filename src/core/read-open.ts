import type { Cluster, Redis } from 'ioredis';

/**
 * What waits, by the ids in a sorted set. An id that outlived its record is forgotten: nothing is left to be decided,
 * and nobody else would ever take it away.
 *
 * @returns the records in the order of the set.
 */
export async function readOpen<T>(
  redis: Redis | Cluster,
  openKey: string,
  get: (id: string) => Promise<T | null>,
): Promise<T[]> {
  const ids = await redis.zrange(openKey, '0', '-1');
  const found = await Promise.all(ids.map(get));
  const gone = ids.filter((_id, index) => found[index] === null);
  if (gone.length > 0) await redis.zrem(openKey, ...gone);
  return found.filter((one) => one !== null) as T[];
}
