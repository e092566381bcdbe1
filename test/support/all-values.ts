import type { Redis } from 'ioredis';
import { allKeys } from './kept-keys.ts';

/** Everything Cardbell stores in a Redis, as one text. */
export async function allValues(redis: Redis): Promise<string> {
  const values = await Promise.all(
    (await allKeys(redis)).map(async (key) => {
      const type = await redis.type(key);
      if (type === 'string') return [key, await redis.get(key)];
      if (type === 'hash') return [key, await redis.hgetall(key)];
      if (type === 'list') return [key, await redis.lrange(key, 0, -1)];
      if (type === 'set') return [key, await redis.smembers(key)];
      if (type === 'zset') return [key, await redis.zrange(key, '0', '-1')];
      if (type === 'stream') return [key, await redis.xrange(key, '-', '+')];
      // It has expired or was removed since.
      if (type === 'none') return [key];
      throw new Error(`${key}: cannot read a ${type}`);
    }),
  );
  return values.map((value) => JSON.stringify(value)).join('\n');
}
