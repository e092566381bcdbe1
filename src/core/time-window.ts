import type { RedisClient } from './redis.ts';

/** The first value in a window that begins with it: this one or an earlier one. Null: that one has just expired. */
export async function firstWithin(
  redis: RedisClient,
  windowMs: number,
  key: string,
  value: string,
): Promise<string | null> {
  await redis.set(key, value, 'PX', Math.max(1, Math.ceil(windowMs)), 'NX');
  return await redis.get(key);
}

/** How many values there are in a window that begins with the first, including this one. Each counts once. */
export async function countWithin(redis: RedisClient, windowMs: number, key: string, value: string): Promise<number> {
  const seconds = windowMs / 1000;
  const answers = await redis.multi().sadd(key, value).expire(key, seconds, 'NX').scard(key).exec();
  return Number(answers?.[2]?.[1] ?? 0);
}
